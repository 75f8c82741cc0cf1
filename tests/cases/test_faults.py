from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fault_variations import NEIGHBOURS, placements
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.pointers import escape
from brokerfuzz.schemas import MESSAGE_TYPES, Rule, check, load_contract
from brokerfuzz.schemas.sites import JSON_RULE

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULES = [rule for message_type in MESSAGE_TYPES for rule in load_contract().rules[message_type]]
MAKERS = {message_type: FaultMaker(load_contract(), message_type, NOW) for message_type in MESSAGE_TYPES}
_made: dict[str, list[Case]] = {}


def faults(rule: Rule) -> list[Case]:
    if rule.id not in _made:
        _made[rule.id] = list(MAKERS[rule.message_type].of_rule(rule))
    return _made[rule.id]


def test_a_rule_is_broken_by_two_techniques_or_more_or_in_several_settings() -> None:
    ways = {rule: {(case.faults[0].technique, tag) for case in faults(rule) for tag in case.tags if tag.startswith("in:")} for rule in RULES}
    assert [rule.id for rule in RULES if len(ways[rule]) < 4 and rule.keyword != JSON_RULE] == []


def test_a_rule_is_broken_in_every_setting() -> None:
    every = {neighbours.tag for neighbours in NEIGHBOURS}
    assert [rule.id for rule in RULES if {tag for case in faults(rule) for tag in case.tags if tag.startswith("in:")} != every] == []


def test_a_fault_breaks_its_rule_at_its_place_and_no_other() -> None:
    for rule in RULES:
        assert faults(rule), rule.id
        for case in faults(rule):
            verdict = check(case.message_type, case.body, now=NOW)
            assert verdict.label == "invalid", case.faults
            assert {(broken.rule, broken.at) for broken in verdict.broken} == {(rule.id, case.faults[0].at)}, case.faults


def test_a_twin_is_valid_and_differs_only_at_the_place_of_the_fault() -> None:
    for rule in RULES:
        for case in faults(rule):
            assert case.twin is not None, case.faults
            assert check(case.message_type, case.twin.body, now=NOW).label == "valid", case.faults
            if rule.keyword != JSON_RULE:
                assert differences(case.twin.value, case.value) == [case.faults[0].at], case.faults


def differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Returns JSON Pointers of differences. If several parts of an object or an array differ, returns only the pointer of this object or array."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = [*one, *(name for name in other if name not in one)]
        below = {n: f"{at}/{escape(n)}" for n in names}
        found = [differences(one[n], other[n], below[n]) if n in one and n in other else [below[n]] for n in names]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = [differences(a, b, f"{at}/{i}") for i, (a, b) in enumerate(zip(one, other, strict=True))]
    else:
        return [] if one == other and type(one) is type(other) else [at]
    places = [place for part in found for place in part]
    return [at] if len(places) > 1 else places


def test_a_fault_in_arrays_is_tried_at_every_placement() -> None:
    tags = {rule: {tag for case in faults(rule) for tag in case.tags} for rule in RULES}
    assert [rule.id for rule in RULES if not {placement.tag for placement in placements(rule.site)} <= tags[rule]] == []


def test_every_technique_breaks_some_rule() -> None:
    used = defaultdict(set)
    for rule in RULES:
        for case in faults(rule):
            used[case.faults[0].technique].add(rule.keyword)
    # This contract has no exclusive bounds, multiples, maximum lengths, maximum item counts, unique items or patterns.
    for_other_contracts = {"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxLength", "maxItems", "uniqueItems", "pattern", "format"}
    idle = [technique.name for technique in TECHNIQUES.values() if technique.name not in used and not technique.keywords <= for_other_contracts]
    assert set(idle) <= {"one-item-fewer", "zero"}  # no array needs two items; zero is the same as one below the minimum


def test_every_technique_has_a_description_of_one_line() -> None:
    for technique in TECHNIQUES.values():
        assert technique.text.endswith("."), technique.name
        assert technique.keywords


def test_rules_below_product_clusters_are_broken_under_both_kinds_of_offer() -> None:
    rule = load_contract().rule("offer-creation-request/productClusters[].products[].pageCount:minimum")
    types = {case.value["offerType"] for case in faults(rule)}
    assert "Product List" in types
    assert len(types) > 1
