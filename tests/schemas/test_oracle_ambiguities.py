"""Messages with unusual values depend on an ambiguity, but messages with the most similar ordinary values do not.

A row contains the ambiguity, the message type, a body that depends on the ambiguity, and a similar body without an
ambiguity.
"""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from brokerfuzz.schemas import MessageType, check, load_contract
from brokerfuzz.schemas.headers import OF_HEADERS

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


def record(ambiguity: str, prop: str, doubtful: Any, plain: Any) -> Row:
    bodies = [json.dumps(ENVELOPE | {"data": [RECORD | {prop: value}]}).encode() for value in (doubtful, plain)]
    return ambiguity, "product-list-response", bodies[0], bodies[1]


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
SPELLED = [
    ("offset", "2024-01-01T00:00:00+00:00"),
    ("offset", "2024-01-01T00:00:00-00:30"),
    ("no-zone", "2024-01-01T00:00:00"),
    ("lower-case", "2024-01-01T00:00:00z"),
    ("lower-case", "2024-01-01t00:00:00Z"),
    ("space", "2024-01-01 00:00:00Z"),
    ("date-only", "2024-01-01"),
    ("fraction", "2024-01-01T00:00:00.0Z"),
    ("fraction", "2024-01-01T00:00:00.123456789012345Z"),
    ("leap-second", "2016-12-31T23:59:60Z"),
    ("early-year", "1752-12-31T23:59:59Z"),
    ("early-year", "0001-01-01T00:00:00Z"),
    *(
        ("other", text)
        for text in (
            "",
            "2024-01-01T00:00Z",
            "2024-02-30T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:60Z",
            "0000-01-01T00:00:00Z",
            "2024-01-01T00:00:00,5Z",
            "2024-01-01T00:00:00.Z",
            " 2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00Z\n",
            "２０２４-01-01T00:00:00Z",
            "1704067200",
            "2024-01-01T00:00:00+0200",
        )
    ),
]
FAILED: dict[str, Any] = {"operationWasSuccessful": False, "failureMessages": ["x"]}
ROWS: list[Row] = [
    *(
        offer(f"timestamp-format.{spelling}", prop, doubtful, START)
        for prop in ("availableStartDate", "availableEndDate", "lastUpdatedDateTimeUtc")
        for spelling, doubtful in SPELLED
    ),
    *(record(f"timestamp-format.{spelling}", "lastUpdateDateTimeUtc", doubtful, LATER) for spelling,
    doubtful in SPELLED),
    offer("clock-tolerance", "lastUpdatedDateTimeUtc", "2024-06-01T12:00:01Z", "2024-06-01T12:00:00Z"),
    *(
        offer("cron-syntax", "deliveryScheduleCron", doubtful, plain)
        for doubtful, plain in (
            ("", "* * * * *"), ("@daily", "0 0 * * *"), ("* * * * * *", "59 23 31 12 7"), ("60 * * * *",
            "*/15 0-23/2 1,15 1-6,9 0-5"),
            ("0 24 * * *", "0 0 1 1 0"), ("* * 0 * *", "* * 1 * *"), ("* * * 13 *", "* * * 12 *"), ("* * * * 8",
            "* * * * 7"),
            ("* * * JAN *", "* * * 1 *"), ("5/10 * * * *", "5-59/10 * * * *"), ("5-1 * * * *", "1-5 * * * *"),
            ("*/0 * * * *", "*/1 * * * *"),
            ("*/60 * * * *", "*/59 * * * *"), ("*  * * * *", "* * * * *"), ("01 * * * *", "1 * * * *"), ("*,5 * * * *",
            "4,5 * * * *"),
        )
    ),
    *(
        offer("url-syntax", "fullImageUrl", doubtful, plain)
        for doubtful, plain in (
            ("", "https://a.example"), ("http://0", "http://a.b0"), ("http://127.0.0.1/a", "https://127.0.0.a1/a"),
            ("https://localhost/", "https://localhost.example/"), ("/a.png", "https://a.example/a.png"),
            ("ftp://a.example", "http://a.example"),
            ("https://a.example/a b", "https://a.example/a%20b"), ("https://a.example/%zz",
            "https://a.example/%ZZ".replace("ZZ", "7e")),
            ("https://a.example:65536/", "https://a.example:65535/"), ("https://a.example:0/", "https://a.example:1/"),
            ("https://-a.example/", "https://a-a.example/"), ("https:///a", "https://a.example/"),
            ("https://ä.example/", "https://xn--4ca.example/"),
            ("https://u@a.example/", "https://a.example/u@"), ("https://a.example/[", "https://a.example/?q=a&b#c"),
        )
    ),
    offer("url-syntax", "thumbnailUrl", "x", "https://a.example/x"),
    offer("url-syntax", "pdfUrl", "x", "https://a.example/x"),
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
    offer("property-types", "additionalPropsRequiredOnOrder", [{"name": "a", "type": "\u00e9"}], [{"name": "a",
    "type": "string"}]),
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
    offer("integer-form", "orderMinimum", 1.0, 1),
    *(text("integer-form", doubtful, plain) for doubtful, plain in ((b'1,"orderMinimum":1e0', b'1.0,"orderMinimum":1'),
    (b'1,"orderMaximum":2E1', b"1e0"))),
    *(
        text("double-range", doubtful, plain)
        for doubtful, plain in (
            (b"1e400", b"1e300"), (b"-1e400", b"-1e300"), (b"1e-400", b"0e-400"), (b"9007199254740993",
            b"9007199254740992"),
            (b"0.10000000000000000001", b"0.1000000000000000000"), (b"1" * 40, b"1" + b"0" * 40),
            (b"1e99999999999999999999", b"0e99999999999999999999"),
            (b"1.7976931348623159e308", b"1.7976931348623157e308"), (b"-" + b"9" * 10_000, b"-" + b"9" * 15),
        )
    ),
    record("decimal-range", "weight", 1e29, 7.9e28),
    record("decimal-range", "weight", 1.5e-28, 12.5),
    record("decimal-range", "weight", -1e29, 1e-28),
    *(
        text("duplicate-properties", doubtful, plain)
        for doubtful, plain in (
            (b'1,"weightInPounds":1', b'1,"omsOfferId":"1"'), (b'1,"number":"A-2"', b'1,"omsOfferId":"A-2"'),
            (b'1,"n\\u0075mber":"A-1"', b'1,"comments":"A-1"'),
            (b'1,"omniChannel":{"offers":null,"offers":[]}', b'1,"omniChannel":{"offers":[]}'),
        )
    ),
    *(
        text("lone-surrogates", b'1,"comments":' + doubtful, b'1,"comments":' + plain)
        for doubtful, plain in ((b'"\\ud800"', b'"\\ud83d\\ude00"'), (b'"\\udc80"', b'"\\ue000"'), (b'"\\ude00\\ud83d"',
        b'"\xf0\x9f\x98\x80"'), (b'"a\\udfffb"', b'"\\ufffd"'))
    ),
    text("nul-characters", b'1,"comments":"a\\u0000b"', b'1,"comments":"a\\u0001b"'),
    ("byte-order-mark", "offer-creation-request", b"\xef\xbb\xbf" + COMPACT.encode(), COMPACT.encode()),
    *((f"encoding.{name[:6]}", "offer-creation-request", COMPACT.encode(name),
    COMPACT.encode()) for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")),
    text("encoding.other", b'1,"comments":"caf\xe9"', b'1,"comments":"caf\xc3\xa9"'),
    text("encoding.surrogates", b'1,"comments":"\xed\xa0\x80"', b'1,"comments":"\xed\x9f\xbf"'),
    text("encoding.overlong", b'1,"comments":"\xc0\xaf"', b'1,"comments":"/"'),
    offer("string-length", "comments", "x" * 1025, "x" * 1024),
    offer("string-length", "accessGroups", ["x" * 1025], ["\U0001f600" * 1024]),
    offer("item-count", "accessGroups", [str(n) for n in range(101)], [str(n) for n in range(100)]),
    ("message-size", "offer-creation-request", COMPACT.encode().ljust(1048577), COMPACT.encode().ljust(1048576)),
    *(
        record(ambiguity, prop, doubtful, plain)
        for ambiguity, prop in (("product-types", "productType"), ("product-states", "status"))
        for doubtful, plain in (("", "x"), (" Card", "Card"), ("1st", "First 1"), ("a_b", "a-b"), ("x" * 65, "x" * 64),
        ("é", "e"), ("a  b", "a b"))
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


def test_every_ambiguity_that_a_message_can_touch_has_a_row() -> None:
    for ambiguity in load_contract().ambiguities:
        if ambiguity.detector is not None and ambiguity.detector not in OF_HEADERS:  # test_headers covers the others
            assert ambiguity.id in {row[0] for row in ROWS}, f"no row touches {ambiguity.id}: add one"


def test_every_site_of_an_ambiguity_has_a_row() -> None:
    """This test fails if a site in `ambiguities.json` is misspelt, because no message can contain the site."""
    touched = {
        (
            row[0],
            row[1],
            "".join("[]" if step.isdecimal() else f".{step}" for step in touch.at.split("/")[1:]).lstrip("."),
        )
        for row in ROWS
        for touch in check(row[1], row[2], now=NOW).ambiguities
    }
    for ambiguity in load_contract().ambiguities:
        for message_type, places in (ambiguity.sites or {}).items():
            for place in places:
                site = place if isinstance(place, str) else place[0]
                assert (ambiguity.id, message_type, site) in touched


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
