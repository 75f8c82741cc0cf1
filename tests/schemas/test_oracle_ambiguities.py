"""Values that are ambiguous only in combination depend on an ambiguity, but the most similar ordinary values do not.

A row contains the ambiguity, the message type, a body that depends on the ambiguity, and a similar body without an
ambiguity. `test_second_judge.py` tries single values.
"""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from brokerfuzz.schemas import MessageType, check

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}
PRODUCT: dict[str, Any] = {"productId": "p", "productQuantityInOffer": 1}
RECORD: dict[str, Any] = {
    "productId": "p", "productNumber": "P-1", "productType": "Card", "status": "Active",
    "lastUpdateDateTimeUtc": "2024-01-01T00:00:00Z",
}  # fmt: skip
ENVELOPE: dict[str, Any] = {
    "data": None,
    "failureMessages": [],
    "informationalMessages": [],
    "operationWasSuccessful": True,
}
PRICED: dict[str, Any] = {"offerId": "o", "quantity": 2, "unitPrice": 1.25, "extendedPrice": 2.5}
Row = tuple[str, MessageType, bytes, bytes]


def offer(ambiguity: str, prop: str, doubtful: Any, plain: Any) -> Row:
    return offers(ambiguity, {prop: doubtful}, {prop: plain})


def offers(ambiguity: str, doubtful: dict[str, Any], plain: dict[str, Any]) -> Row:
    return (
        ambiguity,
        "offer-creation-request",
        json.dumps(OFFER | doubtful).encode(),
        json.dumps(OFFER | plain).encode(),
    )


def text(ambiguity: str, doubtful: bytes, plain: bytes) -> Row:
    """`doubtful` and `plain` are the raw text of the property `weightInPounds`."""
    around = b'{"number":"A-1","offerType":"Email","weightInPounds":%b}'
    return ambiguity, "offer-creation-request", around % doubtful, around % plain


def records(doubtful: list[Any], plain: list[Any]) -> Row:
    bodies = [json.dumps(ENVELOPE | {"data": data}).encode() for data in (doubtful, plain)]
    return "duplicate-items", "product-list-response", bodies[0], bodies[1]


def priced(ambiguity: str, doubtful: dict[str, Any], plain: dict[str, Any], total: float = 2.5) -> Row:
    """Both messages contain two offers. The second offer is free, so it does not change the total."""
    bodies = []
    for props in (doubtful, plain):
        both = [PRICED | props, {"offerId": "q", "quantity": 1, "unitPrice": 0, "extendedPrice": 0}]
        bodies.append(
            json.dumps(ENVELOPE | {"data": {"customerId": "c", "offers": both, "totalExtendedPrice": total}}).encode()
        )
    return ambiguity, "offer-pricing-response", bodies[0], bodies[1]


def envelope(message_type: MessageType, doubtful: dict[str, Any], plain: dict[str, Any]) -> Row:
    return (
        "envelope-consistency",
        message_type,
        json.dumps(ENVELOPE | doubtful).encode(),
        json.dumps(ENVELOPE | plain).encode(),
    )


def products(doubtful: list[Any], plain: list[Any]) -> Row:
    return offers(
        "duplicate-items", {"productClusters": [{"products": doubtful}]}, {"productClusters": [{"products": plain}]}
    )


COMPACT = json.dumps(OFFER)
START, LATER = "2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"
FAILED: dict[str, Any] = {"operationWasSuccessful": False, "failureMessages": ["x"]}
ROWS: list[Row] = [
    offer("clock-tolerance", "lastUpdatedDateTimeUtc", "2024-06-01T12:00:01Z", "2024-06-01T12:00:00Z"),
    offers("range-order", {"orderMinimum": 2, "orderMaximum": 1}, {"orderMinimum": 1, "orderMaximum": 1}),
    offers(
        "range-order",
        {"priceClasses": [{"priceTiers": [{"price": 1, "minimumQuantity": 0, "maximumQuantity": -1}]}]},
        {"priceClasses": [{"priceTiers": [{"price": 1, "minimumQuantity": 0, "maximumQuantity": None}]}]},
    ),
    offers(
        "range-order",
        {"priceClasses": [{"priceTiers": [{"price": 1, "pageCounts": [{"minimumPages": 9, "maximumPages": 8}]}]}]},
        {"priceClasses": [{"priceTiers": [{"price": 1, "pageCounts": [{"minimumPages": 9}, {"maximumPages": 8}]}]}]},
    ),
    offers(
        "quantity-range",
        {"fixedOrderQuantities": [2, 9], "orderMinimum": 3, "orderMaximum": 9},
        {"fixedOrderQuantities": [3, 9], "orderMinimum": 3, "orderMaximum": 9},
    ),
    offers("quantity-range", {"fixedOrderQuantities": [0], "orderMinimum": 1}, {"fixedOrderQuantities": [0],
    "orderMaximum": 1}),
    offers("availability-order", {"availableStartDate": START, "availableEndDate": START}, {"availableStartDate": START,
    "availableEndDate": LATER}),
    offer("duplicate-items", "accessGroups", ["a", "b", "a"], ["a", "b", "A"]),
    offer("duplicate-items", "categoryIds", ["", ""], ["", " "]),
    offer("duplicate-items", "onlyShipMethodsAvailable", ["a", "a"], ["a"]),
    offer("duplicate-items", "fixedOrderQuantities", [1, 2, 1], [1, 2, -1]),
    offer("duplicate-items", "additionalPropsRequiredOnOrder", [{"name": "a"}, {"name": "a", "hint": "x"}],
    [{"name": "a"}, {"name": "b"}]),
    offer("duplicate-items", "omniChannel", {"offers": [{"offerId": "a"}] * 2}, {"offers": [{"offerId": "a"},
    {"deliveryChannel": "a"}]}),
    offer("duplicate-items", "omniChannel", {"offers": [{}, {}]}, {"offers": [{}]}),
    offer("duplicate-items", "priceClasses", [{"name": "a", "price": 1}, {"name": "a"}], [{"name": "a"},
    {"name": "b"}]),
    offer("duplicate-items", "priceClasses", [{"price": 1, "name": "a"}, {"name": "a", "price": 1}], [{"price": 1},
    {"price": 2}]),
    offer("duplicate-items", "priceClasses", [{"price": 1}, {"price": 1.0}], [{"price": 1}, {"price": 1.5}]),
    offer("duplicate-items", "priceClasses", [{"priceTiers": [{"price": 1}] * 2}], [{"priceTiers": [{"price": 1},
    {"price": 2}]}]),
    offers(
        "duplicate-items",
        {"priceClasses": [{"priceTiers": [{"price": 1, "pageCounts": [{"price": 1}] * 2}]}]},
        {"priceClasses": [{"priceTiers": [{"price": 1, "pageCounts": [{"price": 1}]}, {"price": 2,
        "pageCounts": [{"price": 1}]}]}]},
    ),
    offer("duplicate-items", "productClusters", [{"id": "a"}, {"id": "a"}], [{"id": "a"}, {"id": None}]),
    offer("duplicate-items", "productClusters", [{"id": None}] * 2, [{"id": None}, {"id": None, "products": None}]),
    products([PRODUCT, PRODUCT | {"pageCount": 1}], [PRODUCT, PRODUCT | {"productId": "q"}]),
    records([RECORD, RECORD | {"status": "Old"}], [RECORD, RECORD | {"productId": "q"}]),
    priced("duplicate-items", {"offerId": "q"}, {"offerId": "o"}),
    priced("duplicate-items", {"productIds": ["a", "a"]}, {"productIds": ["a", "b"]}),
    *(
        text("duplicate-properties", doubtful, plain)
        for doubtful, plain in (
            (b'1,"weightInPounds":1', b'1,"omsOfferId":"1"'), (b'1,"number":"A-2"', b'1,"omsOfferId":"A-2"'),
            (b'1,"n\\u0075mber":"A-1"', b'1,"comments":"A-1"'),
            (b'1,"omniChannel":{"offers":null,"offers":[]}', b'1,"omniChannel":{"offers":[]}'),
        )
    ),
    *(
        envelope(message_type, doubtful, FAILED)
        for message_type in ("product-list-response", "offer-pricing-response")
        for doubtful in ({}, {"operationWasSuccessful": False}, {"failureMessages": ["x"]})
    ),
    envelope("product-list-response", FAILED | {"data": []}, {"data": []}),
    envelope("product-list-response", {"data": [], "failureMessages": ["x"]}, {"data": [],
    "informationalMessages": ["x"]}),
    priced("price-arithmetic", {"extendedPrice": 2.51}, {"extendedPrice": 2.5}),
    priced("price-arithmetic", {"quantity": 3}, {"extendedPrice": 2.5}),
    priced("price-rounding", {"extendedPrice": 2.504}, {"extendedPrice": 2.5}),
    priced("price-arithmetic", {"extendedPrice": 2.49}, {"unitPrice": 1, "extendedPrice": 2.5}),
    priced("price-arithmetic", {}, {"unitPrice": 0, "extendedPrice": 0}, 0),
    priced("price-arithmetic", {"unitPrice": 1e308, "quantity": 2**31 - 1}, {}),
]  # fmt: skip


def test_an_unusual_value_touches_the_ambiguity_and_an_ordinary_one_does_not() -> None:
    for ambiguity, message_type, doubtful, plain in ROWS:
        verdict = check(message_type, doubtful, now=NOW)
        assert {touch.ambiguity for touch in verdict.ambiguities} == {ambiguity}, doubtful
        assert verdict.label == "unspecified", doubtful
        assert str(check(message_type, plain, now=NOW)) == "valid", plain


@pytest.mark.parametrize("mark", ["utf-16", "utf-32"])
def test_an_encoding_with_its_mark_touches_both_ambiguities(mark: str) -> None:
    verdict = check("offer-creation-request", COMPACT.encode(mark))
    assert {touch.ambiguity for touch in verdict.ambiguities} == {"byte-order-mark", f"encoding.{mark}"}


def test_each_ambiguity_is_reported_once_per_place() -> None:
    body = b'{"number":"A-1","offerType":"Email","number":"A-2","omniChannel":{"offers":[{"offerId":"\\u0000\\ud800"}]},"number":"A-3"}'
    found = [(touch.ambiguity, touch.at) for touch in check("offer-creation-request", body).ambiguities]
    assert sorted(found) == [
        ("duplicate-properties", "/number"), ("lone-surrogates", "/omniChannel/offers/0/offerId"), ("nul-characters",
        "/omniChannel/offers/0/offerId"),
    ]  # fmt: skip


def test_prices_of_any_size_can_be_added() -> None:
    body = json.dumps(
        ENVELOPE
        | {"data": {"customerId": "c", "offers": [PRICED | {"extendedPrice": "@"}, PRICED], "totalExtendedPrice": 1}}
    )
    verdict = check("offer-pricing-response", body.replace('"@"', "9" * 400).encode())
    assert {touch.ambiguity for touch in verdict.ambiguities} == {"price-arithmetic", "double-range", "duplicate-items"}
