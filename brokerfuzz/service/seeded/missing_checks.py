"""Bugs that let a broken rule pass."""

import json
import re
from typing import Any

from brokerfuzz.service.flaws import RULES, Bug, Flaw, a_number, a_text, forgives, null, reads, rule_id

PRODUCTS = "productClusters[].products"
CLOSED = ":additionalProperties"
PAST_THE_FIRST = r"[A-Za-z]/[1-9][0-9]*(/|$)"
PAST_THE_TENTH = r"[A-Za-z]/[1-9][0-9]+(/|$)"


def _unchecked(name: str, text: str, *rules: str, **narrowed: Any) -> Bug:
    return Bug(name, "missing-check", text, forgives(*rules, **narrowed), rule_id(*rules))


def _lax(name: str, text: str, flaw: Flaw) -> Bug:
    return Bug(name, "missing-check", text, flaw, f"{RULES}:json")


def without_trailing_text(body: bytes) -> bytes:
    """The JSON value that a text begins with."""
    value, _ = json.JSONDecoder().raw_decode(body.decode().lstrip())
    return json.dumps(value).encode()


def without_nan(body: bytes) -> bytes:
    """A text whose NaN, Infinity and -Infinity are zero."""
    return json.dumps(json.loads(body, parse_constant=lambda _: 0)).encode()


def with_control_characters(body: bytes) -> bytes:
    """A text whose raw control characters in strings are escaped."""
    return json.dumps(json.loads(body, strict=False)).encode()


def _outside_strings(pattern: bytes, instead: bytes, body: bytes) -> bytes:
    return re.sub(rb'("(?:[^"\\]|\\.)*")|' + pattern, lambda hit: hit[1] or instead, body, flags=re.DOTALL)


def without_trailing_commas(body: bytes) -> bytes:
    """A text without commas before closing brackets."""
    return _outside_strings(rb",(?=\s*[}\]])", b"", body)


def without_comments(body: bytes) -> bytes:
    """A text without `//` and `/* */`."""
    return _outside_strings(rb"/\*.*?\*/|//[^\n]*", b" ", body)


def without_leading_zeros(body: bytes) -> bytes:
    """A text whose numbers begin with another digit than 0, or are 0."""
    return _outside_strings(rb"(?<![0-9.eE+-])0+(?=[0-9])", b"", body)


BUGS = (
    _unchecked("accepts-empty-number", "An offer number of no characters is taken.", "number:minLength"),
    _unchecked("accepts-missing-number", "An offer without a number is taken.", "number:required"),
    _unchecked("accepts-null-number", "Null is taken for an offer number.", "number:type", value=null),
    _unchecked("accepts-any-offer-type", "Any text is taken for an offer type.", "offerType:enum"),
    _unchecked("accepts-missing-offer-type", "An offer without a type is taken.", "offerType:required"),
    _unchecked("accepts-null-offer-type", "Null is taken for an offer type.", "offerType:*", value=null),
    _unchecked("accepts-empty-offer-type", "An offer type of no characters is taken.", "offerType:enum", value=a_text(lambda t: not t)),
    _unchecked("accepts-zero-order-minimum", "An order minimum of 0 is taken.", "orderMinimum:minimum", value=a_number(lambda n: n == 0)),
    _unchecked("accepts-any-order-maximum", "An order maximum below 1 is taken.", "orderMaximum:minimum"),
    _unchecked("accepts-zero-page-count", "A page count of 0 is taken.", f"{PRODUCTS}[].pageCount:minimum", value=a_number(lambda n: n == 0)),
    _unchecked("accepts-negative-page-count", "A negative page count is taken.", f"{PRODUCTS}[].pageCount:minimum", value=a_number(lambda n: n < 0)),
    _unchecked("accepts-empty-product-id", "A product ID of no characters is taken.", f"{PRODUCTS}[].productId:minLength"),
    _unchecked("accepts-missing-product-id", "A product without an ID is taken.", f"{PRODUCTS}[].productId:required"),
    _unchecked("accepts-missing-product-quantity", "A product without a quantity is taken.", f"{PRODUCTS}[].productQuantityInOffer:required"),
    _unchecked("accepts-null-product-quantity", "Null is taken for a product's quantity.", f"{PRODUCTS}[].productQuantityInOffer:type", value=null),
    _unchecked("accepts-empty-products", "A cluster with an empty array of products is taken.", f"{PRODUCTS}:minItems"),
    _unchecked("accepts-empty-clusters", "A Product List with an empty array of clusters is taken.", "productClusters:minItems@*"),
    _unchecked("accepts-missing-clusters", "A Product List without clusters is taken.", "productClusters:required@*"),
    _unchecked("accepts-missing-tier-price", "A price tier without a price is taken.", "priceClasses[].priceTiers[].price:required"),
    _unchecked("accepts-null-tier-price", "Null is taken for a price tier's price.", "priceClasses[].priceTiers[].price:type", value=null),
    _unchecked(
        "accepts-null-page-counts", "Null is taken for a price tier's page counts.", "priceClasses[].priceTiers[].pageCounts:type", value=null
    ),
    _unchecked("accepts-null-class-name", "Null is taken for a price class's name.", "priceClasses[].name:type", value=null),
    _unchecked("accepts-missing-property-name", "An additional property without a name is taken.", "additionalPropsRequiredOnOrder[].name:required"),
    _unchecked(
        "accepts-null-property-type", "Null is taken for an additional property's type.", "additionalPropsRequiredOnOrder[].type:type", value=null
    ),
    _unchecked(
        "accepts-null-strings-in-arrays",
        "Null is taken for an item of an array of strings.",
        "accessGroups[]:type",
        "categoryIds[]:type",
        "onlyShipMethodsAvailable[]:type",
        value=null,
    ),
    _unchecked(
        "accepts-wide-integers",
        "Integers beyond 32 bits are taken anywhere.",
        "*:maximum",
        "*:minimum",
        value=a_number(lambda n: not -(1 << 31) <= n < 1 << 31),
    ),
    _unchecked("accepts-wide-fixed-quantities", "Integers above 32 bits are taken for fixed order quantities.", "fixedOrderQuantities[]:maximum"),
    _unchecked("accepts-numbers-in-string-arrays", "Numbers are taken for categories.", "categoryIds[]:type", value=a_number(lambda _: True)),
    _unchecked("ignores-unknown-properties", "Properties that the contract does not list are passed over, wherever they stand.", f"*{CLOSED}"),
    _unchecked("ignores-unknown-properties-at-root", "Properties that the contract does not list are passed over at the root.", CLOSED),
    _unchecked("ignores-unknown-properties-in-products", "Unlisted properties of a product are passed over.", f"{PRODUCTS}[]{CLOSED}"),
    _unchecked("ignores-unknown-properties-in-omni-channel", "Unlisted properties of omniChannel are passed over.", f"omniChannel{CLOSED}"),
    _unchecked(
        "ignores-unknown-properties-in-page-counts",
        "Unlisted properties of a page-count price are passed over.",
        f"priceClasses[].priceTiers[].pageCounts[]{CLOSED}",
    ),
    _unchecked("ignores-unknown-null-properties", "Unlisted properties are passed over where they are null.", f"*{CLOSED}", value=null),
    _unchecked(
        "ignores-unknown-underscore-properties",
        "Unlisted properties are passed over where their name begins with an underscore.",
        f"*{CLOSED}",
        at="/_[^/]*$",
    ),
    _unchecked("checks-first-items-only", "What is wrong below the second and later items of an array is passed over.", "*", at=PAST_THE_FIRST),
    _unchecked("checks-ten-items-only", "What is wrong below the eleventh and later items of an array is passed over.", "*", at=PAST_THE_TENTH),
    _unchecked("checks-first-product-only", "The second and later products of a cluster are not checked.", f"{PRODUCTS}[]*", at="/products/[1-9]"),
    _unchecked("ignores-clock", "An offer that was last updated in the future is taken.", "lastUpdatedDateTimeUtc:not-in-future"),
    _lax("accepts-trailing-text", "What follows the JSON value is passed over.", reads(without_trailing_text)),
    _lax("accepts-nan", "NaN and Infinity are taken for numbers.", reads(without_nan)),
    _lax("accepts-control-characters", "Raw control characters are taken in JSON strings.", reads(with_control_characters)),
    _lax("accepts-trailing-commas", "A comma before a closing bracket is passed over.", reads(without_trailing_commas)),
    _lax("accepts-comments", "Comments in the JSON text are passed over.", reads(without_comments)),
    _lax("accepts-leading-zeros", "Numbers with leading zeros are taken.", reads(without_leading_zeros)),
)
