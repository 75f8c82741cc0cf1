"""Conditions that examples can meet, each with the smallest example that meets it.

Plain values are `"a"`, 1, `[]`, and a timestamp at the start of a year. A smallest example has an optional property
only if its condition needs this property. Most arrays contain no equal items, because the contract does not say if
equal items are allowed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis.strategies import SearchStrategy

from brokerfuzz.strategies import (
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
    offer_requests,
    pricing_responses,
    product_list_offers,
    product_list_responses,
)

Condition = Callable[[Any], object]


class Minimum(NamedTuple):
    """If an example meets the condition, Hypothesis should shrink it to `smallest`, which can contain an `AnyOf`."""

    name: str
    strategy: SearchStrategy[Any]
    condition: Condition
    smallest: Any


class AnyOf:
    """Is equal to each of `values`, or to everything without values: all are simple enough as a result of shrinking."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return not self.values or any(value == other for value in self.values)

    __hash__ = None  # type: ignore[assignment]  # equal values would need equal hashes

    def __repr__(self) -> str:
        return f"{self.values[0]!r} or similar" if self.values else "anything"


LETTER = AnyOf(*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
OTHER_ID = AnyOf(*"bcdefghijklmnopqrstuvwxyz0123456789", *(f"a-{number}" for number in range(2, 12)))
"""IDs that differ from the plain ID `a`. The contract does not say if two items of an array may have the same ID."""


def offer(**props: Any) -> dict[str, Any]:
    return {"number": "a", "offerType": "Direct Mail", **props}


def product(**props: Any) -> dict[str, Any]:
    return {"productId": "a", "productQuantityInOffer": 1, **props}


def product_list(*clusters: list[Any]) -> dict[str, Any]:
    return offer(offerType="Product List", productClusters=[{"products": products} for products in clusters])


def tiered(*tiers: Any) -> dict[str, Any]:
    return offer(priceClasses=[{"priceTiers": list(tiers)}])


def envelope(data: Any, **props: Any) -> dict[str, Any]:
    return {"data": data, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True, **props}


def record(**props: Any) -> dict[str, Any]:
    plain = {"productId": "a", "productNumber": "a", "productType": "A", "status": "A"}
    return {**plain, "lastUpdateDateTimeUtc": "2020-01-01T00:00:00Z", **props}


def price(**props: Any) -> dict[str, Any]:
    return {"offerId": "a", "quantity": 1, "unitPrice": 1, "extendedPrice": 1, **props}


def pricing(*offers: dict[str, Any], **props: Any) -> dict[str, Any]:
    total = sum(one["extendedPrice"] for one in offers)
    return envelope({"customerId": "a", "offers": list(offers), "totalExtendedPrice": total, **props})


def where(parts: Callable[[Any], list[Any]], test: Condition) -> Condition:
    """The condition is true if `test` is true for at least one object that `parts` returns."""
    return lambda message: any(test(part) for part in parts(message))


def breaks(rule: str) -> Condition:
    """The condition is true for cases that break this rule. `rule` is a rule ID without the message type."""
    return lambda case: any(broken.rule.endswith(f"/{rule}") for broken in case.verdict.broken)


def price_classes(message: Any) -> list[Any]:
    return message.get("priceClasses") or []


def tiers(message: Any) -> list[Any]:
    return [tier for of in price_classes(message) for tier in of.get("priceTiers") or []]


def clusters(message: Any) -> list[Any]:
    return message.get("productClusters") or []


def cluster_products(message: Any) -> list[Any]:
    return [product for cluster in clusters(message) for product in cluster["products"] or []]


def prices(message: Any) -> list[Any]:
    return message["data"]["offers"] if message["data"] else []


def size(message: Any, name: str) -> int:
    """Returns the length of a string or an array, or 0 if the property is absent or null."""
    return len(message.get(name) or "")


def number(message: Any, name: str) -> float:
    return message.get(name) or 0


OFFERS, LISTS, RECORDS, PRICES = offer_requests(), product_list_offers(), product_list_responses(), pricing_responses()
BAD_OFFERS, BAD_RECORDS = invalid_offer_requests(), invalid_product_list_responses()
NULLS = ("omsOfferId", "xmVendorTemplateId", "xmVendorUStoreId", "description", "comments")
WITHOUT_STATUS = {name: value for name, value in record().items() if name != "status"}
TOTAL_101 = AnyOf(
    *(pricing(price(**one, extendedPrice=101)) for one in ({"unitPrice": 101}, {"quantity": 101}, {})),
    pricing(totalExtendedPrice=101),
)
FAR_TIMES = AnyOf("2019-12-31T23:59:59Z", "2019-01-01T00:00:00Z")
SIX_PAGES = product(productId=AnyOf("a", OTHER_ID), pageCount=6)

VALID: dict[str, tuple[SearchStrategy[Any], Condition, Any]] = {
    "defaultPrice > 10": (OFFERS, lambda m: number(m, "defaultPrice") > 10, offer(defaultPrice=11)),
    "weight > 1,000,000": (OFFERS, lambda m: number(m, "weightInPounds") > 1e6, offer(weightInPounds=1_000_001)),
    "orderMinimum from 5 to 8": (OFFERS, lambda m: 5 <= number(m, "orderMinimum") <= 8, offer(orderMinimum=5)),
    "tier price < 0": (OFFERS, where(tiers, lambda t: t["price"] < 0), tiered({"price": -1})),
    "total > 100": (PRICES, lambda m: m["data"] and m["data"]["totalExtendedPrice"] > 100, TOTAL_101),
    "number has more than 64 letters": (OFFERS, lambda m: len(m["number"]) > 64, offer(number="a" * 65)),
    "description contains a quote": (OFFERS, lambda m: "'" in (m.get("description") or ""), offer(description="'")),
    "three access groups": (OFFERS, lambda m: size(m, "accessGroups") == 3, offer(accessGroups=[LETTER] * 3)),
    "two tiers": (
        OFFERS,
        where(price_classes, lambda c: size(c, "priceTiers") > 1),
        tiered({"price": 1}, {"price": AnyOf(2, 0)}),
    ),
    "five nulls": (OFFERS, lambda m: [*m.values()].count(None) >= 5, offer(**dict.fromkeys(NULLS))),
    "a cluster without products": (
        OFFERS,
        where(clusters, lambda c: "products" not in c),
        offer(productClusters=[{}]),
    ),
    "more than 5 pages in the second cluster": (
        LISTS,
        lambda m: any(number(p, "pageCount") > 5 for cluster in clusters(m)[1:2] for p in cluster["products"]),
        product_list([product()], [SIX_PAGES]),
    ),
    "a quantity above 77": (
        LISTS,
        where(cluster_products, lambda p: p["productQuantityInOffer"] > 77),
        product_list([product(productQuantityInOffer=78)]),
    ),
    "a product list with a price": (
        OFFERS,
        lambda m: m["offerType"] == "Product List" and number(m, "defaultPrice") >= 10,
        {**product_list([product()]), "defaultPrice": 10},
    ),
    "a long description of a product": (
        RECORDS,
        lambda m: any(size(of, "productDescription") > 10 for of in m["data"] or []),
        envelope([record(productDescription="a" * 11)]),
    ),
    "a record before 2020": (
        RECORDS,
        lambda m: any(of["lastUpdateDateTimeUtc"] < "2020" for of in m["data"] or []),
        envelope([record(lastUpdateDateTimeUtc=FAR_TIMES)]),
    ),
    "two messages": (
        RECORDS,
        lambda m: size(m, "informationalMessages") == 2,
        envelope([], informationalMessages=["a", "a"]),
    ),
    "two priced offers": (PRICES, lambda m: len(prices(m)) == 2, pricing(price(), price(offerId=OTHER_ID))),
    "a surcharge in a price": (
        PRICES,
        where(prices, lambda p: p["extendedPrice"] - p["unitPrice"] * p["quantity"] >= 1),
        AnyOf(pricing(price(extendedPrice=2)), pricing(price(unitPrice=0, extendedPrice=1))),
    ),
}
INVALID = {
    "number:minLength": (BAD_OFFERS, offer(number="")),
    "lastUpdatedDateTimeUtc:not-in-future": (BAD_OFFERS, offer(lastUpdatedDateTimeUtc=AnyOf())),
    "omniChannel:type": (BAD_OFFERS, offer(omniChannel=AnyOf())),
    "data[].status:required": (BAD_RECORDS, envelope([WITHOUT_STATUS])),
    "data.totalExtendedPrice:minimum": (invalid_pricing_responses(), pricing(totalExtendedPrice=-1)),
}
MINIMA = [
    *(Minimum(name, *row) for name, row in VALID.items()),
    *(Minimum(f"breaks {rule}", strategy, breaks(rule), smallest) for rule, (strategy, smallest) in INVALID.items()),
]
