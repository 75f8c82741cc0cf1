"""Plausible responses: lists of products, and calculated prices."""

from typing import Any

from brokerfuzz.generation.plausible.draws import Draws, money
from brokerfuzz.generation.plausible.products import PRICE_CLASSES, PRODUCTS, Product, price
from brokerfuzz.schemas.instants import spell

_LIST_SIZES = (*(2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9) * 3, 12, 18, 25, 40)
_ORDER_SIZES = (*(1, 1, 2, 2, 2, 3, 3, 4, 5) * 4, 8, 12, 24)
_CHEAP = 300
"""Of products that cost less than this number of cents, customers order many."""
_MANY = (50, 100, 100, 250, 250, 500, 500, 500, 750, 1000, 1000, 1500, 2500, 5000)
_FEW = (5, 10, 10, 12, 20, 25, 25, 40, 50, 50, 75, 100, 150, 250)
_STATUSES = (*("Active",) * 17, "On Hold", "Discontinued", "Draft")


def product_list(draws: Draws) -> dict[str, Any]:
    products = draws.several(PRODUCTS, draws.choose(_LIST_SIZES))
    note = f"{len(products)} products found" if draws.happens(25) else None
    return _envelope([_record(draws, product) for product in products], note)


def _record(draws: Draws, product: Product) -> dict[str, Any]:
    record = {
        "productId": product.id,
        "productNumber": product.number,
        "productType": product.kind.product_type,
        "status": draws.choose(_STATUSES),
        "lastUpdateDateTimeUtc": spell(draws.past_working_hour(150)),
        "productDescription": product.description,
        "unitOfMeasure": product.kind.unit,
        "weight": product.pounds,
    }
    if draws.happens(60):
        record["billingEntityId"] = product.billing_entity
    if draws.happens(50):
        record["productOwner"] = product.owner
    return record


def pricing(draws: Draws) -> dict[str, Any]:
    price_class = draws.choose(tuple(PRICE_CLASSES))
    first = draws.between(1_000_000, 8_000_000)  # the offers of an order have similar identifiers
    total, offers = 0, []
    for number, product in enumerate(draws.several(PRODUCTS, draws.choose(_ORDER_SIZES))):
        quantity = draws.choose(_MANY if product.cents < _CHEAP else _FEW)
        pages = draws.choose(product.kind.pages) if product.kind.pages else None
        extra_pages = 0 if pages is None else pages - product.kind.pages[0]
        unit = price(product.cents, quantity, price_class, extra_pages)
        total += unit * quantity
        offer = {
            "offerId": f"OMS-{10 * first + 37 * number}",
            "quantity": quantity,
            "unitPrice": money(unit),
            "extendedPrice": money(unit * quantity),
            "priceClass": price_class,
            "productIds": [product.id],
        }
        offers.append(offer if pages is None else {**offer, "pageCount": pages})
    data = {
        "customerId": f"CUS-{draws.between(100_000, 999_999)}",
        "offers": offers,
        "totalExtendedPrice": money(total),
    }
    note = f"Prices as of {draws.now:%Y-%m-%d}" if draws.happens(30) else None
    return _envelope(data, note)


def _envelope(data: Any, note: str | None) -> dict[str, Any]:
    return {
        "data": data,
        "failureMessages": [],
        "informationalMessages": [] if note is None else [note],
        "operationWasSuccessful": True,
    }
