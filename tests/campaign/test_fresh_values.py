"""New numbers for each message."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from behaviours import OFFER
from fixture_types import Run

from brokerfuzz import catalogue
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.corpus import read

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
JUDGE: Final = Judge(now=NOW)


def test_an_export_with_fresh_numbers_changes_neither_the_notation_nor_the_verdict(run: Run, folder: Path) -> None:
    chosen = ("--message", OFFER, "--full", "--verdict", "valid", "--verdict", "unspecified")
    run("export", "fresh.ndjson", *chosen, "--fresh", "number")
    usual, numbers = list(catalogue(OFFER, verdicts=["valid", "unspecified"])), set[str]()
    for case, fresh in zip(usual, read("fresh.ndjson"), strict=True):
        assert fresh.body != case.body
        assert (fresh.label, fresh.body[:3]) == (case.label, case.body[:3])
        assert json.detect_encoding(fresh.body) == json.detect_encoding(case.body)
        if case.label == "valid":
            before, after = json.loads(case.body)["number"], json.loads(fresh.body)["number"]
            assert after not in numbers
            numbers.add(after)
            assert len(before) >= 100 or fresh.body.replace(after.removeprefix(before).encode(), b"") == case.body
    assert len(numbers) > 400


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
