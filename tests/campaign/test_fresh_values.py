"""New numbers for each message, and what a target does with a number that it already knows."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import OFFER, Behaviour, conforming, response, serving

import brokerfuzz
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.cases.spellings import SPELLINGS
from brokerfuzz.schemas.headers import carried

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
JUDGE: Final = Judge(now=NOW)
NOTATIONS: Final = {f"edge:{name}" for name in SPELLINGS} | {
    "probe:byte-order-mark", "probe:duplicate-properties", "probe:encoding.utf-16", "probe:encoding.utf-32",
    "probe:content-encoding",
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
    assert len(valid) > 800


def test_every_notation_of_a_message_gets_a_fresh_number() -> None:
    for case in cases():
        if NOTATIONS & set(case.tags):
            body = FreshValues("number", JUDGE.of).of(case, case.body)
            before, after = carried(case.body, case.headers), carried(body, case.headers)
            numbers = [json.loads(message)["number"] for message in (before, after)]
            assert numbers[1] != numbers[0] or not isinstance(numbers[0], str), case
            assert json.detect_encoding(after) == json.detect_encoding(before), case
            assert after[:3] == before[:3], case


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


@pytest.mark.parametrize(
    "body",
    [b"", b"[1]", b"no json", b'[{"number":"A"}]', b'{"number":7,"offerType":"Email"}', b'{"number":""}', b"\xff"],
)
def test_a_message_is_not_changed_if_the_change_could_matter(body: bytes) -> None:
    case = Case.judged(OFFER, body, now=NOW)
    assert FreshValues("number", JUDGE.of).of(case, body) == body


# ---------------------------------------------------------------------------------------------------- known numbers

Store = Callable[[dict[str, int], str], bytes]
SOME: Final = ("--rule", "*orderMinimum:minimum", "--technique", "one-below", "--shrink", "off", "--fresh", "number")


def created(stored: dict[str, int], number: str) -> bytes:
    stored[number] = stored.get(number, 0) + 1
    return response(201, b'{"id": %d}' % sum(stored.values()))


def idempotent(stored: dict[str, int], number: str) -> bytes:
    return response(201, b'{"id": %d}' % stored.setdefault(number, len(stored)))


def unique(stored: dict[str, int], number: str) -> bytes:
    return response(409) if number in stored else created(stored, number)


def crashing(stored: dict[str, int], number: str) -> bytes:
    return response(500) if number in stored else created(stored, number)


def serves(store: Store) -> Behaviour:
    stored: dict[str, int] = {}

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(store(stored, json.loads(body)["number"]) if conforming(body) == 201 else response(422))

    return behave


@pytest.mark.parametrize(
    ("store", "behaviour", "kind"),
    [
        (created, "created again", "accepted"),
        (idempotent, "same answer", "accepted"),
        (unique, "rejected", "rejected"),
        (lambda stored, number: response(201), "accepted", "accepted"),
    ],
)
def test_the_reports_show_what_the_target_does_with_a_known_number(
    store: Store, behaviour: str, kind: str, tmp_path: Path
) -> None:
    reports = [tmp_path / f"report.{suffix}" for suffix in ("json", "md", "html")]
    options: Any = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"], "shrink": 0}
    with serving(serves(store)) as url:
        result = brokerfuzz.fire(url, fresh="number", reports=reports, **options).result
    (observed,) = (one for one in result.ambiguities if one.ambiguity.id == "repeated-number")
    assert (observed.behaviour, result.findings) == (behaviour, ())
    assert {answer for answer, count in observed.counts.items() if count} == {kind}
    assert all("repeated-number" in report.read_text() for report in reports)


def test_a_crash_at_the_second_offer_is_a_finding_that_can_be_replayed(run: Run, folder: Path) -> None:
    baseline = ("--baseline", "known.json")
    with serving(serves(crashing)) as url:
        done = run("fire", url, *SOME, "--report", "report.json", *baseline, "--baseline-update", "--json")
        replayed = run("replay", "report.json", url)
        known = run("fire", url, *SOME, *baseline)
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["kind"] == "repeated-crash"
    said = "crashed (status 500) when it got the same message again that it had accepted before"
    assert finding["sentence"].startswith(said)
    assert finding["reproduce"].count("curl") == 2
    assert replayed.stdout.startswith("still there (crashed: status 500)")
    assert (known.exit_code, known.stdout.startswith("no new findings (1 known)")) == (0, True)
    with serving(serves(unique)) as url:
        assert "1 of 1 finding is gone" in run("replay", "report.json", url).stdout
