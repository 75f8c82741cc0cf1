"""Endless random cases, as `messages(verdicts=...)`, `export --random` and campaigns generate them."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from fixture_types import Run
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, Case, Contract, MessageType, check, messages, rules

NOW = datetime(2025, 1, 1, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
every_message_type = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@cache
def some(
    message_type: MessageType, count: int = 1000, seed: int = 1, now: datetime = NOW, contract: Contract | None = None
) -> list[Case]:
    stream = messages(message_type, seed, verdicts=["valid", "invalid", "unspecified"], now=now, contract=contract)
    return list(islice(stream, count))


@every_message_type
@sample(1000, 10_000)
def test_every_case_is_judged_from_its_bytes_and_every_fault_has_a_valid_twin(
    message_type: MessageType, size: int
) -> None:
    cases = some(message_type, size)
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert check(message_type, case.body, now=NOW) == case.verdict
        assert (case.twin is not None) == (case.label == "invalid")
        if case.twin is not None:
            assert check(message_type, case.twin.body, now=NOW).label == "valid"
            assert {broken.rule for broken in case.verdict.broken} == {fault.rule for fault in case.faults}


@every_message_type
def test_all_three_verdicts_and_all_rules_occur(message_type: MessageType) -> None:
    labels = [case.label for case in some(message_type, 1000)]
    assert min(labels.count("valid"), labels.count("invalid")) > 250
    assert labels.count("unspecified") > 50
    broken = {fault.rule for case in some(message_type, 1000) for fault in case.faults}
    assert broken == {rule.id for rule in rules(message_type)}


def test_messages_are_nested_and_long_and_mostly_below_4_kb() -> None:
    cases = [case for case in some(OFFERS, 1000) if case.label == "valid"]
    arrays = [dict(_arrays(case.value, "")) for case in cases]
    assert any(sizes.get(".productClusters", 0) >= 2 <= sizes.get(".productClusters[].products", 0) for sizes in arrays)
    long = {path for sizes in arrays for path, size in sizes.items() if size > 10}
    assert {".productClusters", ".productClusters[].products", ".priceClasses"} <= long
    assert sum(len(case.body) < 4096 for case in cases) > 0.9 * len(cases)


def _arrays(value: Any, path: str) -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        for name, prop in value.items():
            yield from _arrays(prop, f"{path}.{name}")
    elif isinstance(value, list):
        yield path, len(value)
        for item in value:
            yield from _arrays(item, f"{path}[]")


@every_message_type
def test_a_seed_gives_the_same_cases_again(message_type: MessageType) -> None:
    earlier = [case.id for case in some(message_type, 1000)[:100]]
    random.seed(5)  # the global random generator has no influence
    assert [case.id for case in some(message_type, 100)] == earlier
    assert [case.id for case in some(message_type, 100, seed=2)] != earlier


def test_the_time_changes_only_cases_that_depend_on_the_clock() -> None:
    then = some(OFFERS, 600, now=datetime(2031, 5, 6, tzinfo=UTC))
    differing = [one for one, other in zip(some(OFFERS, 1000)[:600], then, strict=True) if one.body != other.body]
    assert 0 < len(differing) < 30
    assert all(any(tag.startswith("now:") for tag in case.tags) for case in differing)


@pytest.mark.every(3)
@every_message_type
def test_cases_follow_a_changed_contract(message_type: MessageType, tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        data = schema["properties"].get("data", schema)
        data.get("items", data)["properties"]["extra"] = {"type": "integer", "minimum": 7, "maximum": 2000}

    cases = some(message_type, 300, contract=changed_contract(tmp_path, message_type, change))
    assert any(b'"extra":7' in case.body for case in cases if case.label == "valid")
    assert any("extra:m" in fault.rule for case in cases for fault in case.faults)


def exported(run: Run, *options: str) -> list[dict[str, Any]]:
    result = run("export", "-", "--message", "offer-pricing-response", *options)
    return [json.loads(line) for line in result.stdout.split("\n") if line.startswith("{")]


def test_only_selected_cases_and_their_twins_are_exported_until_there_are_no_more(run: Run) -> None:
    cases = exported(run, "--rule", "data.offers[].quantity", "--technique", "one-*", "--random", "100")
    faults = [fault for case in cases for fault in case.get("faults", ())]
    assert {fault["technique"] for fault in faults} == {"one-below", "one-above"}
    assert {fault["rule"].partition(":")[0] for fault in faults} == {"offer-pricing-response/data.offers[].quantity"}
    twins = {case["twin"] for case in cases if "twin" in case}
    assert all(case["id"] in twins for case in cases[:-1] if "faults" not in case)
    narrow = ("--rule", "*:json", "--technique", "empty-body", "--verdict", "invalid", "--random", "5000")
    assert [case["faults"][0]["technique"] for case in exported(run, *narrow)] == ["empty-body"]
