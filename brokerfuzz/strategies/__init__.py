"""Hypothesis strategies for the broker's messages and their parts: valid values, deliberately invalid messages, and
cases of every verdict.
"""

from brokerfuzz.strategies.cases import (
    cases,
    faulty,
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
)
from brokerfuzz.strategies.messages import (
    offer_requests,
    pricing_responses,
    product_list_offers,
    product_list_responses,
)
from brokerfuzz.strategies.parts import (
    Envelope,
    clusters,
    envelopes,
    page_counts,
    price_classes,
    price_tiers,
    priced_offers,
    product_records,
    products,
)

__all__ = [
    "Envelope",
    "cases",
    "clusters",
    "envelopes",
    "faulty",
    "invalid_offer_requests",
    "invalid_pricing_responses",
    "invalid_product_list_responses",
    "offer_requests",
    "page_counts",
    "price_classes",
    "price_tiers",
    "priced_offers",
    "pricing_responses",
    "product_list_offers",
    "product_list_responses",
    "product_records",
    "products",
]
