"""What the catalogue and the essential cases (the default corpus) contain."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any

import pytest

from brokerfuzz import MESSAGE_TYPES, Case, MessageType, load_contract, messages
from brokerfuzz.cases.case import tagged_now
from brokerfuzz.cases.catalogue import LARGEST, catalogue, essentials
from brokerfuzz.cases.covering.goals import Goal, covered, goals_of_message
from brokerfuzz.cases.covering.universe import every_goal

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@lru_cache
def whole(message_type: MessageType) -> Sequence[Case]:
    return tuple(catalogue(message_type, now=NOW))


@lru_cache
def small(message_type: MessageType) -> Sequence[Case]:
    return tuple(essentials(message_type, now=NOW, large=True))


@lru_cache
def goals_of_valid(message_type: MessageType) -> frozenset[Goal]:
    return frozenset(
        goal for case in whole(message_type) if case.label == "valid" for goal in covered(case, load_contract())
    )


def by_rule(cases: Iterable[Case]) -> dict[str, list[Case]]:
    found = defaultdict(list)
    for case in cases:
        if len(case.faults) == 1:
            found[case.faults[0].rule].append(case)
    return found


# ----------------------------------------------------------------------------------------------------------- faults


def test_a_rule_is_broken_in_every_setting_and_at_every_position_in_arrays() -> None:
    broken = by_rule(whole(OFFER))
    for rule in load_contract().rules[OFFER]:
        tags = {tag for case in broken[rule.id] for tag in case.tags}
        assert {"in:complete", "in:unusual", "in:bare", "in:nulls", "in:backwards", "at:only"} <= tags, rule.id
        if "[]" in rule.site:
            assert {"at:eleventh", "at:last", "at:third", "at:middle", "at:first"} <= tags, rule.id


@EVERY_TYPE
def test_both_lists_break_every_rule_by_the_same_techniques(message_type: MessageType) -> None:
    used = [
        {(fault.rule, fault.technique) for case in listed(message_type) for fault in case.faults}
        for listed in (whole, small)
    ]
    assert used[0] - {one for one in used[0] if one[1] == "removed"} <= used[1]
    assert {rule for rule, _ in used[1]} == {rule.id for rule in load_contract().rules[message_type]}


def test_rules_below_product_clusters_are_broken_under_both_kinds_of_offer() -> None:
    broken = by_rule(whole(OFFER))["offer-creation-request/productClusters[].products[].pageCount:minimum"]
    types = {case.value["offerType"] for case in broken}
    assert "Product List" in types
    assert len(types) > 1


def test_the_first_two_hundred_and_fifty_offers_break_every_rule() -> None:
    broken = {fault.rule for case in whole(OFFER)[:250] for fault in case.faults}
    assert broken == {rule.id for rule in load_contract().rules[OFFER]}


# ------------------------------------------------------------------------------------------------------ valid cases

SUMS = {Goal("edge", path, "tiny") for path in ("data.offers[].extendedPrice", "data.totalExtendedPrice")}
"""Sums are rounded to the cent, unless all prices are tiny."""


@EVERY_TYPE
@pytest.mark.parametrize("listed", [whole, small], ids=["catalogue", "essentials"])
def test_every_edge_occurs_in_a_valid_message(message_type: MessageType, listed: Any) -> None:
    shown = {goal for case in listed(message_type) if case.label == "valid" for goal in covered(case, load_contract())}
    wanted = {goal for goal in every_goal(load_contract(), message_type, NOW) if goal.kind == "edge"}
    assert wanted - shown <= SUMS


@EVERY_TYPE
@pytest.mark.rotated(3)
def test_every_pair_of_states_that_random_messages_have_is_in_the_catalogue(message_type: MessageType) -> None:
    met = {goal for goal in goals_of_valid(message_type) if goal.kind == "pair"}
    found = {
        goal
        for message in islice(messages(message_type, 99), 500)
        for goal in goals_of_message(load_contract(), message_type, message)
        if goal.kind == "pair"
    }
    assert found - met == set()


# ------------------------------------------------------------------------------------------------------- essentials


@EVERY_TYPE
def test_each_pair_of_rule_and_technique_is_essential_once(message_type: MessageType) -> None:
    broken = [(fault.rule, fault.technique) for case in small(message_type) for fault in case.faults]
    assert len(broken) == len(set(broken))


@EVERY_TYPE
def test_each_probe_of_the_catalogue_is_essential(message_type: MessageType) -> None:
    def probes(cases: Sequence[Case]) -> set[tuple[str, ...]]:
        return {
            tuple(tag for tag in case.tags if tag.startswith(("probe:", "as:")))
            for case in cases
            if case.label == "unspecified"
        }

    assert probes(whole(message_type)) <= probes(small(message_type))


@EVERY_TYPE
def test_each_essential_twin_is_a_case_and_comes_before_its_faults(message_type: MessageType) -> None:
    seen: set[str] = set()
    for case in small(message_type):
        assert case.twin_id is None or case.twin_id in seen
        seen.add(case.id)
    assert len(seen) == len(small(message_type))


@EVERY_TYPE
def test_large_messages_and_cases_about_the_clock_need_a_request(message_type: MessageType) -> None:
    expected = [case.id for case in small(message_type) if len(case.body) <= LARGEST and tagged_now(case.tags) is None]
    assert [case.id for case in essentials(message_type)] == expected
    assert len(expected) < len(small(message_type))


def test_nearly_all_essential_faults_of_offers_have_only_the_required_properties_beside_them() -> None:
    faults = [case for case in small(OFFER) if case.twin is not None and not case.faults[0].rule.endswith(":json")]
    assert sum(len(case.twin.value) > 3 for case in faults if case.twin is not None) < len(faults) / 50
