"""Values that are ambiguous only in combination depend on an ambiguity, but the most similar ordinary values do not.
`test_second_judge.py` tries single values.
"""

import json
from datetime import UTC, datetime
from typing import Any

from brokerfuzz import MessageType, check

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
PRODUCTS: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}
PRODUCT: dict[str, Any] = {"productId": "p", "productQuantityInOffer": 1}
ENVELOPE: dict[str, Any] = {
    "data": None, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True,
}  # fmt: skip
FAILED: dict[str, Any] = {"operationWasSuccessful": False, "failureMessages": ["x"]}
PRICED: dict[str, Any] = {"offerId": "o", "quantity": 2, "unitPrice": 1.25, "extendedPrice": 2.5}
START, LATER = "2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"
Row = tuple[str, MessageType, Any, Any]


def offers(ambiguity: str, doubtful: dict[str, Any], plain: dict[str, Any]) -> Row:
    return ambiguity, OFFERS, OFFER | doubtful, OFFER | plain


def envelope(message_type: MessageType, doubtful: dict[str, Any], plain: dict[str, Any]) -> Row:
    return "envelope-consistency", message_type, ENVELOPE | doubtful, ENVELOPE | plain


def priced(ambiguity: str, doubtful: dict[str, Any], plain: dict[str, Any], total: float = 2.5) -> Row:
    """Both messages contain two offers. The second offer is free, so it does not change the total."""
    bodies = []
    for props in (doubtful, plain):
        both = [PRICED | props, {"offerId": "q", "quantity": 1, "unitPrice": 0, "extendedPrice": 0}]
        bodies.append(ENVELOPE | {"data": {"customerId": "c", "offers": both, "totalExtendedPrice": total}})
    return ambiguity, PRICING, bodies[0], bodies[1]


def ranges(low: str, high: str, around: str) -> Row:
    """The message is the text `around`, in which `@` is a range."""
    doubtful, plain = (json.loads(around.replace("@", f'"{low}":9,"{high}":{end}')) for end in (8, 9))
    return offers("range-order", doubtful, plain)


ROWS: list[Row] = [
    offers("clock-tolerance", {"lastUpdatedDateTimeUtc": "2024-06-01T12:00:01Z"}, {"lastUpdatedDateTimeUtc": "2024-06-01T12:00:00Z"}),
    ranges("orderMinimum", "orderMaximum", "{@}"),
    ranges("minimumQuantity", "maximumQuantity", '{"priceClasses":[{"priceTiers":[{"price":1,@}]}]}'),
    ranges("minimumPages", "maximumPages", '{"priceClasses":[{"priceTiers":[{"price":1,"pageCounts":[{@}]}]}]}'),
    offers("quantity-range", {"fixedOrderQuantities": [2, 9], "orderMinimum": 3, "orderMaximum": 9}, {"fixedOrderQuantities": [3, 9], "orderMinimum": 3, "orderMaximum": 9}),
    offers("availability-order", {"availableStartDate": START, "availableEndDate": START}, {"availableStartDate": START, "availableEndDate": LATER}),
    offers("duplicate-items", {"accessGroups": ["a", "b", "a"]}, {"accessGroups": ["a", "b", "A"]}),
    offers("duplicate-items", {"priceClasses": [{"price": 1}, {"price": 1.0}]}, {"priceClasses": [{"price": 1}, {"price": 1.5}]}),
    offers("duplicate-items", {"productClusters": [{"id": None}] * 2}, {"productClusters": [{"id": None}, {"id": None, "products": None}]}),
    offers(
        "duplicate-items",
        {"productClusters": [{"products": [PRODUCT, PRODUCT | {"pageCount": 1}]}]},
        {"productClusters": [{"id": "a", "products": [PRODUCT]}, {"id": "b", "products": [PRODUCT]}]},
    ),
    priced("duplicate-items", {"offerId": "q"}, {"offerId": "o"}),
    envelope(PRODUCTS, {}, FAILED),
    envelope(PRICING, {"operationWasSuccessful": False}, FAILED),
    envelope(PRICING, {"failureMessages": ["x"]}, FAILED),
    envelope(PRODUCTS, FAILED | {"data": []}, {"data": []}),
    envelope(PRODUCTS, {"data": [], "failureMessages": ["x"]}, {"data": [], "informationalMessages": ["x"]}),
    priced("price-arithmetic", {"extendedPrice": 2.51}, {"extendedPrice": 2.5}),
    priced("price-arithmetic", {"quantity": 3}, {"unitPrice": 1}),
    priced("price-rounding", {"extendedPrice": 2.504}, {"extendedPrice": 2.5}),
    priced("price-arithmetic", {}, {"unitPrice": 0, "extendedPrice": 0}, 0),
    priced("price-arithmetic", {"unitPrice": 1e308, "quantity": 2**31 - 1}, {}),
]  # fmt: skip
"""The ambiguity, the message type, a message that depends on the ambiguity, and a similar message that does not."""


def test_an_unusual_value_touches_the_ambiguity_and_an_ordinary_one_does_not() -> None:
    for ambiguity, message_type, doubtful, plain in ROWS:
        verdict = check(message_type, doubtful, now=NOW)
        assert {touch.ambiguity for touch in verdict.ambiguities} == {ambiguity}, doubtful
        assert verdict.label == "unspecified", doubtful
        assert str(check(message_type, plain, now=NOW)) == "valid", plain


def test_each_ambiguity_is_reported_once_per_place() -> None:
    body = b'{"number":"A-1","offerType":"Email","number":"A-2","omniChannel":{"offers":[{"offerId":"\\u0000\\ud800"},{"\\ud800":1}]},"number":"A-3"}'
    found = [(touch.ambiguity, touch.at) for touch in check(OFFERS, body).ambiguities]
    assert sorted(found) == [
        ("duplicate-properties", "/number"), ("lone-surrogates", "/omniChannel/offers/0/offerId"),
        ("lone-surrogates", "/omniChannel/offers/1"), ("nul-characters", "/omniChannel/offers/0/offerId"),
    ]  # fmt: skip


def test_prices_of_any_size_can_be_added() -> None:
    both = [PRICED | {"extendedPrice": "@"}, PRICED]
    body = json.dumps(ENVELOPE | {"data": {"customerId": "c", "offers": both, "totalExtendedPrice": 1}})
    verdict = check(PRICING, body.replace('"@"', "9" * 400).encode())
    assert {touch.ambiguity for touch in verdict.ambiguities} == {"price-arithmetic", "double-range", "duplicate-items"}
