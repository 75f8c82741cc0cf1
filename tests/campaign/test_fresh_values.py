import json
from datetime import UTC, datetime
from functools import cache
from itertools import islice

import pytest
from chosen_campaigns import fired
from hand_made_servers import OFFER, Service
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.cases.spellings import SPELLINGS
from brokerfuzz.schemas import check
from brokerfuzz.schemas.headers import carried

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
JUDGE = Judge(now=NOW)


@cache
def cases_of_the_catalogue() -> list[Case]:
    return list(islice(catalogue(OFFER, now=NOW), 800))


class Remembering(Service):
    """Rejects an offer whose number it has accepted before."""

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


@cache
def notations() -> list[Case]:
    """Returns the cases about the notation of a message: white space, escapes, encodings, and repeated properties."""
    probes = {
        f"probe:{name}"
        for name in (
            "byte-order-mark",
            "duplicate-properties",
            "encoding.utf-16",
            "encoding.utf-32",
            "content-encoding",
        )
    }
    wanted = {f"edge:{name}" for name in SPELLINGS} | probes
    return [case for case in catalogue(OFFER, now=NOW) if wanted & set(case.tags)]


def test_every_valid_message_gets_a_fresh_number_and_keeps_its_notation() -> None:
    fresh, seen = FreshValues("number", JUDGE.of), set[str]()
    valid = [case for case in catalogue(OFFER, now=NOW) if case.label == "valid"]
    for case in valid:
        body = fresh.of(case, case.body)
        before, after = json.loads(case.body)["number"], json.loads(body)["number"]
        assert after not in seen, case
        seen.add(after)
        suffix = after.removeprefix(before)
        if len(before) < 100:
            assert body.replace(suffix.encode(), b"") == case.body
    assert len(valid) > 800


def test_every_notation_of_a_message_gets_a_fresh_number() -> None:
    for case in notations():
        body = FreshValues("number", JUDGE.of).of(case, case.body)
        before, after = carried(case.body, case.headers), carried(body, case.headers)
        numbers = [json.loads(message)["number"] for message in (before, after)]
        if isinstance(numbers[0], str):
            assert numbers[1] != numbers[0], case
        assert json.detect_encoding(after) == json.detect_encoding(before), case
        assert after[:3] == before[:3], case


def test_a_target_that_rejects_repeated_numbers_has_no_finding_with_fresh_numbers() -> None:
    cases = [case for case in (*cases_of_the_catalogue(), *notations()) if case.label != "unspecified"]
    assert len(fired(cases, Remembering(), shrink=0.0).findings) >= 1
    result = fired(cases, Remembering(), fresh="number")
    assert result.findings == ()
    assert result.unproven == 0


def test_a_finding_is_shrunk_with_fresh_numbers() -> None:
    class Wrong(Remembering):
        def judge(self, body: bytes) -> int:
            return 201 if b'"orderMinimum":0' in body else super().judge(body)

    cases = [case for case in catalogue(OFFER, now=NOW) if b'"orderMinimum":0' in case.body and len(case.faults) == 1]
    (finding,) = fired([case for case in cases if "minimum" in case.faults[0].rule], Wrong(), fresh="number").findings
    assert finding.body == b'{"number":"0","offerType":"Direct Mail","orderMinimum":0}'
    assert not finding.flaky


@given(st.deferred(lambda: st.sampled_from(cases_of_the_catalogue())))
def test_a_fresh_value_does_not_change_the_verdict(case: Case) -> None:
    fresh = FreshValues("number", JUDGE.of).of(case, case.body)
    verdict, other = JUDGE.of(case, case.body), JUDGE.of(case, fresh)
    assert verdict.label == other.label
    assert {entry.rule for entry in verdict.broken} == {entry.rule for entry in other.broken}


def test_the_finding_of_another_rejection_does_not_end_with_a_repeated_number() -> None:
    class Wrong(Remembering):
        def judge(self, body: bytes) -> int:
            return 422 if b"comments" in body else super().judge(body)

    cases = [case for case in (*notations(), *cases_of_the_catalogue()) if case.label == "valid"][:300]
    findings = fired(cases, Wrong(), fresh="number").findings
    assert {finding.answer.status for finding in findings} == {422}
    assert all(b"comments" in finding.body for finding in findings)


def test_a_repeated_property_keeps_its_values_equal() -> None:
    body = b'{"number":"A","number" : "A", "n\\u0075mber":"B","offerType":"Email","x":{"number":"C"}}'
    case = Case(OFFER, body, check(OFFER, body, now=NOW))
    values = json.loads(FreshValues("number", JUDGE.of).of(case, body), object_pairs_hook=lambda pairs: pairs)
    first, second, third = (value for name, value in values if name == "number")
    assert first == second != "A"
    assert third.startswith("B-")
    assert dict(values)["x"] == [("number", "C")]


def test_no_fresh_value_is_used_twice() -> None:
    fresh = FreshValues("number", JUDGE.of)
    case = Case.judged(OFFER, b'{"number":"A","offerType":"Email"}', now=NOW)
    sent = [fresh.of(case, case.body) for _ in range(100)]
    assert len(set(sent)) == 100
    assert all(json.loads(body)["number"].startswith("A-") for body in sent)


@pytest.mark.parametrize(
    "body",
    [b"", b"[1]", b"no json", b'[{"number":"A"}]', b'{"number":7,"offerType":"Email"}', b'{"number":""}', b"\xff"],
)
def test_a_message_is_not_changed_if_the_change_could_matter(body: bytes) -> None:
    case = Case.judged(OFFER, body, now=NOW)
    assert FreshValues("number", JUDGE.of).of(case, body) == body
