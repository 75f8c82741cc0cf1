"""Which answers prove something: statuses, twins, and the ledger."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from behaviours import CONFORMING, OFFER
from hand_made_servers import Behaviour, fired, response, serving

import brokerfuzz
from brokerfuzz.campaign import Observed
from brokerfuzz.cases.catalogue import plain_messages

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINIMUM: Final = ["*orderMinimum:minimum"]
FEW: Final[Any] = {"rules": MINIMUM, "techniques": ["one-below"], "shrink": 0, "now": NOW}


def answering(status: int, said: bytes = b"") -> Behaviour:
    """Answers messages that are not invalid with status 201, and invalid ones with another status."""

    async def behave(body: bytes, writer: Any) -> None:
        writer.write(response(201 if CONFORMING(body) else status, said))

    return behave


@pytest.mark.parametrize("status", [401, 403, 419])
def test_a_status_about_the_client_proves_nothing_even_if_the_twin_is_accepted(status: int) -> None:
    report = fired(answering(status, b"orderMinimum is wrong"), **FEW)
    assert (report.outcome.state, report.outcome.reason) == ("untested", "no rejection was proven")
    (rule,) = report.result.unproven_rules
    assert report.result.proofs.why_unproven(rule) == f"status {status} says nothing about the message"


def test_a_report_names_the_reason_even_if_a_long_campaign_keeps_only_the_first_unproven_rejections(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brokerfuzz.campaign.proof.MOST_UNPROVEN", 1)
    fired(answering(403), rules=["*orderM*", "*pageCount:*"], shrink=0, now=NOW, reports=["report.json"])
    rules = [rule for rule in json.loads(Path("report.json").read_text())["rules"] if rule["unproven"]]
    assert len(rules) > 2
    assert {rule["why"] for rule in rules} == {"status 403 says nothing about the message"}


def test_the_twin_of_a_rejected_message_is_sent_once_and_that_of_an_accepted_one_is_not() -> None:
    sent: dict[bool, list[bytes]] = {True: [], False: []}
    for accepts_all, bodies in sent.items():

        def target(body: bytes, accepts_all: bool = accepts_all, bodies: list[bytes] = bodies) -> bool:
            bodies.append(body)
            return accepts_all or CONFORMING(body)

        brokerfuzz.fire(target, rules=["*orderM*"], verdicts=["invalid"], shrink=0, now=NOW)
    plain = {case.body for case in plain_messages(OFFER)}
    without_plain = [[body for body in bodies if body not in plain] for bodies in sent.values()]
    assert len(without_plain[1]) == len(set(without_plain[1]))
    assert [sum(map(CONFORMING, set(bodies))) > 1 for bodies in without_plain] == [False, True]


def ledger(target: Any, **options: Any) -> dict[str, Observed]:
    result = brokerfuzz.fire(target, shrink=0, now=NOW, **options).result
    return {observed.ambiguity.id: observed for observed in result.ambiguities}


def test_the_ledger_lists_the_answers_for_each_ambiguity() -> None:
    def accepts(body: bytes) -> bool:
        if b"@yearly" in body:
            raise RuntimeError
        return CONFORMING(body) and b"@" not in body

    observed = ledger(accepts, tags=["probe:cron-syntax"])["cron-syntax"]
    assert observed.behaviour == "mixed"
    assert observed.unproven == 0
    assert set(observed.examples) == {kind for kind, count in observed.counts.items() if count}


def test_a_rejected_message_shows_a_behaviour_only_if_its_twin_is_accepted() -> None:
    tags = ["probe:cron-syntax"]
    with serving(answering(400)) as url:
        ordinary = ledger(url, tags=tags)
    assert ordinary["cron-syntax"].counts["accepted"] > 15
    at_first = iter([True])
    for observed in ledger(lambda body: next(at_first, False), tags=tags).values():
        assert (observed.counts["rejected"], observed.behaviour) == (0, "unclear")
        assert observed.unproven > 0
