"""Bugs that refuse what the contract allows."""

import re

from brokerfuzz.service.flaws import Bug, Test, a_number, a_text, an_array, lacks, null, puts, refuses, refuses_text

PRODUCTS = "productClusters[].products[]"
TIERS = "priceClasses[].priceTiers[]"


def _strict(name: str, text: str, site: str, test: Test, demanded: str) -> Bug:
    return Bug(name, "too-strict", text, refuses(site, test, demanded))


def _strict_on_text(name: str, text: str, pattern: bytes, demanded: str) -> Bug:
    return Bug(name, "too-strict", text, refuses_text(pattern, demanded))


BUGS = (
    _strict("refuses-empty-description", "An empty description is refused.", "description", a_text(lambda t: not t), "a description of some words"),
    _strict(
        "refuses-blank-comments",
        "Comments of blanks alone are refused.",
        "comments",
        a_text(lambda t: t != "" and not t.strip()),
        "comments of some words",
    ),
    _strict(
        "refuses-blank-number",
        "An offer number of blanks alone is refused.",
        "number",
        a_text(lambda t: not t.strip()),
        "a number of more than blanks",
    ),
    _strict(
        "refuses-lower-case-number",
        "An offer number with a small letter is refused.",
        "number",
        a_text(lambda t: t != t.upper()),
        "a number in capitals",
    ),
    _strict("refuses-negative-price", "A negative default price is refused.", "defaultPrice", a_number(lambda n: n < 0), "a price of at least 0"),
    _strict("refuses-zero-price", "A price of 0 is refused in a price tier.", f"{TIERS}.price", a_number(lambda n: n == 0), "a price"),
    _strict(
        "refuses-negative-surcharge",
        "A negative surcharge of a product is refused.",
        f"{PRODUCTS}.surcharge",
        a_number(lambda n: n < 0),
        "a surcharge of at least 0",
    ),
    _strict(
        "refuses-fractions-of-cents",
        "A default price with more than two decimals is refused.",
        "defaultPrice",
        a_number(lambda n: round(n, 2) != n),
        "a price in cents",
    ),
    _strict(
        "refuses-zero-quantity",
        "A product quantity of 0 is refused.",
        f"{PRODUCTS}.productQuantityInOffer",
        a_number(lambda n: n == 0),
        "a quantity of at least 1",
    ),
    _strict(
        "refuses-negative-tier-quantity",
        "A negative quantity is refused in a price tier.",
        f"{TIERS}.minimumQuantity",
        a_number(lambda n: n < 0),
        "a quantity of at least 0",
    ),
    _strict(
        "refuses-large-order-maximum", "An order maximum above 32,767 is refused.", "orderMaximum", a_number(lambda n: n > 32767), "at most 32767"
    ),
    _strict("refuses-zero-weight", "A weight of 0 is refused.", "weightInPounds", a_number(lambda n: n == 0), "a weight above 0"),
    _strict(
        "refuses-astral-text",
        "Text beyond the basic plane (most emoji) is refused.",
        "**",
        a_text(lambda t: any(ord(c) > 0xFFFF for c in t)),
        "text of the basic plane",
    ),
    _strict("refuses-non-ascii-text", "Text beyond ASCII is refused.", "**", a_text(lambda t: not t.isascii()), "ASCII text"),
    _strict("refuses-long-text", "Texts of more than 255 characters are refused.", "**", a_text(lambda t: len(t) > 255), "at most 255 characters"),
    _strict("refuses-line-breaks", "Texts of several lines are refused.", "**", a_text(lambda t: "\n" in t), "text of one line"),
    _strict(
        "refuses-markup",
        "Text that looks like a tag is refused.",
        "**",
        a_text(lambda t: re.search("<[a-zA-Z/!]", t) is not None),
        "text without markup",
    ),
    _strict("refuses-apostrophes", "Text with an apostrophe is refused.", "**", a_text(lambda t: "'" in t), "text without apostrophes"),
    _strict("refuses-null-description", "Null is refused for a description.", "description", null, "a text"),
    _strict("refuses-null-omni-channel", "Null is refused for omniChannel.", "omniChannel", null, "an object"),
    _strict("refuses-null-price-tiers", "Null is refused for a price class's tiers.", "priceClasses[].priceTiers", null, "an array"),
    _strict("refuses-null-page-count", "Null is refused for a product's page count.", f"{PRODUCTS}.pageCount", null, "an integer"),
    _strict("refuses-null-flags", "Null is refused for isActive.", "isActive", null, "a boolean"),
    _strict("refuses-absent-description", "An offer without a description is refused.", "", lacks("description"), "a description"),
    _strict("refuses-absent-class-price", "A price class without a price is refused.", "priceClasses[]", lacks("price"), "a price"),
    _strict(
        "refuses-absent-property-type",
        "An additional property without a type is refused, although it has a default.",
        "additionalPropsRequiredOnOrder[]",
        lacks("type"),
        "a type",
    ),
    _strict(
        "refuses-empty-arrays", "Empty arrays are refused, also where they are allowed.", "**", an_array(lambda items: not items), "at least one item"
    ),
    _strict(
        "refuses-more-than-ten-items",
        "Arrays of more than ten items are refused.",
        "**",
        an_array(lambda items: len(items) > 10),
        "at most ten items",
    ),
    _strict(
        "refuses-second-clusters",
        "More than one product cluster is refused.",
        "productClusters",
        an_array(lambda items: len(items) > 1),
        "one cluster",
    ),
    _strict(
        "refuses-late-offer-type",
        "An offer type that comes after the clusters in the text is refused.",
        "",
        puts("offerType", "productClusters"),
        "the offer type first",
    ),
    _strict(
        "refuses-late-product-id",
        "A product ID that comes after the quantity in the text is refused.",
        PRODUCTS,
        puts("productId", "productQuantityInOffer"),
        "the product ID first",
    ),
    _strict(
        "refuses-fractional-seconds",
        "A time with a fraction of a second is refused.",
        "availableStartDate",
        a_text(lambda t: "." in t),
        "whole seconds",
    ),
    _strict(
        "refuses-past-start",
        "Availability from before the year 2000 is refused.",
        "availableStartDate",
        a_text(lambda t: t < "2000"),
        "a start in this century",
    ),
    _strict(
        "refuses-hyphenless-ids",
        "Product IDs without a hyphen are refused.",
        f"{PRODUCTS}.productId",
        a_text(lambda t: "-" not in t),
        "an ID with a hyphen",
    ),
    _strict_on_text("refuses-escaped-text", "A character that is written as a \\u escape is refused.", rb"\\u[0-9a-fA-F]{4}", "plain characters"),
    _strict_on_text("refuses-line-breaks-in-json", "JSON that is laid out in lines is refused.", rb"[\r\n]", "JSON in one line"),
    _strict_on_text(
        "refuses-exponents",
        "A number that is written with an exponent is refused.",
        rb"[:\[,]\s*-?[0-9.]+[eE][+-]?[0-9]",
        "a number without exponent",
    ),
)
