"""Which answers prove something: statuses, twins, the ledger, and the envelope of a response."""

import json
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from hand_made_servers import OFFER, Behaviour, conforming, response, serving

import brokerfuzz
from brokerfuzz.campaign import Observed
from brokerfuzz.cases.catalogue import plain_messages

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINIMUM: Final = ["*orderMinimum:minimum"]
FEW: Final[Any] = {"rules": MINIMUM, "techniques": ["one-below"], "shrink": 0, "now": NOW}
PLAIN: Final = plain_messages(OFFER)[0]


def valid(body: bytes) -> bool:
    return conforming(body) == 201


def answering(status: int, said: bytes = b"") -> Behaviour:
    """Answers messages that are not invalid with status 201, and invalid ones with another status."""

    async def behave(body: bytes, writer: Any) -> None:
        writer.write(response(201 if valid(body) else status, said))

    return behave


@pytest.mark.parametrize("status", [401, 403, 419])
def test_a_status_about_the_client_proves_nothing_even_if_the_twin_is_accepted(status: int) -> None:
    with serving(answering(status, b"orderMinimum is wrong")) as url:
        report = brokerfuzz.fire(url, **FEW)
    assert (report.outcome.state, report.outcome.reason) == ("untested", "no rejection was proven")
    (rule,) = report.result.unproven_rules
    assert report.result.why_unproven(rule) == f"status {status} says nothing about the message"


def test_the_twin_of_a_rejected_message_is_sent_once_and_that_of_an_accepted_one_is_not() -> None:
    sent: dict[bool, list[bytes]] = {True: [], False: []}
    for accepts_all, bodies in sent.items():

        def target(body: bytes, accepts_all: bool = accepts_all, bodies: list[bytes] = bodies) -> bool:
            bodies.append(body)
            return accepts_all or valid(body)

        brokerfuzz.fire(target, rules=["*orderM*"], verdicts=["invalid"], shrink=0, now=NOW)
    without_plain = [[body for body in bodies if body != PLAIN.body] for bodies in sent.values()]
    assert len(without_plain[1]) - len(set(without_plain[1])) == 1  # the offer with a repeated number
    assert [sum(map(valid, set(bodies))) > 1 for bodies in without_plain] == [False, True]


def ledger(target: Any, **options: Any) -> dict[str, Observed]:
    result = brokerfuzz.fire(target, shrink=0, now=NOW, **options).result
    return {observed.ambiguity.id: observed for observed in result.ambiguities}


def test_the_ledger_lists_the_answers_for_each_ambiguity() -> None:
    def accepts(body: bytes) -> bool:
        if b"@yearly" in body:
            raise RuntimeError
        return valid(body) and b"@" not in body

    observed = ledger(accepts, tags=["probe:cron-syntax"])["cron-syntax"]
    assert observed.behaviour == "mixed"
    assert observed.unproven == 0
    assert set(observed.examples) == {kind for kind, count in observed.counts.items() if count}


def test_a_rejected_message_shows_a_behaviour_only_if_its_twin_is_accepted() -> None:
    tags = ["probe:cron-syntax", "probe:content-type"]
    with serving(answering(400)) as url:
        ordinary = ledger(url, tags=tags)
    assert ordinary["cron-syntax"].counts["accepted"] > 15
    at_first = iter([True])
    for observed in ledger(lambda body: next(at_first, False), tags=tags).values():
        assert (observed.counts["rejected"], observed.behaviour) == (0, "unclear")
        assert observed.unproven > 0


# --------------------------------------------------------------------------------------------------------- envelopes

PROPER: Final[dict[str, Any]] = {
    "data": None,
    "failureMessages": [],
    "informationalMessages": [],
    "operationWasSuccessful": True,
}
LACKING: Final = {name: value for name, value in PROPER.items() if name != "failureMessages"}
LONG: Final = json.dumps({**LACKING, "informationalMessages": ["x" * 3000]}).encode()


def envelopes(said: Any, policy: str | None) -> tuple[Any, Any]:
    """Returns the sentences of the findings about envelopes, and what the ledger says about them."""
    body = said if isinstance(said, bytes) else json.dumps(said).encode()

    async def behave(message: bytes, writer: Any) -> None:
        writer.write(response(201, body) if valid(message) else response(400))

    policies = {} if policy is None else {"response-envelope": policy}
    with serving(behave) as url:
        result = brokerfuzz.fire(url, **FEW, policies=policies).result
    observed = [one for one in result.ambiguities if one.ambiguity.id == "response-envelope"]
    return [finding.sentence() for finding in result.findings], [one.counts["accepted"] for one in observed]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (LACKING, '"failureMessages" is a required property'),
        ({**PROPER, "operationWasSuccessful": "yes"}, "yes"),
        ({**PROPER, "traceId": "1"}, "traceId"),
        (b'{"operationWasSuccessful": tru', "the body is not JSON"),
    ],
)
def test_a_malformed_envelope_is_in_the_ledger_and_with_a_policy_a_finding(said: Any, problem: str) -> None:
    findings, (count,) = envelopes(said, None)
    assert (findings, count > 0) == ([], True)
    ((sentence,), observed) = envelopes(said, "rejected")
    assert sentence.startswith("answered a valid offer creation request without a valid envelope: ")
    assert problem in sentence
    assert observed == []
    assert envelopes(said, "accepted") == ([], [])


@pytest.mark.parametrize("said", [PROPER, {"id": 7}, b"", b"\xff", LONG])
def test_a_valid_envelope_or_another_response_is_not_reported(said: Any) -> None:
    assert envelopes(said, None) == ([], [])
    assert envelopes(said, "rejected") == ([], [])


def test_a_rejection_that_claims_success_is_one_finding_with_the_policy_rejected() -> None:
    with serving(answering(400, json.dumps(PROPER).encode())) as url:
        (finding,) = brokerfuzz.fire(url, **FEW, policies={"response-envelope": "rejected"}).findings
    assert "operationWasSuccessful is true, although the offer was rejected" in finding.sentence()
