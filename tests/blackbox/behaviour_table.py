"""Targets with a mistake, each with what a campaign says about it: one sentence for each mistake."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final
from unicodedata import bidirectional

from behaviours import (
    EDGES,
    OFFER,
    PRICING,
    PRODUCTS,
    VALID,
    Accepts,
    Condition,
    any_at,
    any_string,
    check,
    conforming,
    crashing,
    everything_in,
    excusing,
    is_null,
    lenient,
    objects,
    parsed,
    strict,
    values_at,
)

import brokerfuzz

PAGE_COUNT: Final = "productClusters[].products[].pageCount"
QUANTITY: Final = "productClusters[].products[].productQuantityInOffer"


@dataclass(frozen=True)
class Behaviour:
    """A campaign with the `chosen` cases must say exactly `texts`. A text may end with `…`, which stands for anything. The
    line of code, with which crashes begin, is left out.
    """

    accepts: Callable[[bytes], Any]
    texts: tuple[str, ...]
    message_type: brokerfuzz.MessageType = OFFER
    chosen: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(self.texts) or "no finding"


def target(
    accepts: Callable[[bytes], Any], *texts: str, message_type: brokerfuzz.MessageType = OFFER, **chosen: Any
) -> Behaviour:
    return Behaviour(accepts, texts, message_type, chosen)


def excused(pattern: str, message_type: brokerfuzz.MessageType = OFFER) -> Accepts:
    """Accepts a message if the regular expression matches the rule, the place and the value of everything that is wrong."""
    return excusing(lambda one: re.search(pattern, f"{one.rule} {one.at} {one.found}"), message_type)


def accepting(pattern: str, *texts: str, message_type: brokerfuzz.MessageType = OFFER, **chosen: Any) -> Behaviour:
    return target(excused(pattern, message_type), *texts, message_type=message_type, **chosen)


def rejecting(
    refuses: Condition, *texts: str, message_type: brokerfuzz.MessageType = OFFER, **chosen: Any
) -> Behaviour:
    """Rejects some valid messages."""
    return target(strict(refuses, conforming(message_type)), *texts, message_type=message_type, **(chosen or EDGES))


def rejecting_at(path: str, is_refused: Callable[[Any], object], condition: str, **chosen: Any) -> Behaviour:
    return rejecting(any_at(path, is_refused), f"{path}: rejected if {condition}", **chosen)


def rejecting_strings(is_refused: Callable[[str], object], condition: str) -> Behaviour:
    return rejecting(any_string(is_refused), f"any string: rejected if {condition}", message_type=PRICING)


def crashing_if(
    fails: Condition, condition: str, message_type: brokerfuzz.MessageType = OFFER, **chosen: Any
) -> Behaviour:
    accepts = crashing(fails, conforming(message_type))
    return target(accepts, f"crashes (RuntimeError) if {condition}", message_type=message_type, **(chosen or EDGES))


# -------------------------------------------------------------------------------------------------------- no mistakes


CORRECT = [
    target(conforming(PRODUCTS), message_type=PRODUCTS),
    rejecting(any_string(lambda text: len(text) > 255), message_type=PRICING, tags=["edge:*", "probe:string-length"]),
]

# -------------------------------------------------------------------------------------------- invalid messages accepted


def reads_objects(body: bytes) -> bool:
    return parsed(body) != {}


def checks_page_counts_without_surcharge(body: bytes) -> bool:
    has_surcharge = any("surcharge" in product for product in objects(parsed(body), "products"))
    return conforming()(body) or (has_surcharge and lenient("*.pageCount:minimum")(body))


def found_value(body: bytes, at: str) -> Any:
    value: Any = parsed(body)
    for step in at.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def converts(body: bytes) -> bool:
    """Converts strings, numbers and booleans, and does not check a minimum."""
    return all(
        violation.rule.endswith(".quantity:minimum")
        or (violation.rule.endswith(":type") and isinstance(found_value(body, violation.at), str | int))
        for violation in check(PRICING, body).broken
    )


def converts_at_one_place(body: bytes) -> bool:
    """Checks only the first cluster, which seems to convert values of all types, and converts one property."""
    value = parsed(body).get("orderMaximum")
    is_converted = isinstance(value, str | bool) and lenient("orderMaximum:type")(body)
    return is_converted or excused(" /productClusters/[1-9]")(body)


def checks_products_only_in_product_lists(body: bytes) -> bool:
    is_list = parsed(body).get("offerType") == "Product List"
    return all(violation.at.startswith("/productClusters") and not is_list for violation in check(OFFER, body).broken)


FEW_RULES: Final[dict[str, Any]] = {"rules": ["*:minimum", "*:minLength"]}
UNKNOWN: Final[dict[str, Any]] = {"rules": ["*:additionalProperties"], "verdicts": ["invalid"]}
IN_ANOTHER_CASE: Final = r"\S*/(?!number |name |price )(?i:number|name|price) "
LENIENT = [
    accepting(r" /categoryIds/\d\d", "categoryIds: only the first 10 items are checked", rules=["categoryIds*"]),
    target(checks_page_counts_without_surcharge, f"{PAGE_COUNT}: accepted 0; must be at least 1", rules=[PAGE_COUNT]),
    target(reads_objects, "accepts (almost) every invalid message", **FEW_RULES),
    accepting(
        "", "orderMinimum: accepted 0; must be at least 1", rules=["*orderMinimum:minimum"], verdicts=["invalid"]
    ),
    accepting(
        ":(minimum|maximum) ", "accepts numbers below the minimum", "accepts integers beyond 32 bits",
        rules=["*order*:minimum", "*order*:maximum", "*Quantity:minimum", "number:required"], verdicts=["invalid"],
    ),
    accepting(
        r"pageCount:minimum |:maximum |:type \S* 1\.", "data.offers[].pageCount: accepted 0; must be at least 1",
        "accepts integers beyond 32 bits", "accepts fractions for integers",
        message_type=PRICING, rules=["*pageCount", "*quantity"], verdicts=["invalid"],
    ),
    accepting(
        f"{re.escape(QUANTITY)}:(minimum|maximum|type) ",
        f"{QUANTITY}: does not always check type, minimum and maximum", rules=[QUANTITY],
    ),
    target(
        converts, "converts values of wrong types…", "data.offers[].quantity: accepted 0; must be at least 1",
        message_type=PRICING, rules=["*:type", "*quantity:minimum", "!*/:type"], verdicts=["invalid"],
    ),
    target(
        converts_at_one_place, "productClusters: only the first item is checked",
        "orderMaximum: accepts strings and booleans for numbers",
        rules=[PAGE_COUNT, "productClusters[].products[].productId", "orderMaximum"],
    ),
    accepting(
        f":additionalProperties (/omniChannel/|{IN_ANOTHER_CASE})", "accepts names of properties in another case",
        "omniChannel: nothing is checked", **UNKNOWN,
    ),
    accepting(
        "/failureMessages:required | /failureMessages null$", "failureMessages: accepted if it is missing or null",
        message_type=PRICING, techniques=["removed", "null-instead"],
    ),
    accepting(
        r"\.products:(required@offerType=Product-List|type@offerType=Product-List \S* null$)",
        "productClusters[].products: accepted if it is missing or null",
        rules=["productClusters", "productClusters[].products", "offerType"], verdicts=["invalid"],
    ),
    accepting(
        r"/(failureMessages\[\]|operationWasSuccessful):type ",
        "failureMessages[] and operationWasSuccessful: does not check types",
        message_type=PRODUCTS, verdicts=["invalid"],
    ),
    accepting(
        r"/priceTiers/[1-9]\d*/price (null|nothing)$",
        "priceClasses[].priceTiers[].price in a later item: accepted if it is missing or null",
        rules=["priceClasses[].priceTiers[].price"],
    ),
    accepting(
        r" /data/[1-9]\d*/weight true$", "data[].weight in a later item: accepted true; must be a number or null",
        message_type=PRODUCTS, rules=["data[].weight"],
    ),
    accepting(
        r":type \S* null$", "accepts null for strings, numbers and objects",
        message_type=PRICING, rules=["*offers[]*:type", "*customerId:type"], verdicts=["invalid"],
    ),
    target(
        checks_products_only_in_product_lists, 'productClusters: nothing is checked if offerType is not "Product List"',
        rules=["productClusters[]*:type", "priceClasses", "offerType"], verdicts=["invalid"],
    ),
    accepting(
        r"^\S*@", "the rules for offerType=Product-List are not checked",
        rules=["productClusters", "productClusters[].products", "offerType"], verdicts=["invalid"],
    ),
]  # fmt: skip

# ---------------------------------------------------------------------------------------------- valid messages rejected

WORDS: Final = ("null", "true", "false", "NaN", "undefined", "None")


def repeats_the_value(body: bytes) -> str:
    comments = parsed(body).get("comments") or "none"
    return "accepted" if comments.isalpha() else f"rejected: bad comment {comments}!"


def lacks_a_file(message: dict[str, Any]) -> bool:
    later_products = [product for products in values_at(message, PRODUCTS_OF_CLUSTERS) for product in products[1:]]
    return any(product.get("associatedFileName") is None for product in later_products)


def repeats(name: str, message: dict[str, Any]) -> bool:
    values = [record.get(name) for record in message.get("data") or []]
    return len(set(values)) < len(values)


def has_rising_limits(values: dict[str, Any], low: str = "orderMinimum", high: str = "orderMaximum") -> bool:
    return values.get(low) is not None and values.get(high) is not None and bool(values[low] < values[high])


def has_more_digits(most: int, price: float) -> bool:
    """As pydantic and databases count the digits of a decimal."""
    decimals = Decimal(repr(price))
    return len(f"{abs(decimals):f}".replace(".", "").lstrip("0")) > most or -decimals.as_tuple().exponent > most  # type: ignore[operator]


def is_longer(most: int) -> Callable[[Any], bool]:
    return lambda value: len(value) > most


def is_above(limit: float) -> Callable[[Any], bool]:
    return lambda number: number > limit


def names_what_is_empty(body: bytes) -> bool:
    for record in objects(parsed(body), "data"):
        for name in ("productId", "productNumber"):
            if record.get(name) == "":
                raise ValueError(f"{name} is missing")
    return conforming(PRODUCTS)(body)


def lacks_a_tax_choice(message: dict[str, Any]) -> bool:
    """Two of the values are those of the ordinary message."""
    return message.get("isActive") is message.get("requiresApproval") is True and message.get("isTaxable") is None


def has_only_a_thumbnail(message: dict[str, Any]) -> bool:
    return bool(message.get("thumbnailUrl")) and message.get("fullImageUrl") is None


def has_omni_channel_in_vain(message: dict[str, Any]) -> bool:
    return message.get("omniChannel") is not None and message.get("offerType") != "Omnichannel"


def has_a_type_without_its_property(message: dict[str, Any]) -> bool:
    has_quantities = message.get("offerType") == "Drop Ship" and message.get("fixedOrderQuantities") is not None
    return has_quantities or (message.get("offerType") == "Download" and not message.get("pdfUrl"))


def has_a_subject_without_body(message: dict[str, Any]) -> bool:
    return message.get("secureEmailSubject") is not None and message.get("secureEmailBody") is None


def has_other_characters(message: dict[str, Any]) -> bool:
    return any(re.search("[^A-Za-z0-9-]", message.get(name) or "") for name in ("number", "unitOfMeasure"))


def surcharge_of(offer: dict[str, Any]) -> Decimal:
    unit, quantity, extended = (Decimal(repr(offer[name])) for name in ("unitPrice", "quantity", "extendedPrice"))
    return extended - unit * quantity


def has_blank_product(message: dict[str, Any]) -> bool:
    is_blank = any_at(f"{PRODUCTS_OF_CLUSTERS}[].productId", lambda text: not text.strip(" \t\n"))
    return message["offerType"] == "Product List" and bool(is_blank(message))


PRODUCTS_OF_CLUSTERS: Final = "productClusters[].products"
OF_PRODUCTS: Final[dict[str, Any]] = {"message_type": PRODUCTS, "verdicts": ["valid"]}
OF_PRICES: Final[dict[str, Any]] = {"message_type": PRICING, "verdicts": ["valid"]}


def is_unsuitable_weight(weight: float) -> bool:
    """As if it were stored as a number with five digits before the decimal point, and four behind it."""
    return weight > 99_999.99 or round(weight, 4) != weight


REJECTING = [
    rejecting_at("isActive", lambda flag: not flag, "it is false"),
    rejecting(
        lambda message: any(map(is_null("surcharge"), objects(message, "products"))),
        f"{PRODUCTS_OF_CLUSTERS}[].surcharge: rejected if it is null",
    ),
    rejecting(
        lambda message: is_null("comments")(message) or message.get("description") == "",
        "comments: rejected if it is null", "description: rejected if it is empty", **VALID,
    ),
    rejecting(
        any_at("omniChannel.offers[]", lambda offer: "offerId" not in offer),
        "omniChannel.offers[].offerId: rejected if it is absent",
    ),
    rejecting(
        lambda message: len(message.get("accessGroups") or ()) > 9 or has_rising_limits(message),
        "accessGroups: rejected if it has more than 9 items", "orderMinimum: rejected if it is below orderMaximum",
    ),
    rejecting(
        lambda message: lacks_a_tax_choice(message) or has_only_a_thumbnail(message) or is_null("surcharge")(message),
        "isTaxable: rejected if it is absent or null, isActive is true and requiresApproval is true",
        "fullImageUrl: rejected if it is absent or null and thumbnailUrl has a value",
        "surcharge: rejected if it is null", **VALID,
    ),
    rejecting(
        lambda message: "description" not in message and "comments" in message,
        "description: rejected if it is absent and comments is present", **VALID,
    ),
    rejecting(
        lambda message: message.get("isActive") is True and "'" in str(message.get("comments")),
        'comments: rejected if it contains "\'" and isActive is true',
    ),
    rejecting_at("number", lambda text: "\n" in text, 'it contains "\\n"'),
    rejecting_at("secureEmailSubject", is_longer(100), "it is longer than 100 characters"),
    rejecting_at("fixedOrderQuantities[]", lambda number: number < 1, "it is below 1"),
    rejecting_at("defaultPrice", lambda number: has_more_digits(12, number), "it has more than 12 digits"),
    rejecting_at("surcharge", lambda number: type(number) is int, "it is written as an integer"),
    rejecting(
        has_a_type_without_its_property, 'offerType: rejected if it is "Download" and pdfUrl is absent or null',
        'offerType: rejected if it is "Drop Ship" and fixedOrderQuantities has a value', **VALID,
    ),
    rejecting(
        lambda message: "id" not in (message.get("productClusters") or [{"id": ""}])[0]
        or any(map(is_above(10_000), values_at(message, f"{PRODUCTS_OF_CLUSTERS}[].productQuantityInOffer"))),
        "productClusters[].id: rejected if it is absent",
        f"{PRODUCTS_OF_CLUSTERS}[].productQuantityInOffer: rejected if it is above 10,000",
    ),
    rejecting(
        any_at("fixedOrderQuantities", lambda quantities: quantities != sorted(quantities)),
        "fixedOrderQuantities[]: rejected if it is below the one in the item before", **VALID,
    ),
    rejecting(
        has_blank_product,
        'offerType: rejected if it is "Product List" and productClusters[].products[].productId contains only spaces, tabs '
        "and line breaks",
    ),
    rejecting(
        lambda message: (message.get("orderMinimum") or 0) == message.get("orderMaximum"),
        "orderMinimum: rejected if it is equal to orderMaximum", **VALID,
    ),
    rejecting_strings(lambda text: "&" in text, 'it contains "&"'),
    rejecting_strings(lambda text: not text.isascii(), "it contains a character beyond ASCII"),
    rejecting_strings(lambda text: max(text, default="") > "\xff", "it contains a character beyond Latin-1"),
    rejecting(
        any_at("data[].weight", is_unsuitable_weight),
        "data[].weight: rejected if it is above 99,999.99",
        "data[].weight: rejected if it has more than 6 decimal places",
        **OF_PRODUCTS,
    ),
    rejecting(
        any_at("data[]", lambda record: record.get("unitOfMeasure") is not None and "productOwner" not in record),
        "data[].productOwner: rejected if it is absent and data[].unitOfMeasure has a value",
        **OF_PRODUCTS,
    ),
    rejecting_strings(lambda text: "../" in text, 'it contains "../"'),
    rejecting_strings(lambda text: text in WORDS, "it is a word such as null, true or NaN"),
    rejecting_strings(
        lambda text: any(bidirectional(letter) in ("R", "AL", "RLO") for letter in text),
        "it contains right-to-left letters",
    ),
    rejecting_strings(lambda text: max(text, default="") > "\uffff", "it contains a character beyond U+FFFF"),
    rejecting_strings(is_longer(50), "it is longer than 50 characters"),
    rejecting_strings(
        lambda text: len(text.encode("utf-16-le", "surrogatepass")) > 100, "it is longer than 50 characters in UTF-16"
    ),
    rejecting_strings(
        lambda text: bool(text) and not text.strip(" \t\r\n"), "it contains only spaces, tabs and line breaks"
    ),
    target(
        names_what_is_empty, "data[].productNumber and data[].productId: rejected if it is empty", **OF_PRODUCTS,
    ),
    rejecting_at("data.offers", is_longer(3), "it has more than 3 items", **OF_PRICES),
    rejecting_at("data.totalExtendedPrice", lambda total: total > 50_000, "it is above 50,000", **OF_PRICES),
    rejecting_at("data.offers[].extendedPrice", lambda price: price > 50_000, "it is above 50,000", **OF_PRICES),
    rejecting(
        lambda message: any(map(surcharge_of, objects(message, "offers"))),
        "data.offers[].extendedPrice: rejected if it is not unitPrice * quantity", **OF_PRICES,
    ),
    rejecting(lambda message: message.get("data") == [], "data: rejected if it is empty", **OF_PRODUCTS),
    target(
        crashing(
            any_at("data.offers[].productIds", is_longer(5)),
            strict(
                lambda message: message["informationalMessages"] and not message["operationWasSuccessful"],
                conforming(PRICING),
            ),
        ),
        "crashes (RuntimeError) if data.offers[].productIds has more than 5 items",
        "operationWasSuccessful: rejected if it is false and informationalMessages is not empty", **OF_PRICES,
    ),
    rejecting(
        any_string(lambda text: text != text.strip()), "any string: rejected if it begins or ends with white space"
    ),
    rejecting_at(
        "omsOfferId", lambda text: not re.fullmatch("[A-Za-z0-9-]*", text),
        'it contains other characters than A-Z, a-z, 0-9 and "-"',
    ),
    rejecting(
        lambda message: len(message.get("additionalPropsRequiredOnOrder") or ()) > 10
        or any("-" in prop["name"] for prop in objects(message, "additionalPropsRequiredOnOrder")),
        "additionalPropsRequiredOnOrder: rejected if it has more than 10 items",
        'additionalPropsRequiredOnOrder[].name: rejected if it contains "-"',
    ),
    rejecting_at("number", lambda text: len(text) < 4, "it is shorter than 4 characters"),
    rejecting(lambda message: {} in everything_in(message), "any object: rejected if it is empty"),
    rejecting(
        lambda message: message.get("offerType") not in ("Email", "Download"),
        'offerType: rejected if it is not like "Email" or "Download"', **VALID,
    ),
    rejecting(
        any_at("priceClasses[].priceTiers[].pageCounts", lambda prices: True),
        "priceClasses[].priceTiers[].pageCounts: rejected if it has a value", rules=["*priceTiers"],
    ),
    rejecting(
        lambda message: next(iter(message)) != "data", "data: rejected if it is not the first property", **OF_PRICES
    ),
    rejecting(
        lambda message: [name for name in message if name in ("data", "failureMessages")] != ["data", "failureMessages"],
        "data: rejected if it comes after failureMessages", **OF_PRODUCTS,
    ),
    rejecting_at(
        "data.customerId", lambda text: not text.strip(), "it is empty or contains only white space", **OF_PRICES
    ),
    rejecting_at(f"{PRODUCTS_OF_CLUSTERS}[].associatedFileName", lambda name: "." not in name, 'it contains no "."'),
    rejecting_at(
        "xmVendorUStoreId", lambda text: not text.isdigit(), "it is empty or contains other characters than 0-9"
    ),
    rejecting_at(
        "data.customerId", lambda text: not text.startswith("CUS-"), 'it does not begin with "CUS-"', **OF_PRICES
    ),
    rejecting(
        lambda message: sum(1 for _ in everything_in(message)) > 40, "any message: rejected if it has more than 40 values"
    ),
    rejecting_at("failureMessages", is_longer(10), "it has more than 10 items", **OF_PRODUCTS),
    rejecting_at("failureMessages[]", lambda reason: reason == "", "it is empty", **OF_PRODUCTS),
    rejecting(
        lambda message: repeats("productNumber", message), "data[].productNumber: rejected if it occurs in two items",
        **OF_PRODUCTS,
    ),
    rejecting_at(
        "data.totalExtendedPrice", lambda total: abs(total) < 1e6 and round(total, 2) != total,
        "it has more than two decimal places", **OF_PRICES,
    ),
    *(
        target(
            lambda body, pattern=pattern: not re.search(pattern, body) and conforming(PRICING)(body),  # type: ignore[misc]
            f"any message: rejected if there is {notation}", **OF_PRICES,
        )
        for pattern, notation in (
            (rb":[0-9.-]+[eE]", "an exponent"),
            (rb'"[^"]*\\u[0-9a-f]{4}[^"]*"\s*:', "an escape in the name of a property"),
            (rb"\A\s", "white space before the first value"),
        )
    ),
]  # fmt: skip

# ------------------------------------------------------------------------------------------------------------- crashes


def lacks_surcharge_later(message: dict[str, Any]) -> bool:
    clusters = [cluster for cluster in (message.get("productClusters") or ())[1:] if isinstance(cluster, dict)]
    return any(is_null("surcharge")(product) for cluster in clusters for product in objects(cluster, "products"))


def has_number(test: Callable[[int], bool]) -> Condition:
    return lambda message: any(type(value) is int and test(value) for value in everything_in(message))


def asserts_a_status(body: bytes) -> None:
    if check(PRODUCTS, body).label == "invalid":
        raise ValueError
    for record in parsed(body).get("data") or []:
        assert record["status"] in {"Active", "Retired", "Draft"}, record["status"]


def divides_by_the_number_of_groups(body: bytes) -> bool:
    groups = parsed(body).get("accessGroups")
    if isinstance(groups, list | dict):
        assert 1 / len(groups)
    return conforming()(body)


def reads_2000_arrays(body: bytes) -> bool:
    if body.count(b"[") > 2000:
        raise RuntimeError
    return conforming()(body)


def reads_4300_digits(body: bytes) -> bool:
    if re.search(rb"(?<![\d.])\d{4301,}(?![\d.eE])", body):
        raise RuntimeError
    return conforming()(body)


def has_null_in_third_tier(message: dict[str, Any]) -> bool:
    return any(
        tiers[2].get("maximumQuantity", "") is None for tiers in values_at(message, PRICE_TIERS) if len(tiers) > 2
    )


def divides_by_the_pages_before_the_last(body: bytes) -> bool:
    """Reads the second of the product IDs, too."""
    data = parsed(body).get("data")
    for offer in objects({"data": data}, "offers") if isinstance(data, dict) else ():
        ids, page_count = offer.get("productIds"), offer.get("pageCount")
        if isinstance(ids, list) and ids:
            assert ids[1] is not ids
        if type(page_count) is int:
            divmod(1000, page_count - 1)
    return conforming(PRICING)(body) or excused(r"quantity:type \S* 1\.5$", PRICING)(body)


PRICE_TIERS: Final = "priceClasses[].priceTiers"
CRASHING = [
    target(
        divides_by_the_pages_before_the_last, "crashes (IndexError) if data.offers[].productIds has 1 item",
        "crashes (ZeroDivisionError) if data.offers[].pageCount is the minimum",
        "data.offers[].quantity: accepted 1.5; must be an integer",
        message_type=PRICING, rules=["*pageCount", "*productIds", "*quantity"],
    ),
    target(
        crashing(is_null("orderMaximum"), otherwise=lenient("number:minLength")),
        "crashes (RuntimeError) if orderMaximum is null", 'number: accepted ""; must have at least 1 character',
        rules=["orderMaximum", "number"],
    ),
    crashing_if(
        lambda message: any(
            product["productQuantityInOffer"] < 0 and product.get("surcharge") is not None
            for product in values_at(message, f"{PRODUCTS_OF_CLUSTERS}[]")
        ),
        f"{PRODUCTS_OF_CLUSTERS}[].productQuantityInOffer is negative and {PRODUCTS_OF_CLUSTERS}[].surcharge has a value",
        **VALID,
    ),
    crashing_if(
        any_at("comments", lambda text: "\0" in text or len(text) > 255),
        'comments contains "\\u0000" or comments is longer than 255 characters', tags=["probe:nul-characters", "probe:string-length"],
    ),
    crashing_if(
        lacks_surcharge_later,
        f"{PRODUCTS_OF_CLUSTERS}[].surcharge is null in item 2 or later of productClusters",
        verdicts=["valid"], tags=["edge:*surcharge*", "pairs*"],
    ),
    crashing_if(has_number(lambda number: not -(2**31) <= number < 2**31), "a number is an integer beyond 32 bits"),
    crashing_if(
        any_string(lambda text: any("\ud800" <= letter <= "\udfff" for letter in text)),
        "a string contains half of a surrogate pair", tags=["probe:lone-surrogates*"],
    ),
    crashing_if(
        lambda message: repeats("productId", message), "data[].productId occurs in two items",
        message_type=PRODUCTS, verdicts=["valid", "unspecified"],
    ),
    target(
        divides_by_the_number_of_groups,
        "crashes (ZeroDivisionError) if accessGroups is empty or accessGroups is unusual, such as {}",
        rules=["accessGroups", "isActive"],
    ),
    target(
        reads_2000_arrays, "crashes (RuntimeError) if there is an array nested 1,000 levels deep", rules=["*/:json"]
    ),
    crashing_if(
        lambda message: "aaa" in (message.get("omniChannel") or {}), "omniChannel.aaa…",
        rules=["*/omniChannel:additionalProperties"],
    ),
    target(asserts_a_status, 'crashes (AssertionError) if data[].status is not like "Active"', **OF_PRODUCTS),
]  # fmt: skip

# ------------------------------------------------------------------------------------------------ what a mistake masks


def rejects_fractions(body: bytes) -> bool:
    """Rejects fractions in a property that most messages contain, as Go does for integers."""
    weight = parsed(body).get("weightInPounds")
    is_fraction = isinstance(weight, float) and weight % 1 != 0
    return not is_fraction and lenient(f"{PAGE_COUNT}:minimum")(body)


MASKING = [
    target(
        rejects_fractions, "weightInPounds: rejected if it has decimal places",
        f"{PAGE_COUNT}: accepted 0; must be at least 1", rules=[PAGE_COUNT, "weightInPounds", "orderMinimum"],
    ),
    rejecting(
        any_at("priceClasses[]", lambda priced: priced.get("price") is not None and priced.get("priceTiers")),
        "priceClasses[].price: rejected if it has a value and priceClasses[].priceTiers is not empty",
        rules=["priceClasses[].name", "*priceTiers"],
    ),
    crashing_if(
        any_at("data", lambda data: isinstance(data, dict) and data.get("offers") == []), "data.offers is empty",
        message_type=PRICING, rules=["data.customerId", "data"],
    ),
]  # fmt: skip
"""Cases that the mistake affects are sent again without its cause."""

BEHAVIOURS = [*CORRECT, *LENIENT, *REJECTING, *CRASHING, *MASKING]

VARIANTS = [
    rejecting(
        lambda message: len(json.dumps(message)) > 2000,
        "any message: rejected if it has more than 2,000 characters as Python writes it",
    ),
    rejecting(
        any_string(lambda text: "<" in text or ">" in text), 'any string: rejected if it contains ">" or it contains "<"'
    ),
    rejecting(
        lambda message: has_omni_channel_in_vain(message) or has_a_subject_without_body(message),
        'omniChannel: rejected if it has a value and offerType is not "Omnichannel"',
        "secureEmailBody: rejected if it is absent or null and secureEmailSubject has a value", **VALID,
    ),
    crashing_if(
        any_at(PRICE_TIERS, lambda tiers: len(tiers) == 3), f"{PRICE_TIERS} has 3 items", verdicts=["valid"]
    ),
    rejecting(has_other_characters, "number: rejected if it …", "unitOfMeasure: rejected if it …"),
    rejecting_at("comments", lambda text: 0 < len(text) < 10, "it is shorter than 10 characters, but not empty"),
    rejecting_at("surcharge", lambda price: price > 99_999.99, "it is above 99,999.99", **VALID),
    rejecting_at("unitOfMeasure", lambda text: text != text.upper(), "it contains a small letter"),
    rejecting(
        lambda message: any(type(value) in (int, float) and abs(value) > 2**53 for value in everything_in(message)),
        "any number: rejected if it is beyond 53 bits",
    ),
    rejecting(lambda message: len(message) > 20, "message: rejected if it has more than 20 properties", **VALID),
    target(repeats_the_value, "comments: rejected if it is unusual, such as …", **EDGES),
    target(conforming()),
    target(lambda body: check(OFFER, body).label == "valid"),
    target(conforming(PRICING), message_type=PRICING),
    accepting(":additionalProperties ", "ignores unknown properties"),
    accepting(" /productClusters/[1-9]", "productClusters: only the first item is checked"),
    rejecting(
        lambda message: "isActive" not in message and "description" not in message,
        "description: rejected if it is absent and isActive is absent",
    ),
    rejecting(
        any_at("priceClasses[].priceTiers[]", lambda tier: has_rising_limits(tier, "minimumQuantity", "maximumQuantity")),
        "priceClasses[].priceTiers[].minimumQuantity: rejected if it is below maximumQuantity", **VALID,
    ),
    rejecting_at(
        "weightInPounds", lambda number: isinstance(number, float), "it has a decimal point or an exponent"
    ),
    rejecting_at(
        "fullImageUrl", lambda url: url and not url.endswith(".png"), 'it does not end with ".png", but is not empty'
    ),
    rejecting_at(
        "comments", lambda text: text and not text.replace(" ", "").isalpha(), "it is unusual, such as …"
    ),
    rejecting(
        lambda message: message.get("offerType") == "Omnichannel" and message.get("omniChannel") is None,
        'offerType: rejected if it is "Omnichannel" and omniChannel is absent or null', **VALID,
    ),
    rejecting(
        lacks_a_file,
        f"{PRODUCTS_OF_CLUSTERS}[].associatedFileName: rejected if it is absent or null in item 2 or later of "
        f"{PRODUCTS_OF_CLUSTERS}", **VALID,
    ),
    crashing_if(
        any_at("orderMinimum", lambda value: isinstance(value, int) and abs(value) >= 1 << 63),
        "orderMinimum is an integer beyond 64 bits", rules=["orderMinimum"],
    ),
    target(reads_4300_digits, "crashes (RuntimeError) if …", tags=["probe:double-range"]),
    crashing_if(
        has_null_in_third_tier, f"{PRICE_TIERS}…", verdicts=["valid"], tags=["edge:priceClasses*", "pairs*"]
    ),
    rejecting(
        lambda message: any(surcharge_of(offer) > Decimal("0.005") for offer in objects(message, "offers")),
        "data.offers[].extendedPrice: rejected if it is not about unitPrice * quantity", **OF_PRICES,
    ),
    accepting(f":additionalProperties {IN_ANOTHER_CASE}", "accepts names of properties in another case", **UNKNOWN),
    rejecting_at("description", lambda text: len(text.encode()) > 200, "it is longer than 200 bytes in UTF-8"),
    rejecting_at("accessGroups", lambda groups: not groups, "it is empty"),
    rejecting_at("orderMaximum", lambda number: number > 123_456, "it is above 123,456"),
    target(
        crashing(is_null("weightInPounds"), lenient(f"{PAGE_COUNT}:minimum")),
        "crashes (RuntimeError) if weightInPounds is null", f"{PAGE_COUNT}: accepted 0; must be at least 1",
        rules=[PAGE_COUNT, "weightInPounds", "isActive"],
    ),
]  # fmt: skip
"""Whole campaigns, and further variants of what other rows show."""
