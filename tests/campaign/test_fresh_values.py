"""New numbers for each message."""

import json
from datetime import UTC, datetime
from functools import cache
from typing import Final

import pytest
from hand_made_servers import OFFER

from brokerfuzz.campaign.judge import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.cases.valid_cases import REWRITINGS

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
JUDGE: Final = Judge(now=NOW)
NOTATIONS: Final = {f"edge:{name}" for name in REWRITINGS} | {
    "probe:byte-order-mark", "probe:duplicate-properties", "probe:encoding.utf-16", "probe:encoding.utf-32",
}  # fmt: skip
"""The tags of cases about the notation of a message: white space, escapes, encodings, and repeated properties."""


@cache
def cases() -> tuple[Case, ...]:
    return tuple(catalogue(OFFER, now=NOW))


def test_every_valid_message_gets_a_fresh_number_and_keeps_its_notation() -> None:
    fresh, seen = FreshValues("number", JUDGE.of), set[str]()
    valid = [case for case in cases() if case.label == "valid"]
    for case in valid:
        body = fresh.of(case, case.body)
        before, after = json.loads(case.body)["number"], json.loads(body)["number"]
        assert after not in seen, case
        seen.add(after)
        if len(before) < 100:
            assert body.replace(after.removeprefix(before).encode(), b"") == case.body
    assert len(valid) > 500


def test_every_notation_of_a_message_gets_a_fresh_number() -> None:
    for case in cases():
        if NOTATIONS & set(case.tags):
            body = FreshValues("number", JUDGE.of).of(case, case.body)
            before, after = (json.loads(message)["number"] for message in (case.body, body))
            assert after != before or not isinstance(before, str), case
            assert json.detect_encoding(body) == json.detect_encoding(case.body), case
            assert body[:3] == case.body[:3], case


def test_a_fresh_value_does_not_change_the_verdict() -> None:
    fresh = FreshValues("number", JUDGE.of)
    for case in cases()[::25]:
        verdict, other = JUDGE.of(case, case.body), JUDGE.of(case, fresh.of(case, case.body))
        assert verdict.label == other.label
        assert {entry.rule for entry in verdict.broken} == {entry.rule for entry in other.broken}


def test_a_repeated_property_keeps_its_values_equal() -> None:
    body = b'{"number":"A","number" : "A", "n\\u0075mber":"B","offerType":"Email","x":{"number":"C"}}'
    case = Case.judged(OFFER, body, now=NOW)
    values = json.loads(FreshValues("number", JUDGE.of).of(case, body), object_pairs_hook=lambda pairs: pairs)
    first, second, third = (value for name, value in values if name == "number")
    assert first == second != "A"
    assert third.startswith("B-")
    assert dict(values)["x"] == [("number", "C")]


def test_a_long_number_with_half_of_a_surrogate_pair_becomes_a_fresh_one() -> None:
    body = b'{"number":"\\ud800%b","offerType":"Email"}' % (b"A" * 150)
    case = Case.judged(OFFER, body, now=NOW)
    before, after = (json.loads(text)["number"] for text in (body, FreshValues("number", JUDGE.of).of(case, body)))
    assert len(after) == len(before)
    assert after != before


@pytest.mark.parametrize(
    "body",
    [b"", b"[1]", b"no json", b'[{"number":"A"}]', b'{"number":7,"offerType":"Email"}', b'{"number":""}', b"\xff"],
)
def test_a_message_is_not_changed_if_the_change_could_matter(body: bytes) -> None:
    case = Case.judged(OFFER, body, now=NOW)
    assert FreshValues("number", JUDGE.of).of(case, body) == body
