"""Strategies for invalid messages and for cases of every verdict."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from example_search import first, minimal
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz import MESSAGE_TYPES, Broken, Case, MessageType, check, load_contract, rules
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.fault_wishes import breakable_places
from brokerfuzz.strategies import (
    cases,
    faulty,
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
    offer_requests,
    pricing_responses,
    product_list_offers,
    product_list_responses,
)

OFFER: MessageType = "offer-creation-request"
PRICING: MessageType = "offer-pricing-response"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
INVALID: dict[MessageType, Callable[..., SearchStrategy[Broken]]] = {
    "offer-creation-request": invalid_offer_requests,
    "product-list-response": invalid_product_list_responses,
    "offer-pricing-response": invalid_pricing_responses,
}
VALID: dict[MessageType, Callable[..., SearchStrategy[Any]]] = {
    "offer-creation-request": offer_requests,
    "product-list-response": product_list_responses,
    "offer-pricing-response": pricing_responses,
}
EACH_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


def drawn(strategy: SearchStrategy[Any], count: int | None = None) -> list[Any]:
    """Returns `count` examples of a strategy. The default is 40, or 200 in a long run. The same strategy gives the same
    examples.
    """
    found: list[Any] = []
    most = count or 2 * settings().max_examples
    generate = settings(max_examples=most, derandomize=True, database=None, phases=[Phase.generate])
    generate(given(strategy)(lambda value: found.extend([value])))()
    return found


@pytest.mark.every(2)
@EACH_TYPE
@pytest.mark.parametrize("kind", ["usual", "plausible", "parsed", "faulty"])
def test_an_invalid_case_breaks_one_rule_and_its_twin_is_valid(message_type: MessageType, kind: str) -> None:
    options = {} if kind in ("usual", "faulty") else {kind: True}
    invalid = INVALID[message_type](now=NOW, **options)
    for case in drawn(faulty(VALID[message_type](), message_type, now=NOW) if kind == "faulty" else invalid):
        verdict = check(message_type, case.body, now=NOW)
        assert verdict.label == "invalid"
        assert {entry.rule for entry in verdict.broken} == {fault.rule for fault in case.faults}
        assert len({fault.rule for fault in case.faults}) == 1
        assert check(message_type, case.twin.body, now=NOW).label == "valid"
        assert kind != "parsed" or case.value is not NotImplemented


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("options", "selected"),
    [
        (
            {"rules": ["*:minimum", "!*orderMinimum*"]},
            lambda fault: fault.rule.endswith(":minimum") and "orderMinimum" not in fault.rule,
        ),
        ({"techniques": ["one-*"]}, lambda fault: fault.technique.startswith("one-")),
        ({"techniques": ["!null*"]}, lambda fault: not fault.technique.startswith("null")),
        (
            {"rules": ["number", "!*:type"]},
            lambda fault: fault.rule in (f"{OFFER}/number:required", f"{OFFER}/number:minLength"),
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_patterns_select_faults(options: dict[str, Any], selected: Callable[[Any], bool]) -> None:
    found = drawn(invalid_offer_requests(now=NOW, **options))
    assert found
    assert [case.faults for case in found if not selected(case.faults[0])] == []
    mixed = drawn(cases(OFFER, now=NOW, **options), 40)
    assert {case.label for case in mixed} == {"valid", "invalid", "unspecified"}
    assert [case.faults for case in mixed if case.label == "invalid" and not selected(case.faults[0])] == []


def test_pinned_properties_keep_their_values_in_the_case_and_its_twin() -> None:
    ids = st.sampled_from(["P1", "P2"])
    fields = {"number": st.just("N"), "offerType": st.just("Email"), "productClusters[].products[].productId": ids}
    for case in drawn(invalid_offer_requests(fields=fields, parsed=True, now=NOW)):
        for message in (case.value, case.twin.value):
            if isinstance(message, dict):
                assert (message["number"], message["offerType"]) == ("N", "Email")
        products = [
            one for cluster in case.twin.value.get("productClusters") or [] for one in cluster.get("products") or []
        ]
        assert {product["productId"] for product in products} <= {"P1", "P2"}


@pytest.mark.every(2)
@pytest.mark.parametrize("verdicts", [["valid"], ("unspecified", "invalid")], ids=str)
@EACH_TYPE
def test_verdicts_limit_the_cases(message_type: MessageType, verdicts: Any) -> None:
    found = drawn(cases(message_type, verdicts=verdicts, parsed=True, now=NOW))
    assert {case.label for case in found} == set(verdicts)
    assert all(case.value is not NotImplemented for case in found)


@EACH_TYPE
def test_messages_touch_the_ambiguity_that_a_test_asks_for_and_no_other(message_type: MessageType) -> None:
    for ambiguity in load_contract().ambiguities:
        if ambiguity.kind.can_be_drawn and ambiguity.concerns(message_type):
            count = 15 if ambiguity.relates_values else 5
            found = drawn(VALID[message_type](ambiguities=[ambiguity.id]), count)
            verdicts = [check(message_type, message, now=NOW) for message in found]
            assert not [verdict for verdict in verdicts if verdict.broken]
            touched = {touch.ambiguity for verdict in verdicts for touch in verdict.ambiguities}
            assert touched == {ambiguity.id} or (not touched and not ambiguity.relates_values)


def test_messages_touch_an_ambiguity_of_an_own_contract(tmp_path: Path) -> None:
    entry = {
        "id": "price-classes",
        "question": "Which names can a price class have?",
        "plain": "a short name",
        "source": "the values are not shown",
        "kind": "name",
        "interpretations": ["accepted", "rejected"],
        "sites": {PRICING: ["data.offers[].priceClass"]},
    }
    (tmp_path / "ambiguities.json").write_text(json.dumps([entry]))
    contract = load_contract(tmp_path)
    for asked in (["price-classes"], "all"):
        found = drawn(pricing_responses(ambiguities=asked, contract=contract), 40)
        touched = [one.ambiguity for body in found for one in check(PRICING, body, contract=contract).ambiguities]
        assert "price-classes" in touched


@given(cases(OFFER))
def test_the_actual_time_is_the_default(case: Case) -> None:
    assert check(OFFER, case.body).label == case.label


def test_a_case_about_the_clock_can_be_found() -> None:
    case = first(invalid_offer_requests(rules=["*not-in-future"]), lambda case: True)
    assert case.faults[0].rule.endswith("lastUpdatedDateTimeUtc:not-in-future")


# ------------------------------------------------------------------------------------------------------------- faulty


def test_the_rules_of_a_complete_message_can_be_broken_and_the_twin_is_the_message() -> None:
    complete = {**plain_messages(OFFER)[0].value, "offerType": "Product List"}
    contract = load_contract()
    breakable = [
        rule.id for rule in rules(OFFER) if breakable_places(contract, rule, complete) and rule.keyword != "json"
    ]
    for rule in breakable[::8]:
        case = first(faulty(st.just(complete), OFFER, rules=[rule], now=NOW), lambda case: True)
        assert {fault.rule for fault in case.faults} == {rule}
        assert case.twin.value == complete


def test_half_of_the_faults_break_rules_that_the_contract_states_in_words_and_nearly_all_messages_are_different() -> (
    None
):
    stated = {rule.id for rule in rules(OFFER) if rule.validation_rule}
    for strategy in (invalid_offer_requests(now=NOW), faulty(product_list_offers(), OFFER, now=NOW)):
        found = drawn(strategy, 60)
        assert 24 <= sum(case.faults[0].rule in stated for case in found) <= 45
        assert len({case.twin.body for case in found}) >= 51


def test_a_faulty_message_shrinks_to_the_smallest_message() -> None:
    case = minimal(faulty(pricing_responses(), PRICING, rules=["data.offers[].quantity:minimum"], now=NOW))
    assert len(case.twin.value["data"]["offers"]) == 1
    assert case.faults[0].technique == "one-below"


def test_a_message_that_is_not_valid_is_reported() -> None:
    for message, error in (({"number": "", "offerType": "Email"}, ".*number:minLength"), ({1, 2}, "")):
        with pytest.raises(InvalidArgument, match=f"messages: a message is not clearly valid{error}"):
            minimal(faulty(st.just(message), OFFER))
