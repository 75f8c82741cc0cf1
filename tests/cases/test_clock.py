from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from brokerfuzz import catalogue, check, load_contract
from brokerfuzz.cases.case import Case, tagged_now
from brokerfuzz.cases.clock_coverage import covered_only_with_clock
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.generation.edge_values import EARLIEST_NOW, LATEST_NOW
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType
from brokerfuzz.schemas.contract_files import DATA

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TIMES = (EARLIEST_NOW, LATEST_NOW)
"""The earliest and the latest supported time. If a verdict depends on the time, it is different at one of these
times.
"""
OFFER: MessageType = "offer-creation-request"
SOME = 300
each_type = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@cache
def random_kinds(message_type: MessageType, now: datetime | None) -> Sequence[Case]:
    return [
        *islice(random_cases(message_type, 1, now=now), SOME),
        *islice(random_cases(message_type, 1, now=now), SOME),
    ]


@cache
def every_kind(message_type: MessageType, now: datetime | None) -> Sequence[Case]:
    return [*catalogue(message_type, now=now), *random_kinds(message_type, now)]


def changing(cases: Iterable[Case], contract: Contract | None = None) -> list[Case]:
    """Returns the cases whose verdict is different at one of the `TIMES`."""
    return [
        case
        for case in cases
        if any(
            check(case.message_type, case.body, now=now, headers=case.headers, contract=contract) != case.verdict
            for now in TIMES
        )
    ]


@each_type
@pytest.mark.rotated(3)
def test_each_verdict_that_changes_with_time_has_the_tag(message_type: MessageType) -> None:
    changed = changing(every_kind(message_type, NOW))
    assert bool(changed) is (message_type == OFFER), "only an offer has a timestamp that must not be in the future"
    assert all(tagged_now(case.tags) == NOW for case in changed)


def test_each_fault_with_the_tag_changes_with_time() -> None:
    faults = [case for case in every_kind(OFFER, NOW) if case.faults and tagged_now(case.tags)]
    assert {fault.technique for case in faults for fault in case.faults} >= {"hour-ahead", "past-32-bits"}
    assert len(changing(faults)) == len(faults)


@each_type
def test_without_a_time_no_verdict_changes(message_type: MessageType) -> None:
    cases = random_kinds(message_type, None)
    assert not changing(cases)
    assert not [case for case in cases if tagged_now(case.tags)]


@each_type
def test_the_catalogue_without_a_time_is_the_rest_of_the_catalogue(message_type: MessageType) -> None:
    rest = [case.id for case in catalogue(message_type, now=NOW) if tagged_now(case.tags) is None]
    assert [case.id for case in catalogue(message_type)] == rest


def test_the_rule_about_the_future_is_broken_without_a_time() -> None:
    broken = {
        fault.technique
        for case in every_kind(OFFER, None)
        for fault in case.faults
        if fault.rule.endswith(":not-in-future")
    }
    assert broken == {"last-year-there-is", "last-year-with-offset", "last-year-without-zone", "last-day-there-is"}


@pytest.fixture
def changed_contract(tmp_path: Path) -> Contract:
    """In this contract, the rule `not-in-future` belongs to `availableStartDate` instead of
    `lastUpdatedDateTimeUtc`.
    """
    text = (DATA / "semantics.json").read_text()
    (tmp_path / "semantics.json").write_text(text.replace('"lastUpdatedDateTimeUtc"', '"availableStartDate"'))
    return load_contract(tmp_path)


@pytest.mark.parametrize("only_random", [True, pytest.param(False, marks=pytest.mark.long)])
def test_the_verdicts_of_a_changed_contract_do_not_change_either(changed_contract: Contract, only_random: bool) -> None:
    plan = Plan(message_type=OFFER, count=SOME, only_random=only_random, contract=str(changed_contract.folder))
    cases = [case for _, case in plan.numbered()]
    assert any(fault.rule.endswith("availableStartDate:not-in-future") for case in cases for fault in case.faults)
    assert not changing(cases, changed_contract)


def test_the_techniques_and_ambiguities_that_need_the_time_are_named() -> None:
    needed = covered_only_with_clock(Plan(message_type=OFFER))
    seen = {
        fault.technique
        for case in every_kind(OFFER, NOW)
        if tagged_now(case.tags)
        for fault in case.faults
        if "not-in-future" in fault.rule
    }
    assert set(needed["techniques"]) == seen
    assert needed["ambiguities"] == ["clock-tolerance"]
    assert "rules" not in needed


@pytest.mark.parametrize(
    ("plan", "needed"),
    [
        (Plan(message_type="offer-pricing-response"), {}),
        (Plan(message_type=OFFER, verdicts=("valid",)), {}),
        (Plan(message_type=OFFER, verdicts=("unspecified",)), {"ambiguities": ["clock-tolerance"]}),
        (Plan(message_type=OFFER, rules=("*:minimum",)), {}),
        (
            Plan(message_type=OFFER, techniques=("hour-ahead",)),
            {"rules": [f"{OFFER}/lastUpdatedDateTimeUtc:not-in-future"], "techniques": ["hour-ahead"]},
        ),
        (Plan(message_type=OFFER, techniques=("hour-ahead", "last-year-there-is")), {"techniques": ["hour-ahead"]}),
    ],
    ids=["pricing", "valid", "unspecified", "minimum", "one technique", "two techniques"],
)
def test_only_selected_names_are_reported(plan: Plan, needed: dict[str, list[str]]) -> None:
    assert covered_only_with_clock(plan) == needed
