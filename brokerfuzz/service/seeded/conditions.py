"""Defines bugs in the condition of a rule: the service applies the rule too rarely or too often."""

from typing import Any

from brokerfuzz.service.answers import Offer
from brokerfuzz.service.flaws import Bug, Flaw, Test, an_object, changes_offer, ignores, null, orders_after

CONDITIONAL = "*@offerType=Product-List"
CLUSTERS, PRODUCTS = "productClusters", "productClusters[].products"
CLOCK = "lastUpdatedDateTimeUtc:not-in-future"
RULE = "offer-creation-request/productClusters:required@offerType=Product-List"
CLOCK_RULE = f"offer-creation-request/{CLOCK}"
PAGE_COUNT_RULE = f"offer-creation-request/{PRODUCTS}[].pageCount:minimum"


def _body_passes(test: Test) -> Test:
    """Returns a function that takes an offer, and returns whether the parsed body of the offer passes `test`."""

    def holds(offer: Offer) -> bool:
        return any(test(value) for value in offer.values(""))

    return holds


def _of_type(*offer_types: str) -> Test:
    return _body_passes(an_object(lambda props: props.get("offerType") in offer_types))


def _has(name: str) -> Test:
    return _body_passes(an_object(lambda props: props.get(name) is not None))


def _other(test: Test) -> Test:
    return lambda value: not test(value)


def _as_product_list(value: Any) -> Any:
    return {**value, "offerType": "Product List"}


def _without_zeros(value: Any) -> Any:
    """Removes prices that are 0, like a program with the condition `if (price)`, which is false for 0."""
    if isinstance(value, list):
        items = [_without_zeros(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    props = {
        name: _without_zeros(prop) for name, prop in value.items() if name != "price" or prop != 0 or prop is False
    }
    return value if len(props) == len(value) and all(props[name] is value[name] for name in value) else props


def _updated_today(offer: Offer) -> bool:
    from brokerfuzz.schemas.oracle import aware

    updated = offer.prop("lastUpdatedDateTimeUtc")
    return isinstance(updated, str) and updated[:10] == aware(offer.now).date().isoformat()


def _bug(name: str, text: str, flaw: Flaw, rule: str = RULE) -> Bug:
    return Bug(name, "condition", text, flaw, rule)


BUGS = (
    _bug("product-list-rule-off", "The rule for Product List is not applied at all.", ignores(CONDITIONAL)),
    _bug(
        "product-list-rule-off-when-type-comes-late",
        "The rule for Product List is not applied if offerType comes after productClusters in the JSON.",
        ignores(CONDITIONAL, f"{PRODUCTS}:minItems", when=_body_passes(orders_after("offerType", CLUSTERS))),
    ),
    _bug(
        "product-list-rule-off-beside-omni-channel",
        "The rule for Product List is not applied if omniChannel is present.",
        ignores(CONDITIONAL, when=_has("omniChannel")),
    ),
    _bug(
        "product-list-rule-off-when-inactive",
        "The rule for Product List is not applied if isActive is false.",
        ignores(CONDITIONAL, when=_body_passes(an_object(lambda props: props.get("isActive") is False))),
    ),
    _bug(
        "product-list-rule-off-for-null-clusters",
        "The rule for Product List counts as fulfilled if productClusters is null.",
        ignores(f"{CLUSTERS}:type@*", value=null),
    ),
    _bug(
        "product-list-rule-off-for-null-products",
        "The rule for Product List counts as fulfilled if products is null.",
        ignores(f"{PRODUCTS}:type@*", value=null),
    ),
    _bug(
        "product-list-rule-off-for-absent-products",
        "The rule for Product List counts as fulfilled if a cluster lacks the property products.",
        ignores(f"{PRODUCTS}:required@*"),
    ),
    _bug(
        "product-list-rule-for-first-cluster",
        "The rule for Product List is applied only to the first cluster.",
        ignores(CONDITIONAL, f"{PRODUCTS}:minItems", at="/productClusters/[1-9]"),
    ),
    _bug(
        "product-list-rule-for-omnichannel",
        "The rule for Product List is applied to offers of type Omnichannel too.",
        changes_offer(_as_product_list, when=_of_type("Omnichannel")),
    ),
    _bug(
        "product-list-rule-for-direct-mail-with-clusters",
        "The rule for Product List is applied to offers of type Direct Mail that have clusters.",
        changes_offer(_as_product_list, when=lambda offer: _of_type("Direct Mail")(offer) and _has(CLUSTERS)(offer)),
    ),
    _bug(
        "page-count-checked-in-product-lists-only",
        "The page count is checked only in offers of type Product List.",
        ignores(f"{PRODUCTS}[].pageCount:minimum", when=_other(_of_type("Product List"))),
        PAGE_COUNT_RULE,
    ),
    _bug(
        "product-id-checked-in-product-lists-only",
        "An empty product ID is rejected only in offers of type Product List.",
        ignores(f"{PRODUCTS}[].productId:minLength", when=_other(_of_type("Product List"))),
        f"offer-creation-request/{PRODUCTS}[].productId:minLength",
    ),
    _bug(
        "order-minimum-unchecked-beside-fixed-quantities",
        "The order minimum is not checked if the offer has fixed order quantities.",
        ignores("orderMinimum:minimum", when=_has("fixedOrderQuantities")),
        "offer-creation-request/orderMinimum:minimum",
    ),
    _bug(
        "clock-rule-by-day",
        "An offer with a last update later today is accepted, because only the dates are compared.",
        ignores(CLOCK, when=_updated_today),
        CLOCK_RULE,
    ),
    _bug(
        "clock-rule-off-without-start",
        "An offer with a last update in the future is accepted if it has no availableStartDate.",
        ignores(CLOCK, when=_other(_has("availableStartDate"))),
        CLOCK_RULE,
    ),
    _bug(
        "zero-price-treated-as-missing",
        "A price of 0 is treated as missing, so a price tier with this price is rejected.",
        changes_offer(_without_zeros),
        "offer-creation-request/priceClasses[].priceTiers[].price:required",
    ),
)
