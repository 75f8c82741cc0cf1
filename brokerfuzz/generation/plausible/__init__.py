"""Plausible messages: those that a shop for printed and promotional products could send. They are for demonstrations
and load tests, so their values are unique where shops number things, belong together, and are never unusual.
"""

from collections.abc import Callable, Mapping
from typing import Any

from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.generation.plausible.offers import offer
from brokerfuzz.generation.plausible.responses import pricing, product_list

MAKERS: Mapping[str, Callable[[Draws], Any]] = {
    "offer-creation-request": offer,
    "product-list-response": product_list,
    "offer-pricing-response": pricing,
}
"""Maps the message types of the built-in contract to functions that make plausible messages."""
