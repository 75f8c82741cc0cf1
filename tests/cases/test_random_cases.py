"""Endless random messages and cases, as `messages()`, `export --random` and campaigns generate them."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import Any

import pytest
from fixture_types import Run
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, Case, Contract, MessageType, check, load_contract, messages, rules
from brokerfuzz.cases.case import compact
from brokerfuzz.pointers import path_to

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


def test_a_seed_gives_the_same_messages_in_another_process_and_another_seed_others() -> None:
    code = "print([list(islice(messages(name, 7), 20)) for name in MESSAGE_TYPES])"
    imports = "from itertools import islice; from brokerfuzz import MESSAGE_TYPES, messages"
    command = [sys.executable, "-c", f"{imports}; {code}"]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip("\n")
    same, others = (repr([list(islice(messages(name, seed), 20)) for name in MESSAGE_TYPES]) for seed in (7, 8))
    assert there == same != others


def test_the_time_changes_only_cases_that_depend_on_the_clock() -> None:
    then = some(OFFERS, 300, now=datetime(2031, 5, 6, tzinfo=UTC))
    differing = [one for one, other in zip(some(OFFERS, 1000)[:300], then, strict=True) if one.body != other.body]
    assert 0 < len(differing) < 30
    assert all(any(tag.startswith("now:") for tag in case.tags) for case in differing)


def exported(run: Run, *options: str) -> list[dict[str, Any]]:
    result = run("export", "-", "--message", "offer-pricing-response", *options)
    return [json.loads(line) for line in result.stdout.split("\n") if line.startswith("{")]


def test_only_selected_cases_and_their_twins_are_exported_until_there_are_no_more(run: Run) -> None:
    cases = exported(run, "--rule", "data.offers[].quantity", "--technique", "one-*", "--random", "30")
    faults = [fault for case in cases for fault in case.get("faults", ())]
    assert {fault["technique"] for fault in faults} == {"one-below", "one-above"}
    assert {fault["rule"].partition(":")[0] for fault in faults} == {"offer-pricing-response/data.offers[].quantity"}
    twins = {case["twin"] for case in cases if "twin" in case}
    assert all(case["id"] in twins for case in cases[:-1] if "faults" not in case)
    narrow = ("--rule", "*:json", "--technique", "empty-body", "--verdict", "invalid", "--random", "50")
    assert [case["faults"][0]["technique"] for case in exported(run, *narrow)] == ["empty-body"]


# ---------------------------------------------------------------------------------------------------- reachability


def _sites_and_values(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    yield path_to(steps), value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in below:
        yield from _sites_and_values(item, (*steps, step))


@every_message_type
def test_every_site_every_absence_every_null_short_and_long_arrays_and_many_free_values_occur(
    message_type: MessageType,
) -> None:
    sites = load_contract().sites[message_type]
    values: dict[str, list[Any]] = defaultdict(list)
    some = list(islice(messages(message_type, 3), 1_000))
    assert {check(message_type, message).label for message in some[:300]} == {"valid"}
    assert sum(len(compact(message)) < 4096 for message in some) > 0.9 * len(some)
    for message in some:
        for path, value in _sites_and_values(message):
            values[path].append(value)
    for path, site in sites.items():
        present = [value for value in values[path] if value is not None]
        assert present, f"{path} is never present"
        types = site.schema.get("type", ())
        assert "null" not in types or len(present) < len(values[path]), f"{path} is never null"
        if "array" in types:
            sizes = [len(value) for value in present]
            assert (min(sizes), max(sizes) > 10) == (site.schema.get("minItems", 0), True), path
        for name in site.schema.get("properties", ()) if "object" in types else ():
            having = sum(name in value for value in present)
            assert having > 0, f"{path}.{name}"
            assert (having == len(present)) == (name in site.schema.get("required", ())), f"{path}.{name}"
    if message_type == "offer-creation-request":
        types = sites["offerType"].schema["enum"]
        without = {(name, False) for name in types if name != "Product List"}
        found = {(message.get("offerType"), bool(message.get("productClusters"))) for message in some}
        assert found == {(name, True) for name in types} | without
        assert len({message["number"] for message in some}) > 200, "free values are not limited to a few"
