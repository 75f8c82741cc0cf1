"""Plausible messages: those that a shop for printed and promotional products could send. They are for demonstrations
and load tests, so their values are unique where shops number things, belong together, and are never unusual.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.generation.plausible.offers import offer
from brokerfuzz.generation.plausible.responses import pricing, product_list
from brokerfuzz.generation.sources import Wish, Wishes

MAKERS: Mapping[str, Callable[[Draws], Any]] = {
    "offer-creation-request": offer,
    "product-list-response": product_list,
    "offer-pricing-response": pricing,
}
"""Maps the message types of the built-in contract to functions that make plausible messages."""
_FAILURES = ("The product management system does not answer.", "The customer is unknown.", "The offer has no price.")
FURTHER_VALUES: Mapping[str, Sequence[str]] = {"failureMessages": _FAILURES}
"""Values of properties that plausible messages do not have: none of them reports a failure."""
WISHES: Wishes = {
    "data": Wish(),
    "failureMessages": Wish(least=1),
    "data.offers[].extendedPrice": Wish(state=None, options=[1]),
}
"""Plausible responses report no failure unless a user pins `data`, and a failure has a reason. They have no surcharges:
1 adds nothing to the sum that is calculated.
"""
