"""A small service that stores offers. It has a bug that no single request reveals."""

import json
from typing import Any


class OfferStore:
    """Stores offers by their number, and finds the offers that contain a product."""

    def __init__(self) -> None:
        self._offers: dict[str, Any] = {}
        self._numbers_by_product: dict[str, set[str]] = {}

    def put(self, body: bytes) -> int:
        """Stores an offer. Returns the status: 201 for a new offer, 200 if the offer replaces an offer with the same
        number.
        """
        offer = json.loads(body)
        status = 200 if offer["number"] in self._offers else 201
        self._offers[offer["number"]] = offer  # the bug: the products of the replaced offer still lead to its number
        for product_id in product_ids(offer):
            self._numbers_by_product.setdefault(product_id, set()).add(offer["number"])
        return status

    def with_product(self, product_id: str) -> set[str]:
        return set(self._numbers_by_product.get(product_id, ()))


def product_ids(offer: Any) -> set[str]:
    return {product["productId"] for cluster in offer["productClusters"] for product in cluster["products"]}
