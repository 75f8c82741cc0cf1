"""Findings that depend on more than one message, or on how the target answers."""

import asyncio

import pytest
from behaviours import OFFER, PRICING, conforming, parsed
from hand_made_servers import Behaviour, reset, response, serving

import brokerfuzz

CONFORMS = conforming()


def _is_large(body: bytes) -> bool:
    return parsed(body).get("orderMaximum") == (1 << 31) - 1


def _reacting(to_large: Behaviour) -> Behaviour:
    """Conforms, but reacts in another way to the largest `orderMaximum`."""

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        if _is_large(body):
            await to_large(body, writer)
        else:
            writer.write(response(201 if CONFORMS(body) else 422))

    return behave


async def _hangs(_: bytes, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def _disconnects(_: bytes, writer: asyncio.StreamWriter) -> None:
    reset(writer)


@pytest.mark.long
def test_a_message_without_an_answer_is_a_finding_with_its_cause() -> None:
    with serving(_reacting(_hangs)) as url:
        report = brokerfuzz.fire(url, verdicts=["valid"], timeout=0.5)
    assert [(finding.kind, finding.places) for finding in report.findings] == [("timeout", ("/orderMaximum",))], report
    assert report.outcome.state == "complete"


def test_a_message_that_breaks_the_connection_is_a_finding_with_its_cause() -> None:
    with serving(_reacting(_disconnects)) as url:
        report = brokerfuzz.fire(url, verdicts=["valid"])
    assert [(finding.kind, finding.places) for finding in report.findings] == [("crashed", ("/orderMaximum",))], report
    assert report.outcome.state == "complete"


def test_a_strict_reader_of_responses_has_a_finding() -> None:
    def reads(body: bytes) -> bool:
        if not conforming(PRICING)(body):
            return False
        return (parsed(body).get("data") or {}).get("customerId") != ""

    report = brokerfuzz.fire(reads, PRICING)
    assert [(finding.kind, finding.places) for finding in report.findings] == [
        ("valid-rejected", ("/data/customerId",))
    ], report


def test_every_finding_contains_a_message_with_which_it_occurs_again() -> None:
    def accepts(body: bytes) -> bool:
        return brokerfuzz.check(OFFER, body).label != "invalid" or b'"orderMinimum":0' in body

    (finding,) = brokerfuzz.fire(accepts, rules=["*orderMinimum:minimum"]).findings
    assert accepts(finding.body)
    assert brokerfuzz.check(OFFER, finding.body).label == "invalid"
    assert finding.twin is not None
    assert brokerfuzz.check(OFFER, finding.twin).label == "valid"
