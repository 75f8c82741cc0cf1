"""Defines bugs that make the service reject messages that the contract allows."""

import re

from brokerfuzz.service.flaws import (
    Bug,
    Test,
    a_number,
    a_string,
    an_array,
    lacks,
    null,
    orders_after,
    rejects,
    rejects_when,
)

PRODUCTS = "productClusters[].products[]"
TIERS = "priceClasses[].priceTiers[]"


def _strict(name: str, text: str, site: str, test: Test, demanded: str) -> Bug:
    return Bug(name, "too-strict", text, rejects(site, test, demanded))


def _strict_on_json(name: str, text: str, pattern: bytes, demanded: str) -> Bug:
    return Bug(
        name, "too-strict", text, rejects_when(lambda offer: re.search(pattern, offer.body) is not None, demanded)
    )


BUGS = (
    _strict(
        "rejects-empty-description",
        "An empty description is rejected.",
        "description",
        a_string(lambda t: not t),
        "a description that is not empty",
    ),
    _strict(
        "rejects-blank-comments",
        "Comments that contain only spaces are rejected.",
        "comments",
        a_string(lambda t: t != "" and not t.strip()),
        "comments that are not blank",
    ),
    _strict(
        "rejects-blank-number",
        "An offer number that contains only spaces is rejected.",
        "number",
        a_string(lambda t: not t.strip()),
        "a number that is not blank",
    ),
    _strict(
        "rejects-lower-case-number",
        "An offer number with a lower-case letter is rejected.",
        "number",
        a_string(lambda t: t != t.upper()),
        "an upper-case number",
    ),
    _strict(
        "rejects-negative-price",
        "A negative default price is rejected.",
        "defaultPrice",
        a_number(lambda n: n < 0),
        "a price of at least 0",
    ),
    _strict(
        "rejects-zero-price",
        "A price of 0 is rejected in a price tier.",
        f"{TIERS}.price",
        a_number(lambda n: n == 0),
        "a price",
    ),
    _strict(
        "rejects-negative-surcharge",
        "A negative surcharge of a product is rejected.",
        f"{PRODUCTS}.surcharge",
        a_number(lambda n: n < 0),
        "a surcharge of at least 0",
    ),
    _strict(
        "rejects-fractions-of-cents",
        "A default price with more than two decimals is rejected.",
        "defaultPrice",
        a_number(lambda n: round(n, 2) != n),
        "a price in cents",
    ),
    _strict(
        "rejects-zero-quantity",
        "A product quantity of 0 is rejected.",
        f"{PRODUCTS}.productQuantityInOffer",
        a_number(lambda n: n == 0),
        "a quantity of at least 1",
    ),
    _strict(
        "rejects-negative-tier-quantity",
        "A negative quantity is rejected in a price tier.",
        f"{TIERS}.minimumQuantity",
        a_number(lambda n: n < 0),
        "a quantity of at least 0",
    ),
    _strict(
        "rejects-large-order-maximum",
        "An order maximum above 32,767 is rejected.",
        "orderMaximum",
        a_number(lambda n: n > 32767),
        "at most 32767",
    ),
    _strict(
        "rejects-zero-weight",
        "A weight of 0 is rejected.",
        "weightInPounds",
        a_number(lambda n: n == 0),
        "a weight above 0",
    ),
    _strict(
        "rejects-astral-strings",
        "A string with characters beyond U+FFFF (such as most emoji) is rejected.",
        "**",
        a_string(lambda t: any(ord(c) > 0xFFFF for c in t)),
        "characters up to U+FFFF",
    ),
    _strict(
        "rejects-non-ascii-strings",
        "A string with non-ASCII characters is rejected.",
        "**",
        a_string(lambda t: not t.isascii()),
        "ASCII text",
    ),
    _strict(
        "rejects-long-strings",
        "Strings of more than 255 characters are rejected.",
        "**",
        a_string(lambda t: len(t) > 255),
        "at most 255 characters",
    ),
    _strict(
        "rejects-line-breaks",
        "Strings with line breaks are rejected.",
        "**",
        a_string(lambda t: "\n" in t),
        "text on one line",
    ),
    _strict(
        "rejects-markup",
        "A string that looks like an HTML tag is rejected.",
        "**",
        a_string(lambda t: re.search("<[a-zA-Z/!]", t) is not None),
        "text without markup",
    ),
    _strict(
        "rejects-apostrophes",
        "A string with an apostrophe is rejected.",
        "**",
        a_string(lambda t: "'" in t),
        "text without apostrophes",
    ),
    _strict("rejects-null-description", "Null as a description is rejected.", "description", null, "a string"),
    _strict("rejects-null-omni-channel", "Null as omniChannel is rejected.", "omniChannel", null, "an object"),
    _strict(
        "rejects-null-price-tiers",
        "Null as the priceTiers of a price class is rejected.",
        "priceClasses[].priceTiers",
        null,
        "an array",
    ),
    _strict(
        "rejects-null-page-counts",
        "Null as the pageCounts of a price tier is rejected.",
        "priceClasses[].priceTiers[].pageCounts",
        null,
        "an array",
    ),
    _strict(
        "rejects-null-page-count",
        "Null as the page count of a product is rejected.",
        f"{PRODUCTS}.pageCount",
        null,
        "an integer",
    ),
    _strict("rejects-null-flags", "Null as isActive is rejected.", "isActive", null, "a boolean"),
    _strict(
        "rejects-absent-description",
        "An offer without a description is rejected.",
        "",
        lacks("description"),
        "a description",
    ),
    _strict(
        "rejects-absent-class-price",
        "A price class without a price is rejected.",
        "priceClasses[]",
        lacks("price"),
        "a price",
    ),
    _strict(
        "rejects-absent-property-type",
        "An item of additionalPropsRequiredOnOrder without a type is rejected, although the type has a default.",
        "additionalPropsRequiredOnOrder[]",
        lacks("type"),
        "a type",
    ),
    _strict(
        "rejects-empty-arrays",
        "Empty arrays are rejected even if they are allowed.",
        "**",
        an_array(lambda items: not items),
        "at least one item",
    ),
    _strict(
        "rejects-more-than-ten-items",
        "Arrays of more than ten items are rejected.",
        "**",
        an_array(lambda items: len(items) > 10),
        "at most ten items",
    ),
    _strict(
        "rejects-second-clusters",
        "More than one product cluster is rejected.",
        "productClusters",
        an_array(lambda items: len(items) > 1),
        "one cluster",
    ),
    _strict(
        "rejects-late-offer-type",
        "An offer type that comes after the clusters in the JSON is rejected.",
        "",
        orders_after("offerType", "productClusters"),
        "the offer type first",
    ),
    _strict(
        "rejects-late-product-id",
        "A product ID that comes after the quantity in the JSON is rejected.",
        PRODUCTS,
        orders_after("productId", "productQuantityInOffer"),
        "the product ID first",
    ),
    _strict(
        "rejects-past-start",
        "An availableStartDate before the year 2000 is rejected.",
        "availableStartDate",
        a_string(lambda t: t < "2000"),
        "a start in the year 2000 or later",
    ),
    _strict(
        "rejects-hyphenless-ids",
        "Product IDs without a hyphen are rejected.",
        f"{PRODUCTS}.productId",
        a_string(lambda t: "-" not in t),
        "an ID with a hyphen",
    ),
    _strict_on_json(
        "rejects-escaped-strings",
        "A character written as a \\u escape is rejected.",
        rb"\\u[0-9a-fA-F]{4}",
        "plain characters",
    ),
    _strict_on_json(
        "rejects-line-breaks-in-json",
        "JSON with line breaks between values is rejected.",
        rb"[\r\n]",
        "JSON on one line",
    ),
    _strict_on_json(
        "rejects-exponents",
        "A number written with an exponent is rejected.",
        rb"[:\[,]\s*-?[0-9.]+[eE][+-]?[0-9]",
        "a number without an exponent",
    ),
)
