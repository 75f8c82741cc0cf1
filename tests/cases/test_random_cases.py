"""Endless random cases, as `messages(verdicts=...)`, `export --random` and campaigns generate them."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, Case, MessageType, check, load_contract
from brokerfuzz.cases.random_cases import random_cases

NOW = datetime(2025, 1, 1, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
every_message_type = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


def some(message_type: MessageType, count: int, seed: int = 1, **wishes: Any) -> list[Case]:
    return list(islice(random_cases(message_type, seed, now=NOW, **wishes), count))


@cache
def first(message_type: MessageType, count: int = 1000) -> list[Case]:
    return some(message_type, count)


@every_message_type
@sample(1000, 10_000)
def test_every_case_is_judged_from_its_bytes_and_every_fault_has_a_valid_twin(
    message_type: MessageType, size: int
) -> None:
    for case in first(message_type, size):
        assert check(message_type, case.body, now=NOW) == case.verdict
        assert (case.twin is not None) == (case.label == "invalid")
        if case.twin is not None:
            assert check(message_type, case.twin.body, now=NOW).label == "valid"
            assert {broken.rule for broken in case.verdict.broken} == {fault.rule for fault in case.faults}


@every_message_type
def test_all_three_verdicts_and_all_rules_occur(message_type: MessageType) -> None:
    labels = [case.label for case in first(message_type)]
    assert min(labels.count("valid"), labels.count("invalid")) > 250
    assert labels.count("unspecified") > 50
    assert {fault.rule for case in first(message_type) for fault in case.faults} == {
        rule.id for rule in load_contract().rules[message_type]
    }


@every_message_type
@sample(1000, 10_000)
def test_no_message_of_a_shard_occurs_twice(message_type: MessageType, size: int) -> None:
    cases = first(message_type, size)
    assert len({case.id for case in cases}) == len(cases)


@every_message_type
@sample(300, 5000)
def test_shards_of_a_seed_have_few_messages_in_common(message_type: MessageType, size: int) -> None:
    shards = [{case.id for case in some(message_type, size, shard=shard)} for shard in range(4)]
    assert all(len(one & other) < 0.03 * size for one, other in combinations(shards, 2))


def test_messages_are_nested_and_long_and_mostly_below_4_kb() -> None:
    cases = [case for case in first(OFFERS) if case.label == "valid"]
    values = [case.value for case in cases]
    nested = [
        [len(cluster.get("products") or ()) for cluster in value.get("productClusters") or ()] for value in values
    ]
    assert sum(len(sizes) >= 2 and min(sizes) >= 2 for sizes in nested) > 0
    long = {path for value in values for path, size in _arrays(value, "") if size > 10}
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
    earlier = some(message_type, 100, shard=3)
    random.seed(5)  # the global random generator has no influence
    assert [case.id for case in some(message_type, 100, shard=3)] == [case.id for case in earlier]
    assert [case.id for case in some(message_type, 100, seed=2, shard=3)] != [case.id for case in earlier]


def test_the_time_changes_only_cases_that_depend_on_the_clock() -> None:
    then = list(islice(random_cases(OFFERS, 1, now=datetime(2031, 5, 6, tzinfo=UTC)), 600))
    differing = [one for one, other in zip(first(OFFERS)[:600], then, strict=True) if one.body != other.body]
    assert differing
    assert all(any(tag.startswith("now:") for tag in case.tags) for case in differing)
    assert len(differing) < 30


def test_only_selected_cases_occur() -> None:
    rules = [rule for rule in load_contract().rules[OFFERS] if rule.keyword == "minimum"]
    cases = some(OFFERS, 300, verdicts=("invalid",), rules=rules, techniques=["one-below", "zero"])
    assert len({case.id for case in cases}) == 300
    assert {fault.rule for case in cases for fault in case.faults} <= {rule.id for rule in rules}
    assert {fault.technique for case in cases for fault in case.faults} <= {"one-below", "zero"}
    assert {case.label for case in some(OFFERS, 50, verdicts=("unspecified",))} == {"unspecified"}


def test_a_stream_ends_if_only_a_finite_number_of_cases_is_selected() -> None:
    rule = load_contract().rule(f"{OFFERS}/:type")
    null = some(OFFERS, 10, verdicts=("invalid",), rules=(rule,), techniques=["null-instead"])
    assert {case.body for case in null} <= {b"null"}
    assert some(OFFERS, 1, verdicts=()) == some(OFFERS, 1, verdicts=("invalid",), rules=()) == []


@every_message_type
def test_cases_follow_a_changed_contract(message_type: MessageType, tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, message_type, _change)
    cases = some(message_type, 500, contract=contract)
    assert any(b'"extra":7' in case.body for case in cases if case.label == "valid")
    assert any("extra:m" in fault.rule for case in cases for fault in case.faults)


def _change(schema: dict[str, Any]) -> None:
    root = schema["properties"]
    place = root["data"].get("items", root["data"]) if "data" in root else schema
    place["properties"]["extra"] = {"type": "integer", "minimum": 7, "maximum": 2000}
