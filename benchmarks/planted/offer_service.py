"""An offer service that checks parsed JSON with its own functions, like a small service that uses no library."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

OFFER_TYPES = ("Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM")
STRINGS = (
    "omsOfferId", "xmVendorTemplateId", "xmVendorUStoreId", "description", "comments", "availableStartDate", "availableEndDate",
    "lastUpdatedDateTimeUtc", "deliveryScheduleCron", "fullImageUrl", "thumbnailUrl", "pdfUrl", "secureEmailSubject", "secureEmailBody",
    "unitOfMeasure",
)  # fmt: skip
NUMBERS = ("defaultPrice", "surcharge", "weightInPounds")
BOOLEANS = ("doSuppressShippingAndHandling", "isActive", "isAvailableViaCoopFunds", "isInventoried", "isTaxable", "requiresApproval")
STRING_ARRAYS = ("accessGroups", "categoryIds", "onlyShipMethodsAvailable")
OTHERS = (
    "number", "offerType", "fixedOrderQuantities", "orderMinimum", "orderMaximum", "additionalPropsRequiredOnOrder", "omniChannel",
    "priceClasses", "productClusters",
)  # fmt: skip


class RejectedError(Exception):
    """The offer breaks a rule of the contract."""


def accepts(body: bytes, now: datetime) -> bool:
    try:
        check_offer(json.loads(body, parse_constant=reject), now)
    except (RejectedError, ValueError, RecursionError):
        return False
    return True


# ---------------------------------------------------------------------------------------------------------- values


def reject(value: Any) -> None:
    raise RejectedError(value)


def require(holds: bool, value: Any) -> None:
    if not holds:
        raise RejectedError(value)


def string(value: Any) -> None:
    require(isinstance(value, str), value)


def boolean(value: Any) -> None:
    require(isinstance(value, bool), value)


def number(value: Any) -> None:
    require(isinstance(value, int | float) and not isinstance(value, bool), value)


def int32(value: Any) -> None:
    require(isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31, value)


def properties(value: Any, known: Iterable[str], required: Iterable[str] = ()) -> None:
    require(isinstance(value, dict) and set(value) <= set(known) and set(required) <= set(value), value)


def nullable(value: dict[str, Any], names: Iterable[str], check: Callable[[Any], None]) -> None:
    for name in names:
        if value.get(name) is not None:
            check(value[name])


def items(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    require(found is None or isinstance(found, list), found)
    return found or []


# ----------------------------------------------------------------------------------------------------------- shapes


def check_offer(offer: Any, now: datetime) -> None:
    properties(offer, (*STRINGS, *NUMBERS, *BOOLEANS, *STRING_ARRAYS, *OTHERS), ("number", "offerType"))
    string(offer["number"])
    require(offer["number"] != "", offer["number"])
    require(offer["offerType"] in OFFER_TYPES, offer["offerType"])
    nullable(offer, STRINGS, string)
    nullable(offer, NUMBERS, number)
    nullable(offer, BOOLEANS, boolean)
    for name in STRING_ARRAYS:
        for item in items(offer, name):
            string(item)
    for quantity in items(offer, "fixedOrderQuantities"):
        int32(quantity)
    nullable(offer, ("orderMinimum", "orderMaximum"), at_least_one)
    for prop in items(offer, "additionalPropsRequiredOnOrder"):
        check_additional_prop(prop)
    nullable(offer, ["omniChannel"], check_channels)
    for price_class in items(offer, "priceClasses"):
        check_price_class(price_class)
    for cluster in items(offer, "productClusters"):
        check_cluster(cluster)
    if offer["offerType"] == "Product List":
        clusters = items(offer, "productClusters")
        require(bool(clusters) and all(items(cluster, "products") for cluster in clusters), clusters)
    check_clock(offer.get("lastUpdatedDateTimeUtc"), now)


def at_least_one(value: Any) -> None:
    int32(value)
    require(value >= 1, value)


def check_clock(value: str | None, now: datetime) -> None:
    if value is None:
        return
    updated = datetime.fromisoformat(value)
    updated = updated if updated.tzinfo else updated.replace(tzinfo=UTC)
    require(updated <= now, value)


def check_additional_prop(prop: Any) -> None:
    properties(prop, ("name", "type", "hint", "label", "value"), ["name"])
    string(prop["name"])
    string(prop.get("type", "string"))
    nullable(prop, ("hint", "label", "value"), string)


def check_channels(channels: Any) -> None:
    properties(channels, ["offers"])
    for offer in items(channels, "offers"):
        properties(offer, ("offerId", "deliveryChannel"))
        nullable(offer, ("offerId", "deliveryChannel"), string)


def check_price_class(price_class: Any) -> None:
    properties(price_class, ("name", "price", "priceTiers"))
    string(price_class.get("name", ""))
    nullable(price_class, ["price"], number)
    for tier in items(price_class, "priceTiers"):
        check_tier(tier)


def check_tier(tier: Any) -> None:
    properties(tier, ("price", "minimumQuantity", "maximumQuantity", "pageCounts"), ["price"])
    number(tier["price"])
    nullable(tier, ("minimumQuantity", "maximumQuantity"), int32)
    for count in items(tier, "pageCounts"):
        properties(count, ("minimumPages", "maximumPages", "price"))
        nullable(count, ("minimumPages", "maximumPages"), int32)
        nullable(count, ["price"], number)


def check_cluster(cluster: Any) -> None:
    properties(cluster, ("id", "products"))
    nullable(cluster, ["id"], string)
    require(cluster.get("products") != [], cluster)
    for product in items(cluster, "products"):
        check_product(product)


def check_product(product: Any) -> None:
    properties(
        product, ("productId", "productQuantityInOffer", "associatedFileName", "pageCount", "surcharge"), ("productId", "productQuantityInOffer")
    )
    string(product["productId"])
    require(product["productId"] != "", product)
    int32(product["productQuantityInOffer"])
    nullable(product, ["associatedFileName"], string)
    nullable(product, ["pageCount"], at_least_one)
    nullable(product, ["surcharge"], number)
