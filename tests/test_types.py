"""The types of the public strategies and functions. mypy and pyright check these lines; pytest only runs them."""

from collections.abc import Iterator
from typing import Any, assert_type

from hypothesis.strategies import SearchStrategy

from brokerfuzz import Case, Contract, Rule, Verdict, catalogue, check, load_contract, messages, random_cases, rules
from brokerfuzz.corpus import load, read
from brokerfuzz.schemas.typed import OfferCreationRequest, OfferPricingResponse, ProductListResponse
from brokerfuzz.strategies import (
    cases,
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
    offer_requests,
    pricing_responses,
    product_list_offers,
    product_list_responses,
)


def test_strategies_have_precise_types() -> None:
    assert_type(offer_requests(offer_types=["Email"], plausible=True), SearchStrategy[OfferCreationRequest])
    assert_type(product_list_offers(min_clusters=2), SearchStrategy[OfferCreationRequest])
    assert_type(product_list_responses(), SearchStrategy[ProductListResponse])
    assert_type(pricing_responses(max_offers=3), SearchStrategy[OfferPricingResponse])
    assert_type(invalid_offer_requests(rules=["*:minimum"]), SearchStrategy[Case])
    assert_type(invalid_product_list_responses(), SearchStrategy[Case])
    assert_type(invalid_pricing_responses(techniques=["one-below"]), SearchStrategy[Case])
    assert_type(cases("offer-creation-request", verdicts=["valid"]), SearchStrategy[Case])


def test_functions_have_precise_types() -> None:
    assert_type(check("offer-creation-request", b"{}"), Verdict)
    assert_type(load_contract(), Contract)
    assert_type(rules("product-list-response"), tuple[Rule, ...])
    assert_type(catalogue("offer-pricing-response"), Iterator[Case])
    assert_type(random_cases("offer-pricing-response", 1), Iterator[Case])
    assert_type(messages("offer-pricing-response", 1), Iterator[Any])
    assert_type(read("corpus.ndjson"), Iterator[Case])
    assert_type(load("offer-pricing-response", verdicts=["valid"]), list[Case])
