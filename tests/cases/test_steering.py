import random
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from sampled import sample

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_decoder import random_cases
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.steering import steered_cases
from brokerfuzz.cases.steering.memory import Memory
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract

NOW = datetime(2025, 1, 1, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
every_message_type = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


def some(message_type: MessageType, count: int, seed: int = 1, **wishes: Any) -> list[Case]:
    return list(islice(steered_cases(message_type, seed, now=NOW, **wishes), count))


@cache
def first(message_type: MessageType, count: int = 1000) -> list[Case]:
    return some(message_type, count)


@every_message_type
@sample(1000, 10_000)
def test_every_case_is_judged_from_its_bytes(message_type: MessageType, size: int) -> None:
    for case in first(message_type, size):
        assert check(message_type, case.body, now=NOW) == case.verdict
        if case.twin is not None:
            assert check(message_type, case.twin.body, now=NOW).label == "valid"


@every_message_type
def test_single_faults_have_a_twin_and_double_faults_break_two_rules(message_type: MessageType) -> None:
    cases = [case for case in first(message_type) if case.label == "invalid"]
    single, double = ([case for case in cases if len(case.faults) == number] for number in (1, 2))
    assert len(single) + len(double) == len(cases)
    assert len(single) > 300
    assert len(double) > 150
    assert all(case.twin is not None for case in single)
    assert all(case.twin is None for case in double)
    for case in double:
        one, other = case.faults
        assert {broken.rule for broken in case.verdict.broken} == {one.rule, other.rule}
        assert one.rule != other.rule
        assert one.at != other.at


@every_message_type
def test_all_three_verdicts_occur(message_type: MessageType) -> None:
    labels = [case.label for case in first(message_type)]
    assert min(labels.count("valid"), labels.count("invalid")) > 250
    assert labels.count("unspecified") > 50


@every_message_type
@sample(1000, 10_000)
def test_no_message_occurs_twice_or_in_the_catalogue(message_type: MessageType, size: int) -> None:
    cases = first(message_type, size)
    given = {case.id for case in cases}
    assert len(given) == len(cases)
    assert not given & {case.id for case in catalogue(message_type, now=NOW)}


@every_message_type
@sample(300, 5000)
def test_shards_of_a_seed_have_no_message_in_common(message_type: MessageType, size: int) -> None:
    shards = [{case.id for case in some(message_type, size, shard=shard)} for shard in range(4)]
    assert all(not one & other for one, other in combinations(shards, 2))


@every_message_type
@sample(500, 2500)
def test_few_messages_differ_only_in_their_marks(message_type: MessageType, size: int) -> None:
    cases = [case for shard in range(2) for case in some(message_type, size, shard=shard)]
    assert len({_unmarked(case.body) for case in cases}) > 0.98 * len(cases)


def _unmarked(body: bytes) -> bytes:
    return re.sub(rb"m1\.[0-9a-f]+\.[0-9a-f]+", b"m", body)


def test_messages_are_nested_and_long_and_mostly_below_4_kb() -> None:
    cases = [case for case in first(OFFERS) if case.label == "valid"]
    values = [case.value for case in cases]
    nested = [[len(cluster.get("products") or ()) for cluster in value.get("productClusters") or ()] for value in values]
    assert sum(len(sizes) >= 2 and min(sizes) >= 2 for sizes in nested) > 20
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
def test_arrays_with_more_than_ten_items_occur(message_type: MessageType) -> None:
    assert any(size > 10 for case in first(message_type) if case.label == "valid" for _, size in _arrays(case.value, ""))


def test_many_properties_are_at_an_edge_at_the_same_time() -> None:
    contract = load_contract()
    shown = [
        sum(goal.kind == "edge" and goal.name not in ("absent", "null") for goal in covered(case, contract))
        for case in some(OFFERS, 500, verdicts=("valid",))
    ]
    assert sum(number > 40 for number in shown) > 50


@pytest.mark.parametrize(("message_type", "margin"), [(OFFERS, 1.5), ("product-list-response", 1.3), ("offer-pricing-response", 1.3)])
def test_steering_reaches_more_than_chance(message_type: MessageType, margin: float) -> None:
    steered, unsteered = first(message_type), list(islice(random_cases(message_type, 1, now=NOW), 1000))
    assert len(_ways(steered)) > margin * len(_ways(unsteered))
    assert len(_pairs(steered)) > 100
    assert {rule for rule, _ in _ways(steered)} == {rule.id for rule in load_contract().rules[message_type]}


def _ways(cases: Iterable[Case]) -> set[tuple[str, str]]:
    return {(fault.rule, fault.technique) for case in cases for fault in case.faults}


def _pairs(cases: Iterable[Case]) -> set[frozenset[str]]:
    return {frozenset(fault.rule for fault in case.faults) for case in cases if len(case.faults) == 2}


def test_steering_reaches_more_pairs_of_edges_than_chance() -> None:
    pairs = [len(_edge_pairs(islice(cases, 300))) for cases in (first(OFFERS), random_cases(OFFERS, 1, now=NOW))]
    assert pairs[0] > 1.1 * pairs[1]


def _edge_pairs(cases: Iterable[Case]) -> set[tuple[Any, Any]]:
    contract = load_contract()
    found: set[tuple[Any, Any]] = set()
    for case in cases:
        edges = sorted(goal for goal in covered(case, contract) if goal.kind == "edge") if case.label == "valid" else []
        found.update((one, other) for one, other in combinations(edges, 2) if one.site != other.site)
    return found


@every_message_type
def test_a_seed_gives_the_same_cases_again(message_type: MessageType) -> None:
    earlier = some(message_type, 100, shard=3)
    random.seed(5)  # the global random generator has no influence
    assert [case.id for case in some(message_type, 100, shard=3)] == [case.id for case in earlier]
    assert [case.id for case in some(message_type, 100, seed=2, shard=3)] != [case.id for case in earlier]


DIGESTS = {
    "offer-creation-request": "5c9a82f9e05c339f",
    "product-list-response": "b15fa2230c4cfafd",
    "offer-pricing-response": "bd19fc6029e9b05a",
}


@every_message_type
def test_the_bytes_of_a_seed_do_not_change(message_type: MessageType) -> None:
    digest = sha256(b"\n".join(case.body for case in first(message_type)[:300])).hexdigest()[:16]
    assert digest == DIGESTS[message_type], "if a seed gives other cases on purpose, add a line to the changelog"


def test_the_time_changes_only_cases_that_depend_on_the_clock() -> None:
    then = list(islice(steered_cases(OFFERS, 1, now=datetime(2031, 5, 6, tzinfo=UTC)), 600))
    differing = [one for one, other in zip(first(OFFERS)[:600], then, strict=True) if one.body != other.body]
    assert differing
    assert all(any(tag.startswith("now:") for tag in case.tags) for case in differing)
    assert len(differing) < 30


def test_only_selected_cases_occur() -> None:
    rules = tuple(rule for rule in load_contract().rules[OFFERS] if rule.keyword == "minimum")
    cases = some(OFFERS, 300, verdicts=("invalid",), rules=rules, techniques=frozenset(["one-below", "zero"]))
    assert len({case.id for case in cases}) == 300
    assert {fault.rule for case in cases for fault in case.faults} <= {rule.id for rule in rules}
    assert {fault.technique for case in cases for fault in case.faults} <= {"one-below", "zero"}
    assert {case.label for case in some(OFFERS, 50, verdicts=("unspecified",))} == {"unspecified"}


def test_a_stream_ends_if_only_a_finite_number_of_cases_is_selected() -> None:
    rule = load_contract().rule(f"{OFFERS}/:type")
    assert some(OFFERS, 1, verdicts=("invalid",), rules=(rule,), techniques=frozenset(["null-instead", "empty-string"])) == []
    assert some(OFFERS, 1, verdicts=()) == some(OFFERS, 1, verdicts=("invalid",), rules=()) == []


@every_message_type
@pytest.mark.rotated(3)
def test_steered_cases_follow_a_changed_contract(message_type: MessageType, tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, message_type, _change)
    cases = some(message_type, 500, contract=contract)
    assert len({case.id for case in cases}) == 500
    assert any(b'"extra":7' in case.body for case in cases if case.label == "valid")
    assert any("extra:m" in fault.rule for case in cases for fault in case.faults)


def _change(schema: dict[str, Any]) -> None:
    root = schema["properties"]
    place = root["data"].get("items", root["data"]) if "data" in root else schema
    place["properties"]["extra"] = {"type": "integer", "minimum": 7, "maximum": 2000}


def test_no_message_occurs_twice_without_marks(tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema.clear()
        numbers = {name: {"type": ["integer", "null"]} for name in "abcdef"}
        schema.update({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": numbers})

    contract = changed_contract(tmp_path, OFFERS, change)
    cases = some(OFFERS, 1000, contract=contract)
    assert len({case.id for case in cases}) == 1000
    assert not {case.id for case in cases} & {case.id for case in catalogue(OFFERS, now=NOW, contract=contract)}


def test_a_memory_contains_learnt_messages_and_the_catalogue() -> None:
    memory = Memory(lambda: catalogue("offer-pricing-response", now=NOW))
    known = next(catalogue("offer-pricing-response", now=NOW))
    assert not memory.learn(known.body)
    assert memory.learn(b"{}  ")
    assert not memory.learn(b"{}  ")
