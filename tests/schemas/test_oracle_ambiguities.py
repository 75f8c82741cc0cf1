"""Values that are ambiguous only in combination depend on an ambiguity, but the most similar ordinary values do not.
`test_second_judge.py` tries single values.
"""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from brokerfuzz import Case, MessageType, check
from brokerfuzz.corpus import load

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
PRODUCTS: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}
BODY = json.dumps(OFFER).encode()
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


# ------------------------------------------------------------------------------------------------------------ headers

GZIP = (("Content-Encoding", "gzip"),)
UNUSUAL: list[tuple[str, str, Sequence[str | None]]] = [
    ("content-type", "Content-Type", (None, "", "text/plain", "json", ";", "application/", "application/json,", "a/b+json")),
    ("content-type-form", "content-type", ("Application/JSON", "application/json;charset=UTF-8", 'application/json ; Charset="utf-8"')),
    ("charset", "content-type", ("application/json; charset=utf-16", 'Application/JSON;Charset="ISO-8859-1"')),
    ("content-encoding", "CONTENT-ENCODING", ("identity", "")),
    ("false-content-encoding", "CONTENT-ENCODING", ("gzip", "br")),
    ("response-type", "accept", ("", "text/html", "application/json;q=0", "*/*, application/json; q=0.00", "application/*;q=0, */*")),
    ("request-headers", "Transfer-Encoding", ("chunked",)),
    ("request-headers", "Expect", ("100-continue",)),
    ("request-headers", "X-Tenant", ("5",)),
    ("request-headers", "Authorization", (None,)),
]  # fmt: skip
USUAL: list[tuple[str, Sequence[str | None]]] = [
    ("Content-Type", ("application/json",)),
    ("content-encoding", (None,)),
    ("Accept", (None, "*/*", "application/json", "text/html, Application/*;q=0.1", "text/html, */* ; q=1, application/json;q=0.5")),
]  # fmt: skip


def test_an_unusual_header_touches_its_ambiguity_and_an_ordinary_one_does_not() -> None:
    for ambiguity, name, values in UNUSUAL:
        for value in values:
            verdict = check(OFFERS, BODY, headers=((name, value),))
            assert (verdict.label, [touch.ambiguity for touch in verdict.ambiguities]) == ("unspecified", [ambiguity])
            assert name.lower() in verdict.ambiguities[0].found
    assert {check(OFFERS, BODY, headers=((name, one),)).label for name, some in USUAL for one in some} == {"valid"}
    (touch,) = check(OFFERS, BODY, headers=(("Content-Type", "application/json"),) * 2).ambiguities
    assert (touch.ambiguity, touch.found) == ("content-type", "more than one content-type")


def test_headers_never_excuse_a_broken_rule_and_policies_settle_what_they_leave_open() -> None:
    headers = (("Content-Type", "text/plain"),)
    assert check(OFFERS, b"{}", headers=headers).label == "invalid"
    assert check(OFFERS, BODY, headers=headers, policies={"content-type": "accepted"}).label == "valid"
    (broken,) = check(OFFERS, BODY, headers=headers, policies={"content-type": "rejected"}).broken
    assert (broken.rule, broken.found, broken.demanded) == (
        "ambiguity/content-type", "content-type: text/plain", "application/json",
    )  # fmt: skip
    assert check(PRODUCTS, json.dumps(ENVELOPE | FAILED).encode(), headers=headers).label == "valid", "a response"


def test_a_gzip_body_is_decompressed_only_if_its_headers_say_gzip_and_it_is_whole() -> None:
    assert check(OFFERS, gzip.compress(BODY), headers=GZIP).label == "unspecified"
    assert check(OFFERS, BODY, headers=GZIP).label == "unspecified"
    assert check(OFFERS, gzip.compress(b"{}"), headers=GZIP).label == "invalid"
    packed = gzip.compress(BODY)
    huge = gzip.compress(BODY + b" " * (1 << 24), 1)
    for body in (packed[:-1], packed + b"x", packed[:-1] + b"x", b"", huge):
        assert [broken.rule for broken in check(OFFERS, body, headers=GZIP).broken] == [f"{OFFERS}/:json"]
    assert check(OFFERS, packed).label == "invalid"


def test_every_header_ambiguity_is_probed_and_each_case_touches_only_one() -> None:
    cases = [case for case in load(OFFERS, verdicts=["unspecified"]) if case.headers]
    assert {touch.ambiguity for case in cases for touch in case.verdict.ambiguities} == {row[0] for row in UNUSUAL}
    for case in cases:
        assert {f"probe:{touch.ambiguity}" for touch in case.verdict.ambiguities} == {case.tags[0]}
        message = gzip.decompress(case.body) if case.body[:2] == b"\x1f\x8b" else case.body
        assert check(OFFERS, message).label == "valid"
        if case.tags[1] in ("as:charset-iso-8859-1", "as:charset-utf-16"):
            assert not message.isascii(), "letters that the charset encodes differently"
    assert len({case.tags for case in cases}) == len({(case.headers, case.body) for case in cases}) == len(cases)
    assert len({case.id for case in cases} | {Case.judged(OFFERS, BODY).id}) == len(cases) + 1
