"""The types of the public strategies and functions. mypy and pyright check these lines, but pytest only runs them."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, assert_type

from hypothesis.strategies import SearchStrategy

import brokerfuzz
from brokerfuzz import (
    Broken,
    Case,
    OfferCreationRequest,
    OfferPricingResponse,
    ProductListCluster,
    ProductListOffer,
    ProductListResponse,
    messages,
    strategies,
    typed,
)
from brokerfuzz.corpus import load, read
from brokerfuzz.strategies.parts import Envelope


def test_strategies_have_precise_types() -> None:
    assert_type(strategies.offer_requests(offer_types=["Email"], plausible=True), SearchStrategy[OfferCreationRequest])
    assert_type(strategies.product_list_offers(min_clusters=2), SearchStrategy[ProductListOffer])
    assert_type(strategies.product_list_responses(), SearchStrategy[ProductListResponse])
    assert_type(strategies.pricing_responses(max_offers=3), SearchStrategy[OfferPricingResponse])
    assert_type(strategies.invalid_offer_requests(rules=["*:minimum"]), SearchStrategy[Broken])
    assert_type(strategies.invalid_product_list_responses(), SearchStrategy[Broken])
    assert_type(strategies.invalid_pricing_responses(techniques=["one-below"]), SearchStrategy[Broken])
    assert_type(strategies.cases("offer-creation-request", verdicts=["valid"]), SearchStrategy[Case])
    assert_type(strategies.faulty(strategies.offer_requests(), "offer-creation-request"), SearchStrategy[Broken])


def test_strategies_for_parts_have_precise_types() -> None:
    assert_type(strategies.clusters(min_products=2), SearchStrategy[ProductListCluster])
    assert_type(strategies.products(), SearchStrategy[typed.ClusterProduct])
    assert_type(strategies.price_classes(plausible=True), SearchStrategy[typed.PriceClass])
    assert_type(strategies.price_tiers(), SearchStrategy[typed.PriceTier])
    assert_type(strategies.page_counts(), SearchStrategy[typed.PageCountPrice])
    assert_type(strategies.product_records(ambiguities="all"), SearchStrategy[typed.ProductRecord])
    assert_type(strategies.priced_offers(), SearchStrategy[typed.PricedOffer])
    assert_type(strategies.envelopes(strategies.products()), SearchStrategy[Envelope[typed.ClusterProduct]])


def test_functions_and_values_have_precise_types() -> None:
    assert_type(brokerfuzz.check("offer-creation-request", b"{}"), brokerfuzz.Verdict)
    assert_type(brokerfuzz.load_contract(), brokerfuzz.Contract)
    assert_type(brokerfuzz.rules("product-list-response"), tuple[brokerfuzz.Rule, ...])
    assert_type(brokerfuzz.catalogue("offer-pricing-response"), Iterator[Case])
    assert_type(messages("offer-creation-request", 1), Iterator[OfferCreationRequest])
    assert_type(messages("product-list-response", seed=1, plausible=True), Iterator[ProductListResponse])
    assert_type(messages("offer-pricing-response", 1, verdicts=["invalid"]), Iterator[Case])
    assert_type([messages(message_type, 1) for message_type in brokerfuzz.MESSAGE_TYPES], list[Iterator[Any]])
    assert_type(read("corpus.ndjson"), Iterator[Case])
    assert_type(load("offer-pricing-response", verdicts=["valid"]), list[Case])
    case = Case.judged("offer-creation-request", b'{"number":"","offerType":"Email"}', twin=(11, 11, b"A"))
    assert isinstance(case, Broken)
    assert_type(case.twin, Case)
    for offer in islice(messages("offer-creation-request", 1), 1):
        assert_type(offer["number"], str)
        assert_type(offer.get("orderMinimum"), int | None)
