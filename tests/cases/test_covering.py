from datetime import UTC, datetime
from functools import lru_cache
from itertools import combinations, product

import pytest
from contracts import changed_contract
from hypothesis import given, settings
from hypothesis import strategies as st

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.catalogue_order import WeightedGoals, by_cover
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.covering.goals import Goal, covered
from brokerfuzz.cases.covering.states import states
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import MessagePlan, build
from brokerfuzz.cases.pairs import PairMaker, combinations_of, impossible, possible, strength_at
from brokerfuzz.errors import StrengthError, UnknownNameError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@lru_cache
def listed(message_type: MessageType) -> tuple[Case, ...]:
    return tuple(catalogue(message_type, now=NOW))


@lru_cache
def goals(message_type: MessageType) -> frozenset[Goal]:
    return frozenset(goal for case in listed(message_type) for goal in covered(case, load_contract()))


# ------------------------------------------------------------------------------------------------------------ edges


@EVERY_TYPE
def test_every_edge_of_every_place_occurs_in_a_valid_message(message_type: MessageType) -> None:
    known = edges(load_contract(), message_type)
    wanted = {Goal("edge", site.path, edge) for site in load_contract().sites[message_type].values() for edge in known.at(site)}
    sums = {Goal("edge", path, "tiny") for path in ("data.offers[].extendedPrice", "data.totalExtendedPrice")}  # sums are rounded to the cent
    assert wanted - goals(message_type) <= sums


def test_edges_are_recognised_in_values() -> None:
    known = edges(load_contract(), OFFER)
    shown = {value: known.of("description", value) for value in ("", "  ", " a ", "\U0001f9ea", "e\u0301", "'", "\\", "<b>", "12", "null", "plain")}
    assert shown == {
        "": ["empty"], "  ": ["blank"], " a ": ["padded"], "\U0001f9ea": ["astral"], "e\u0301": ["combining-marks"], "'": ["quotes"],
        "\\": ["back-slashes"], "<b>": ["markup"], "12": ["numeric"], "null": ["words-of-json"], "plain": [],
    }  # fmt: skip
    assert known.of("orderMinimum", 1) == ["lowest"]
    assert known.of("orderMinimum", None) == ["null"]
    assert [known.of("categoryIds", ["a"] * size) for size in (0, 1, 3, 11, 12, 100)] == [[f"{n}-items"] for n in (0, 1, 2, 11, 11, 100)]
    assert known.of("isActive", False) == ["false"]
    assert known.of("offerType", "VDM") == ["=VDM"]


# ------------------------------------------------------------------------------------------------------------ pairs


@EVERY_TYPE
@pytest.mark.rotated(3)
def test_every_pair_of_states_in_an_object_occurs_in_a_valid_message(message_type: MessageType) -> None:
    known, met = states(load_contract(), message_type), set()
    for case in listed(message_type):
        if case.label == "valid":
            for path in known.objects:
                held = [value_at(case.value, steps) for steps in places(case.value, path)]
                met |= {(path, frozenset(two)) for value in held if value is not None for two in combinations(known.of(path, value), 2)}
    wanted = {(path, two) for path in known.objects for two in possible(load_contract(), message_type, path, 2)}
    assert wanted - met == set()
    assert len(wanted) == {"offer-creation-request": 10613, "product-list-response": 424, "offer-pricing-response": 179}[message_type]


def test_only_pairs_that_a_condition_or_an_ambiguity_excludes_are_omitted() -> None:
    """The contract requires clusters in a Product List. It leaves open if a minimum may exceed the maximum, or a start date may
    follow the end date.
    """
    found = {tuple(sorted(pair)) for pair in impossible(load_contract(), OFFER, "")}
    assert found == {
        *((("offerType", "=Product List"), ("productClusters", state)) for state in ("absent", "null", "edge")),
        (("orderMaximum", "plain"), ("orderMinimum", "edge")),
        (("availableEndDate", "plain"), ("availableStartDate", "edge")),
    }


def test_every_triple_of_states_occurs_with_strength_three() -> None:
    contract = load_contract()
    message_type: MessageType = "product-list-response"
    met = set()
    for case in PairMaker(contract, message_type, NOW, strength=3).every():
        assert check(message_type, case.body, now=NOW).label == "valid"
        held = (value_at(case.value, steps) for steps in places(case.value, "data[]"))
        met |= {frozenset(three) for value in held for three in combinations(states(contract, message_type).of("data[]", value), 3)}
    assert possible(contract, message_type, "data[]", 3) <= met


@pytest.mark.parametrize("strength", [0, 5, -1])
def test_an_invalid_strength_is_rejected(strength: int) -> None:
    with pytest.raises(StrengthError, match="from 1 to 4"):
        next(catalogue(OFFER, now=NOW, strength=strength))


def test_too_many_combinations_lower_the_strength() -> None:
    known = states(load_contract(), OFFER)
    assert {path: strength_at(known, path, 4) for path in known.objects if path in ("", "productClusters[].products[]")} == {
        "": 3,
        "productClusters[].products[]": 4,
    }
    assert combinations_of(known.at(""), 4) == 15_444_704


# ------------------------------------------------------------------------------------------------------------ order


@EVERY_TYPE
def test_the_complete_message_comes_first_and_the_minimal_one_second(message_type: MessageType) -> None:
    first, second = listed(message_type)[:2]
    assert "edge:complete" in first.tags
    assert "edge:only-required" in second.tags


def test_the_first_two_hundred_and_fifty_offers_break_every_rule() -> None:
    broken = {fault.rule for case in listed(OFFER)[:250] for fault in case.faults}
    assert broken == {rule.id for rule in load_contract().rules[OFFER]}


def test_the_first_four_hundred_offers_contain_nearly_every_edge() -> None:
    early = {goal for case in listed(OFFER)[:400] for goal in covered(case, load_contract()) if goal.kind == "edge"}
    assert len(early) > 0.97 * sum(goal.kind == "edge" for goal in goals(OFFER))


ORDERED = 40  # cases
WEIGHTS = st.builds(WeightedGoals, st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9)), st.integers(0, 255))


@settings(max_examples=60, deadline=None)
@given(st.lists(WEIGHTS, min_size=ORDERED, max_size=ORDERED), st.integers(0, 9))
def test_each_case_adds_the_most_weight_that_is_left(weights: list[WeightedGoals], bit_weight: int) -> None:
    cases = [case for case in listed("offer-pricing-response") if case.twin is None][:ORDERED]
    order = list(by_cover(cases, weights, bit_weight))
    assert sorted(case.id for case in order) == sorted(case.id for case in cases)
    bits = dict.fromkeys(range(8), bit_weight)
    of = {case.id: weight.named | {n: bits[n] for n in bits if weight.bits >> n & 1} for case, weight in zip(cases, weights, strict=True)}
    held: set[str | int] = set()
    for number, case in enumerate(order):
        gains = [sum(weight for name, weight in of[other.id].items() if name not in held) for other in order[number:]]
        assert gains[0] == max(gains)
        held |= set(of[case.id])


# ------------------------------------------------------------------------------------------------------ selections


def test_faults_are_selected_by_rule_and_technique_and_come_after_their_twins() -> None:
    chosen = list(selection(load_contract(), ["*pageCount:minimum*"], ["one-below"]).of(listed(OFFER)))
    faults = [case.faults[0] for case in chosen if case.faults]
    assert {(fault.rule, fault.technique) for fault in faults} == {(f"{OFFER}/productClusters[].products[].pageCount:minimum", "one-below")}
    assert all(case.twin_id in {one.id for one in chosen} for case in chosen if case.faults)


@pytest.mark.parametrize(("rules", "techniques"), [(["nothing*"], []), ([], ["one-belo"])])
def test_an_unknown_rule_or_technique_is_rejected(rules: list[str], techniques: list[str]) -> None:
    with pytest.raises(UnknownNameError):
        selection(load_contract(), rules, techniques)


# --------------------------------------------------------------------------------------------------------- settings


def test_each_setting_puts_every_other_property_in_its_state() -> None:
    rule = load_contract().rule(f"{OFFER}/number:minLength")
    props = set(build(load_contract(), OFFER, MessagePlan())) - {"number", "offerType"}
    met = set()
    for case in FaultMaker(load_contract(), OFFER, NOW).of_rule(rule):
        met |= set(states(load_contract(), OFFER).of("", case.value))
    flags = {name for name in props if states(load_contract(), OFFER).at("")[name] == ["absent", "null", "true", "false"]}
    assert {*product(props, ("absent", "null"))} <= met
    assert {*product(flags, ("true", "false")), *product(props - flags, ["plain"])} <= met


# ------------------------------------------------------------------------------------------------ changed contracts


@pytest.mark.long
def test_a_condition_of_a_changed_contract_has_faults_and_controls(tmp_path_factory: pytest.TempPathFactory) -> None:
    def change(schema: dict[str, object]) -> None:
        priced = {"required": ["defaultPrice"], "properties": {"defaultPrice": {"type": "number"}}}
        schema["allOf"] = [{"if": {"required": ["isActive"], "properties": {"isActive": {"const": True}}}, "then": priced}]

    contract = changed_contract(tmp_path_factory.mktemp("contract"), OFFER, change)
    cases = list(catalogue(OFFER, now=NOW, contract=contract))
    rule = next(rule for rule in contract.rules[OFFER] if rule.id.endswith("defaultPrice:required@isActive=True"))
    assert any(case.faults and case.faults[0].rule == rule.id for case in cases)
    controls = [case for case in cases if any(tag.startswith("control:isActive=") for tag in case.tags)]
    assert {case.value["isActive"] for case in controls if "defaultPrice" not in case.value and case.label == "valid"} == {False, None}
    goal_pairs = possible(contract, OFFER, "", 2)
    assert frozenset({("isActive", "true"), ("defaultPrice", "absent")}) not in goal_pairs
    assert frozenset({("isActive", "false"), ("defaultPrice", "absent")}) in goal_pairs
