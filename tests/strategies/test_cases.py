from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from example_search import first
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from brokerfuzz import MESSAGE_TYPES, Broken, Case, MessageType, check
from brokerfuzz.strategies import (
    cases,
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
    offer_requests,
    pricing_responses,
    product_list_responses,
)

OFFER: MessageType = "offer-creation-request"
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
    """Returns `count` examples of a strategy. The default is 50, or 200 in a long run. The same strategy gives the same
    examples.
    """
    found: list[Any] = []

    @settings(
        max_examples=count or 2 * settings().max_examples, derandomize=True, database=None, phases=[Phase.generate]
    )
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


@EACH_TYPE
@pytest.mark.parametrize("options", [{}, {"plausible": True}, {"parsed": True}], ids=str)
def test_an_invalid_case_breaks_one_rule_and_its_twin_is_valid(
    message_type: MessageType, options: dict[str, Any]
) -> None:
    for case in drawn(INVALID[message_type](now=NOW, **options)):
        verdict = check(message_type, case.body, now=NOW)
        assert verdict.label == "invalid"
        assert {entry.rule for entry in verdict.broken} == {case.faults[0].rule}
        assert check(message_type, case.twin.body, now=NOW).label == "valid"


@EACH_TYPE
def test_parsed_cases_have_a_value(message_type: MessageType) -> None:
    assert all(case.value is not NotImplemented for case in drawn(INVALID[message_type](parsed=True, now=NOW)))
    assert all(case.value is not NotImplemented for case in drawn(cases(message_type, parsed=True, now=NOW)))


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("options", "selected"),
    [
        ({"rules": ["*:minimum"]}, lambda fault: fault.rule.endswith(":minimum")),
        ({"rules": ["!*:type"]}, lambda fault: not fault.rule.endswith(":type")),
        (
            {"rules": ["*:minimum", "!*orderMinimum*"]},
            lambda fault: fault.rule.endswith(":minimum") and "orderMinimum" not in fault.rule,
        ),
        ({"techniques": ["one-*"]}, lambda fault: fault.technique.startswith("one-")),
        ({"techniques": ["!null*"]}, lambda fault: not fault.technique.startswith("null")),
        ({"sites": ["priceClasses[]*"]}, lambda fault: "/priceClasses[]" in fault.rule),
        (
            {"sites": ["number"], "rules": ["!*:type"]},
            lambda fault: fault.rule in (f"{OFFER}/number:required", f"{OFFER}/number:minLength"),
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_patterns_select_faults(options: dict[str, Any], selected: Callable[[Any], bool]) -> None:
    found = drawn(invalid_offer_requests(now=NOW, **options))
    assert found
    assert [case.faults for case in found if not selected(case.faults[0])] == []
    mixed = drawn(cases(OFFER, now=NOW, **options), 100)
    assert {case.label for case in mixed} == {"valid", "invalid", "unspecified"}
    assert [case.faults for case in mixed if case.label == "invalid" and not selected(case.faults[0])] == []


def test_pinned_properties_keep_their_values_in_the_case_and_its_twin() -> None:
    fields = {
        "number": st.just("OFF-1"),
        "offerType": st.just("Email"),
        "productClusters[].products[].productId": st.sampled_from(["P1", "P2"]),
    }
    for case in drawn(invalid_offer_requests(fields=fields, parsed=True, now=NOW)):
        for message in (case.value, case.twin.value):
            if isinstance(message, dict):
                assert (message["number"], message["offerType"]) == ("OFF-1", "Email")
        clusters = case.twin.value.get("productClusters") or []
        assert {product["productId"] for cluster in clusters for product in cluster.get("products") or []} <= {
            "P1",
            "P2",
        }


@pytest.mark.parametrize("verdicts", [["valid"], ["invalid"], ["unspecified"], ("unspecified", "valid")], ids=str)
@EACH_TYPE
def test_verdicts_limit_the_cases(message_type: MessageType, verdicts: Any) -> None:
    assert {case.label for case in drawn(cases(message_type, verdicts=verdicts, now=NOW))} == set(verdicts)


# ------------------------------------------------------------------------------------------------------ ambiguities


@EACH_TYPE
@pytest.mark.every(3)
def test_messages_touch_every_ambiguity_that_a_value_can_touch_and_are_never_invalid(message_type: MessageType) -> None:
    labels, touched = [], set()
    strategy = VALID[message_type]
    for message in drawn(strategy(ambiguities="all"), 500):
        verdict = check(message_type, message, now=NOW)
        labels.append(verdict.label)
        touched |= {touch.ambiguity for touch in verdict.ambiguities}
    assert set(labels) == {"valid", "unspecified"}
    assert "string-length" in touched
    assert len(touched) > 5 - 3 * (message_type == "offer-pricing-response")


def test_messages_touch_only_the_ambiguities_that_a_test_asks_for() -> None:
    for offer in drawn(offer_requests(ambiguities=["url-syntax"])):
        assert {touched.ambiguity for touched in check(OFFER, offer).ambiguities} <= {"url-syntax"}


@given(cases(OFFER))
def test_the_actual_time_is_the_default(case: Case) -> None:
    assert check(OFFER, case.body).label == case.label


def test_a_case_about_the_clock_can_be_found() -> None:
    case = first(invalid_offer_requests(rules=["*not-in-future"]), lambda case: True)
    assert case.faults[0].rule.endswith("lastUpdatedDateTimeUtc:not-in-future")
