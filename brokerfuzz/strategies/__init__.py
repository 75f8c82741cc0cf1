"""Hypothesis strategies for the broker's messages: valid messages, deliberately invalid messages, and cases of every verdict."""

from brokerfuzz.strategies.labelled import cases, invalid_offer_requests, invalid_pricing_responses, invalid_product_list_responses, twins
from brokerfuzz.strategies.messages import offer_requests, pricing_responses, product_list_offers, product_list_responses

__all__ = [
    "cases",
    "invalid_offer_requests",
    "invalid_pricing_responses",
    "invalid_product_list_responses",
    "offer_requests",
    "pricing_responses",
    "product_list_offers",
    "product_list_responses",
    "twins",
]
