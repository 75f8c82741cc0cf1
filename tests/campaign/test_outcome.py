import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice, product
from typing import Any

import pytest
from chosen_campaigns import fired
from hand_made_servers import OFFER, Service
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign import CampaignOutcome, Result, Stop
from brokerfuzz.campaign.proof import Proofs
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.schemas import check

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIMIT, LOST, PRESSED = (
    Stop("the time limit was reached", "limit"),
    Stop("the target stopped answering", "target"),
    Stop("interrupted", "interrupt"),
)


def conforming(body: bytes) -> int:
    return 400 if check(OFFER, body, now=NOW).label == "invalid" else 201


def cases(*verdicts: str) -> Iterator[Case]:
    return islice((case for case in catalogue(OFFER, now=NOW) if case.label in verdicts and not case.headers), 200)


TESTED = {("valid", "accepted"): 4, ("valid", "rejected"): 1, ("invalid", "rejected"): 4}


@pytest.mark.parametrize(
    ("counts", "proven", "stop", "state", "reason"),
    [
        (TESTED, 4, None, "complete", ""),
        (TESTED, 4, LIMIT, "complete", ""),
        (TESTED, 4, LOST, "partial", "the target stopped answering"),
        (TESTED, 4, PRESSED, "partial", "interrupted"),
        ({}, 0, None, "untested", "no case was sent"),
        ({}, 0, PRESSED, "untested", "no case was sent; interrupted"),
        ({}, 0, LIMIT, "untested", "no case was sent; the time limit was reached"),
        (
            {("valid", "rejected"): 5},
            0,
            LOST,
            "untested",
            "no valid message was accepted; the target stopped answering",
        ),
        (TESTED, 0, None, "untested", "no rejection was proven"),
        ({("invalid", "rejected"): 9}, 1, None, "complete", ""),
        ({("valid", "accepted"): 9}, 0, None, "complete", ""),
    ],
)
def test_the_first_state_that_applies_counts(
    counts: Any, proven: int, stop: Stop | None, state: str, reason: str
) -> None:
    cases = sum(counts.values())
    result = Result("a target", counts, (), (), cases, cases, 1.0, stop, proofs=Proofs(proven=proven))
    assert (result.outcome.state, result.outcome.reason) == (state, reason)


_outcomes = st.builds(
    CampaignOutcome,
    state=st.sampled_from(("complete", "partial", "untested")),
    reason=st.just("a reason"),
    new=st.integers(0, 3),
    known=st.integers(0, 3),
    unproven=st.integers(0, 3),
    interrupted=st.booleans(),
    unwritten=st.lists(st.just("a.md cannot be written"), max_size=2).map(tuple),
)


@given(_outcomes)
def test_status_0_means_complete_without_new_findings_and_with_all_reports(outcome: CampaignOutcome) -> None:
    fine = outcome.state == "complete" and not outcome.new and not outcome.interrupted and not outcome.unwritten
    assert (outcome.status == 0) == fine
    assert outcome.status in (0, 1, 2, 130)
    assert (outcome.status == 130) == outcome.interrupted
    assert outcome.interrupted or (outcome.status == 1) == bool(outcome.new)


@given(_outcomes)
def test_the_first_line_names_everything_that_limits_the_result(outcome: CampaignOutcome) -> None:
    line = outcome.headline
    assert outcome.state == "complete" or line.startswith(f"{outcome.state} (a reason): ")
    assert ("unproven" in line) == bool(outcome.unproven)
    assert ("known" in line) == bool(outcome.known)
    assert ("not written" in line) == bool(outcome.unwritten)
    assert outcome.new or "no " in line


def _answer(status: int, _: object) -> int:
    return status


def test_every_combination_of_verdict_and_answer_has_an_outcome() -> None:
    for label, status in product(("valid", "invalid", "unspecified"), (201, 400, 500)):
        service = Service(partial(_answer, status))
        outcome = fired(list(cases(label))[:5], service, shrink=0.0).outcome
        assert json.dumps([outcome.state, outcome.headline, outcome.status])
