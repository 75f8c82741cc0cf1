"""Defines bugs that let the service accept messages that break a rule."""

import json
import re
from typing import Any

from brokerfuzz.service.flaws import RULES, Bug, Flaw, a_number, a_string, ignores, null, rewrites, rule_id

PRODUCTS = "productClusters[].products"
CLOSED = ":additionalProperties"
PAST_THE_FIRST = r"[A-Za-z]/[1-9][0-9]*(/|$)"
PAST_THE_TENTH = r"[A-Za-z]/[1-9][0-9]+(/|$)"


def _unchecked(name: str, text: str, *rules: str, **narrowed: Any) -> Bug:
    return Bug(name, "missing-check", text, ignores(*rules, **narrowed), rule_id(*rules))


def _lax(name: str, text: str, flaw: Flaw) -> Bug:
    return Bug(name, "missing-check", text, flaw, f"{RULES}:json")


def without_trailing_text(body: bytes) -> bytes:
    value, _ = json.JSONDecoder().raw_decode(body.decode().lstrip())
    return json.dumps(value).encode()


def without_nan(body: bytes) -> bytes:
    """Replaces NaN, Infinity and -Infinity with zero."""
    return json.dumps(json.loads(body, parse_constant=lambda _: 0)).encode()


def with_control_characters(body: bytes) -> bytes:
    """Accepts control characters in strings, and escapes them."""
    return json.dumps(json.loads(body, strict=False)).encode()


def _outside_strings(pattern: bytes, instead: bytes, body: bytes) -> bytes:
    return re.sub(rb'("(?:[^"\\]|\\.)*")|' + pattern, lambda hit: hit[1] or instead, body, flags=re.DOTALL)


def without_trailing_commas(body: bytes) -> bytes:
    return _outside_strings(rb",(?=\s*[}\]])", b"", body)


def without_comments(body: bytes) -> bytes:
    return _outside_strings(rb"/\*.*?\*/|//[^\n]*", b" ", body)


def without_leading_zeros(body: bytes) -> bytes:
    return _outside_strings(rb"(?<![0-9.eE+-])0+(?=[0-9])", b"", body)


BUGS = (
    _unchecked("accepts-empty-number", "An empty offer number is accepted.", "number:minLength"),
    _unchecked("accepts-missing-number", "An offer without a number is accepted.", "number:required"),
    _unchecked("accepts-null-number", "Null is accepted as an offer number.", "number:type", value=null),
    _unchecked("accepts-any-offer-type", "Any string is accepted as an offer type.", "offerType:enum"),
    _unchecked("accepts-missing-offer-type", "An offer without a type is accepted.", "offerType:required"),
    _unchecked("accepts-null-offer-type", "Null is accepted as an offer type.", "offerType:*", value=null),
    _unchecked(
        "accepts-empty-offer-type",
        "An empty offer type is accepted.",
        "offerType:enum",
        value=a_string(lambda t: not t),
    ),
    _unchecked(
        "accepts-zero-order-minimum",
        "An order minimum of 0 is accepted.",
        "orderMinimum:minimum",
        value=a_number(lambda n: n == 0),
    ),
    _unchecked("accepts-any-order-maximum", "An order maximum below 1 is accepted.", "orderMaximum:minimum"),
    _unchecked(
        "accepts-zero-page-count",
        "A page count of 0 is accepted.",
        f"{PRODUCTS}[].pageCount:minimum",
        value=a_number(lambda n: n == 0),
    ),
    _unchecked(
        "accepts-negative-page-count",
        "A negative page count is accepted.",
        f"{PRODUCTS}[].pageCount:minimum",
        value=a_number(lambda n: n < 0),
    ),
    _unchecked("accepts-empty-product-id", "An empty product ID is accepted.", f"{PRODUCTS}[].productId:minLength"),
    _unchecked(
        "accepts-missing-product-id", "A product without an ID is accepted.", f"{PRODUCTS}[].productId:required"
    ),
    _unchecked(
        "accepts-missing-product-quantity",
        "A product without a quantity is accepted.",
        f"{PRODUCTS}[].productQuantityInOffer:required",
    ),
    _unchecked(
        "accepts-null-product-quantity",
        "Null is accepted as a product's quantity.",
        f"{PRODUCTS}[].productQuantityInOffer:type",
        value=null,
    ),
    _unchecked(
        "accepts-empty-products", "A cluster with an empty array of products is accepted.", f"{PRODUCTS}:minItems"
    ),
    _unchecked(
        "accepts-empty-clusters",
        "A Product List with an empty array of clusters is accepted.",
        "productClusters:minItems@*",
    ),
    _unchecked(
        "accepts-missing-clusters", "A Product List without clusters is accepted.", "productClusters:required@*"
    ),
    _unchecked(
        "accepts-missing-tier-price",
        "A price tier without a price is accepted.",
        "priceClasses[].priceTiers[].price:required",
    ),
    _unchecked(
        "accepts-null-tier-price",
        "Null is accepted as a price tier's price.",
        "priceClasses[].priceTiers[].price:type",
        value=null,
    ),
    _unchecked(
        "accepts-null-class-name", "Null is accepted as a price class's name.", "priceClasses[].name:type", value=null
    ),
    _unchecked(
        "accepts-missing-property-name",
        "An item of additionalPropsRequiredOnOrder without a name is accepted.",
        "additionalPropsRequiredOnOrder[].name:required",
    ),
    _unchecked(
        "accepts-null-property-type",
        "Null is accepted as the type of an item of additionalPropsRequiredOnOrder.",
        "additionalPropsRequiredOnOrder[].type:type",
        value=null,
    ),
    _unchecked(
        "accepts-null-strings-in-arrays",
        "Null is accepted as an item of an array of strings.",
        "accessGroups[]:type",
        "categoryIds[]:type",
        "onlyShipMethodsAvailable[]:type",
        value=null,
    ),
    _unchecked(
        "accepts-wide-integers",
        "Integers of more than 32 bits are accepted everywhere.",
        "*:maximum",
        "*:minimum",
        value=a_number(lambda n: not -(1 << 31) <= n < 1 << 31),
    ),
    _unchecked(
        "accepts-wide-fixed-quantities",
        "Integers of more than 32 bits are accepted as fixed order quantities.",
        "fixedOrderQuantities[]:maximum",
    ),
    _unchecked(
        "accepts-numbers-in-string-arrays",
        "Numbers are accepted in categoryIds.",
        "categoryIds[]:type",
        value=a_number(lambda _: True),
    ),
    _unchecked("ignores-unknown-properties", "Unknown properties are ignored everywhere.", f"*{CLOSED}"),
    _unchecked("ignores-unknown-properties-at-root", "Unknown properties of the offer itself are ignored.", CLOSED),
    _unchecked(
        "ignores-unknown-properties-in-products",
        "Unknown properties of a product are ignored.",
        f"{PRODUCTS}[]{CLOSED}",
    ),
    _unchecked(
        "ignores-unknown-properties-in-omni-channel",
        "Unknown properties of omniChannel are ignored.",
        f"omniChannel{CLOSED}",
    ),
    _unchecked(
        "ignores-unknown-properties-in-page-counts",
        "Unknown properties of a page-count price are ignored.",
        f"priceClasses[].priceTiers[].pageCounts[]{CLOSED}",
    ),
    _unchecked(
        "ignores-unknown-null-properties", "Unknown properties are ignored if they are null.", f"*{CLOSED}", value=null
    ),
    _unchecked(
        "ignores-unknown-underscore-properties",
        "Unknown properties are ignored if their name begins with an underscore.",
        f"*{CLOSED}",
        at="/_[^/]*$",
    ),
    _unchecked(
        "checks-first-items-only",
        "Errors in the second and later items of an array are ignored.",
        "*",
        at=PAST_THE_FIRST,
    ),
    _unchecked(
        "checks-ten-items-only",
        "Errors in the eleventh and later items of an array are ignored.",
        "*",
        at=PAST_THE_TENTH,
    ),
    _unchecked(
        "checks-first-product-only",
        "The second and later products of a cluster are not checked.",
        f"{PRODUCTS}[]*",
        at="/products/[1-9]",
    ),
    _unchecked(
        "ignores-clock",
        "An offer with a last update in the future is accepted.",
        "lastUpdatedDateTimeUtc:not-in-future",
    ),
    _lax("accepts-trailing-text", "Text after the JSON value is ignored.", rewrites(without_trailing_text)),
    _lax("accepts-nan", "NaN and Infinity are accepted as numbers.", rewrites(without_nan)),
    _lax(
        "accepts-control-characters",
        "Raw control characters are accepted in JSON strings.",
        rewrites(with_control_characters),
    ),
    _lax("accepts-trailing-commas", "A comma before a closing bracket is ignored.", rewrites(without_trailing_commas)),
    _lax("accepts-comments", "Comments in the JSON are ignored.", rewrites(without_comments)),
    _lax("accepts-leading-zeros", "Numbers with leading zeros are accepted.", rewrites(without_leading_zeros)),
)
