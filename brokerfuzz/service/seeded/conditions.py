"""Bugs about when a rule holds: a condition half read, or read where there is none."""

from typing import Any

from brokerfuzz.service.answers import Offer
from brokerfuzz.service.flaws import Bug, Flaw, Test, an_object, forgives, null, puts, sees

CONDITIONAL = "*@offerType=Product-List"
CLUSTERS, PRODUCTS = "productClusters", "productClusters[].products"
CLOCK = "lastUpdatedDateTimeUtc:not-in-future"
RULE = "offer-creation-request/productClusters:required@offerType=Product-List"
CLOCK_RULE = f"offer-creation-request/{CLOCK}"
PAGE_COUNT_RULE = f"offer-creation-request/{PRODUCTS}[].pageCount:minimum"


def _root(test: Test) -> Test:
    """Asks of an offer what is to be asked of its value."""

    def asked(offer: Offer) -> bool:
        return any(test(value) for value in offer.values(""))

    return asked


def _of_type(*offer_types: str) -> Test:
    return _root(an_object(lambda props: props.get("offerType") in offer_types))


def _has(name: str) -> Test:
    return _root(an_object(lambda props: props.get(name) is not None))


def _other(test: Test) -> Test:
    return lambda value: not test(value)


def _as_product_list(value: Any) -> Any:
    return {**value, "offerType": "Product List"}


def _without_zeros(value: Any) -> Any:
    """The value without properties that are 0, as `if (price)` sees them; the value itself where there are none."""
    if isinstance(value, list):
        items = [_without_zeros(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    props = {name: _without_zeros(prop) for name, prop in value.items() if name != "price" or prop != 0 or prop is False}
    return value if len(props) == len(value) and all(props[name] is value[name] for name in value) else props


def _updated_today(offer: Offer) -> bool:
    from brokerfuzz.schemas.oracle import aware

    updated = offer.prop("lastUpdatedDateTimeUtc")
    return isinstance(updated, str) and updated[:10] == aware(offer.now).date().isoformat()


def _bug(name: str, text: str, flaw: Flaw, rule: str = RULE) -> Bug:
    return Bug(name, "condition", text, flaw, rule)


BUGS = (
    _bug("product-list-rule-off", "The rule for Product List is not applied at all.", forgives(CONDITIONAL)),
    _bug(
        "product-list-rule-off-when-type-comes-late",
        "The rule for Product List is not applied where offerType comes after productClusters in the text.",
        forgives(CONDITIONAL, f"{PRODUCTS}:minItems", when=_root(puts("offerType", CLUSTERS))),
    ),
    _bug(
        "product-list-rule-off-beside-omni-channel",
        "The rule for Product List is not applied where omniChannel is present.",
        forgives(CONDITIONAL, when=_has("omniChannel")),
    ),
    _bug(
        "product-list-rule-off-when-inactive",
        "The rule for Product List is not applied to offers that are not active.",
        forgives(CONDITIONAL, when=_root(an_object(lambda props: props.get("isActive") is False))),
    ),
    _bug("product-list-rule-off-for-null-clusters", "Null clusters satisfy the rule for Product List.", forgives(f"{CLUSTERS}:type@*", value=null)),
    _bug("product-list-rule-off-for-null-products", "Null products satisfy the rule for Product List.", forgives(f"{PRODUCTS}:type@*", value=null)),
    _bug(
        "product-list-rule-off-for-absent-products",
        "A cluster without products satisfies the rule for Product List.",
        forgives(f"{PRODUCTS}:required@*"),
    ),
    _bug(
        "product-list-rule-for-first-cluster",
        "The rule for Product List is applied to the first cluster alone.",
        forgives(CONDITIONAL, f"{PRODUCTS}:minItems", at="/productClusters/[1-9]"),
    ),
    _bug(
        "product-list-rule-for-omnichannel",
        "The rule for Product List is applied to Omnichannel too.",
        sees(_as_product_list, when=_of_type("Omnichannel")),
    ),
    _bug(
        "product-list-rule-for-direct-mail-with-clusters",
        "The rule for Product List is applied to Direct Mail that has clusters.",
        sees(_as_product_list, when=lambda offer: _of_type("Direct Mail")(offer) and _has(CLUSTERS)(offer)),
    ),
    _bug(
        "page-count-checked-in-product-lists-only",
        "The page count is checked under Product List alone.",
        forgives(f"{PRODUCTS}[].pageCount:minimum", when=_other(_of_type("Product List"))),
        PAGE_COUNT_RULE,
    ),
    _bug(
        "product-id-checked-in-product-lists-only",
        "An empty product ID is rejected under Product List alone.",
        forgives(f"{PRODUCTS}[].productId:minLength", when=_other(_of_type("Product List"))),
        f"offer-creation-request/{PRODUCTS}[].productId:minLength",
    ),
    _bug(
        "order-minimum-unchecked-beside-fixed-quantities",
        "The order minimum is not checked where there are fixed order quantities.",
        forgives("orderMinimum:minimum", when=_has("fixedOrderQuantities")),
        "offer-creation-request/orderMinimum:minimum",
    ),
    _bug(
        "clock-rule-by-day",
        "A last update later today is taken, for days are compared and not times.",
        forgives(CLOCK, when=_updated_today),
        CLOCK_RULE,
    ),
    _bug(
        "clock-rule-off-without-start",
        "A last update in the future is taken where there is no availableStartDate.",
        forgives(CLOCK, when=_other(_has("availableStartDate"))),
        CLOCK_RULE,
    ),
    _bug(
        "zero-price-treated-as-missing",
        "A price of 0 is taken for an absent one, so that a price tier with it is rejected.",
        sees(_without_zeros),
        "offer-creation-request/priceClasses[].priceTiers[].price:required",
    ),
)
