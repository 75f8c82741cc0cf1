"""Fresh values, for targets that reject repeated values."""

import json
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import Final

import pytest
from hand_made_servers import Service
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign import Options, fire
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.schemas import check

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
JUDGE = Judge(now=NOW)


@cache
def cases_of_the_catalogue() -> list[Case]:
    return list(islice(catalogue(OFFER, now=NOW), 800))


class Remembering(Service):
    """Rejects a number that it has accepted before."""

    def __init__(self) -> None:
        super().__init__(self.judge)
        self.known_numbers: set[str] = set()

    def judge(self, body: bytes) -> int:
        if check(OFFER, body, now=NOW).label == "invalid":
            return 400
        number = json.loads(body)["number"]
        if number in self.known_numbers:
            return 409
        self.known_numbers.add(number)
        return 201


def test_a_target_that_rejects_repeated_numbers_has_no_finding_with_fresh_numbers() -> None:
    cases = [case for case in cases_of_the_catalogue() if case.label != "unspecified"]
    assert len(fire(cases, Remembering(), Options(now=NOW, shrink_requests=0)).findings) >= 1
    result = fire(cases, Remembering(), Options(now=NOW, fresh="number"))
    assert result.findings == ()
    assert result.unproven == 0


def test_a_finding_is_shrunk_with_fresh_numbers() -> None:
    class Wrong(Remembering):
        def judge(self, body: bytes) -> int:
            return 201 if b'"orderMinimum":0' in body else super().judge(body)

    cases = [case for case in catalogue(OFFER, now=NOW) if b'"orderMinimum":0' in case.body and len(case.faults) == 1]
    (finding,) = fire([case for case in cases if "minimum" in case.faults[0].rule], Wrong(), Options(now=NOW, fresh="number")).findings
    assert finding.body == b'{"number":"0","offerType":"Direct Mail","orderMinimum":0}'
    assert not finding.flaky


@given(st.deferred(lambda: st.sampled_from(cases_of_the_catalogue())))
def test_a_fresh_value_does_not_change_the_verdict(case: Case) -> None:
    fresh = FreshValues("number", JUDGE.of).of(case, case.body)
    verdict, other = JUDGE.of(case, case.body), JUDGE.of(case, fresh)
    assert verdict.label == other.label
    assert {entry.rule for entry in verdict.broken} == {entry.rule for entry in other.broken}


def test_no_fresh_value_is_used_twice() -> None:
    fresh = FreshValues("number", JUDGE.of)
    case = Case.judged(OFFER, b'{"number":"A","offerType":"Email"}', now=NOW)
    sent = [fresh.of(case, case.body) for _ in range(100)]
    assert len(set(sent)) == 100
    assert all(json.loads(body)["number"].startswith("A-") for body in sent)


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b"no json", b'{"number": "A","offerType":"Email"}', b'{"number":7,"offerType":"Email"}', b'{"number":""}', b"\xff"]
)
def test_a_message_is_not_changed_if_the_change_could_matter(body: bytes) -> None:
    case = Case.judged(OFFER, body, now=NOW)
    assert FreshValues("number", JUDGE.of).of(case, body) == body
