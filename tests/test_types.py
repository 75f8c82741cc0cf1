"""The types of the public strategies and functions. mypy and pyright check these lines, but pytest only runs them."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, assert_type

from hypothesis.strategies import SearchStrategy

from brokerfuzz import (
    MESSAGE_TYPES,
    Broken,
    Case,
    Contract,
    OfferCreationRequest,
    OfferPricingResponse,
    ProductListCluster,
    ProductListOffer,
    ProductListResponse,
    Rule,
    Verdict,
    catalogue,
    check,
    load_contract,
    messages,
    rules,
)
from brokerfuzz.corpus import load, read
from brokerfuzz.strategies import (
    cases,
    clusters,
    envelopes,
    faulty,
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
    offer_requests,
    page_counts,
    price_classes,
    price_tiers,
    priced_offers,
    pricing_responses,
    product_list_offers,
    product_list_responses,
    product_records,
    products,
)
from brokerfuzz.strategies.parts import Envelope
from brokerfuzz.typed import ClusterProduct, PageCountPrice, PriceClass, PricedOffer, PriceTier, ProductRecord


def test_strategies_have_precise_types() -> None:
    assert_type(offer_requests(offer_types=["Email"], plausible=True), SearchStrategy[OfferCreationRequest])
    assert_type(product_list_offers(min_clusters=2), SearchStrategy[ProductListOffer])
    assert_type(product_list_responses(), SearchStrategy[ProductListResponse])
    assert_type(pricing_responses(max_offers=3), SearchStrategy[OfferPricingResponse])
    assert_type(invalid_offer_requests(rules=["*:minimum"]), SearchStrategy[Broken])
    assert_type(invalid_product_list_responses(), SearchStrategy[Broken])
    assert_type(invalid_pricing_responses(techniques=["one-below"]), SearchStrategy[Broken])
    assert_type(cases("offer-creation-request", verdicts=["valid"]), SearchStrategy[Case])
    assert_type(faulty(offer_requests(), "offer-creation-request"), SearchStrategy[Broken])


def test_strategies_for_parts_have_precise_types() -> None:
    assert_type(clusters(min_products=2), SearchStrategy[ProductListCluster])
    assert_type(products(), SearchStrategy[ClusterProduct])
    assert_type(price_classes(plausible=True), SearchStrategy[PriceClass])
    assert_type(price_tiers(), SearchStrategy[PriceTier])
    assert_type(page_counts(), SearchStrategy[PageCountPrice])
    assert_type(product_records(ambiguities="all"), SearchStrategy[ProductRecord])
    assert_type(priced_offers(), SearchStrategy[PricedOffer])
    assert_type(envelopes(products()), SearchStrategy[Envelope[ClusterProduct]])


def test_functions_have_precise_types() -> None:
    assert_type(check("offer-creation-request", b"{}"), Verdict)
    assert_type(load_contract(), Contract)
    assert_type(rules("product-list-response"), tuple[Rule, ...])
    assert_type(catalogue("offer-pricing-response"), Iterator[Case])
    assert_type(messages("offer-creation-request", 1), Iterator[OfferCreationRequest])
    assert_type(messages("product-list-response", seed=1, plausible=True), Iterator[ProductListResponse])
    assert_type(messages("offer-pricing-response", 1), Iterator[OfferPricingResponse])
    assert_type(messages("offer-pricing-response", 1, verdicts=["invalid"]), Iterator[Case])
    assert_type([messages(message_type, 1) for message_type in MESSAGE_TYPES], list[Iterator[Any]])
    assert_type(read("corpus.ndjson"), Iterator[Case])
    assert_type(load("offer-pricing-response", verdicts=["valid"]), list[Case])


def test_values_have_precise_types() -> None:
    case = Case.judged("offer-creation-request", b'{"number":"","offerType":"Email"}', twin=(11, 11, b"A"))
    assert_type(case, Case)
    assert isinstance(case, Broken)
    assert_type(case.twin, Case)
    assert_type(case.twin.twin, Case | None)
    for offer in islice(messages("offer-creation-request", 1), 1):
        assert_type(offer["number"], str)
        assert_type(offer.get("orderMinimum"), int | None)


def clusters_of(offer: ProductListOffer) -> list[ProductListCluster]:
    return offer["productClusters"]
