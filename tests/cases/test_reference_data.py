"""Reference data: generated messages contain only the values that the target knows, and unknown values are probes."""

import json
import pickle
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz
from brokerfuzz import Case, catalogue, check, load_contract, messages
from brokerfuzz.cases.catalogue import essentials
from brokerfuzz.strategies import invalid_product_list_responses, product_list_offers, product_list_responses

OFFER: Final = "offer-creation-request"
PRODUCTS_RESPONSE: Final = "product-list-response"
PRODUCTS = "productClusters[].products[]"
UNKNOWN = "known-values"
KNOWN = ("P-1", "P-2")
CONTRACT = load_contract(values={"*.productId": list(KNOWN)})


def lists(message: Any) -> Iterator[list[str]]:
    """Yields the product IDs of each cluster."""
    for cluster in message.get("productClusters") or []:
        yield [product["productId"] for product in cluster.get("products") or []]


def unknown_places(case: Case) -> set[str]:
    return {touch.at for touch in case.verdict.ambiguities if touch.ambiguity == UNKNOWN}


# -------------------------------------------------------------------------------------------------------- generation


def test_a_case_contains_an_unknown_value_only_where_it_tests_it_and_extreme_values_are_probes() -> None:
    known = list(essentials(PRODUCTS_RESPONSE, contract=CONTRACT))
    random = messages(PRODUCTS_RESPONSE, 1, verdicts=["valid", "invalid", "unspecified"], contract=CONTRACT)
    for case in (*known, *islice(random, 100)):
        if f"probe:{UNKNOWN}" not in case.tags:
            assert unknown_places(case) <= {fault.at for fault in case.faults}, case
        if case.label == "valid":
            assert {record["productId"] for record in case.value["data"] or ()} <= set(KNOWN)
    probes = {tag: case for case in known if f"probe:{UNKNOWN}" in case.tags for tag in case.tags}
    assert {"as:blank", "as:longest", "as:other-case"} <= set(probes)
    assert {case.label for case in probes.values()} == {"unspecified"}
    assert "p-1" in [record["productId"] for record in probes["as:other-case"].value["data"]]


@pytest.mark.long
def test_every_rule_is_still_broken_with_every_technique_and_other_message_types_do_not_change() -> None:
    def broken(cases: Iterator[Case]) -> set[tuple[str, str]]:
        return {(fault.rule, fault.technique) for case in cases for fault in case.faults}

    assert broken(catalogue(OFFER, contract=CONTRACT)) == broken(catalogue(OFFER))
    own = load_contract(values={"number": ["N-1"]})
    assert list(catalogue("offer-pricing-response", contract=own)) == list(catalogue("offer-pricing-response"))


def test_the_items_of_an_array_still_have_different_values() -> None:
    many = load_contract(values={f"{PRODUCTS}.productId": [f"P-{number}" for number in range(20)]})
    found = [names for message in islice(messages(OFFER, 1, contract=many), 100) for names in lists(message)]
    assert all(len(set(names)) == len(names) for names in found)
    assert max(map(len, found)) > 2


@given(
    product_list_responses(contract=CONTRACT),
    product_list_offers(contract=CONTRACT),
    invalid_product_list_responses(contract=CONTRACT),
)
def test_strategies_draw_only_known_values_except_where_messages_are_invalid(
    response: Any, offer: Any, case: Case
) -> None:
    assert {record["productId"] for record in response["data"] or ()} <= set(KNOWN)
    assert all(set(names) <= set(KNOWN) for names in lists(offer))
    assert check(PRODUCTS_RESPONSE, response, contract=CONTRACT).label == "valid"
    assert unknown_places(case) <= {fault.at for fault in case.faults}


def test_other_processes_get_the_reference_data() -> None:
    assert pickle.loads(pickle.dumps(CONTRACT)) is CONTRACT


KNOWN_OF_SITES: dict[str, list[Any]] = {
    "number": ["N-1", "N-2"],
    "orderMinimum": [1, 10, 2147483647],
    "availableStartDate": ["2020-01-01T00:00:00Z", "2031-12-31T00:00:00Z"],
    "priceClasses[].name": ["Standard"],
    f"{PRODUCTS}.pageCount": [1, 8],
    f"{PRODUCTS}.surcharge": [0, 0.5],
    "isActive": [True],
    "deliveryScheduleCron": ["0 0 * * *"],
}


@given(st.sets(st.sampled_from(sorted(KNOWN_OF_SITES)), min_size=1, max_size=4), st.integers(0, 1000))
def test_messages_are_valid_with_reference_data_at_any_sites(sites: set[str], seed: int) -> None:
    contract = load_contract(values={site: KNOWN_OF_SITES[site] for site in sites})
    for message in islice(messages(OFFER, seed, contract=contract), 5):
        assert check(OFFER, message, contract=contract).label == "valid"


# -------------------------------------------------------------------------------------------------------- campaigns


def knowing(body: bytes) -> bool:
    """A correct client that knows only two products."""
    if check(PRODUCTS_RESPONSE, body).label == "invalid":
        return False
    try:
        return all(record["productId"] in KNOWN for record in json.loads(body)["data"] or ())
    except ValueError:
        return False


def test_a_correct_service_that_knows_two_products_has_no_finding_and_nothing_unproven() -> None:
    some: Any = {"message_type": PRODUCTS_RESPONSE, "rules": ["data[].productId"], "shrink": 0}
    before = brokerfuzz.fire(knowing, **some)
    assert before.findings
    assert before.outcome.unproven
    after = brokerfuzz.fire(knowing, contract=CONTRACT, **some)
    assert (after.findings, after.outcome.unproven) == ((), 0)
    probes = brokerfuzz.fire(knowing, PRODUCTS_RESPONSE, contract=CONTRACT, tags=[f"probe:{UNKNOWN}"])
    ledger = probes.result.ambiguities
    assert [(seen.ambiguity.id, seen.behaviour) for seen in ledger] == [(UNKNOWN, "rejected")]
