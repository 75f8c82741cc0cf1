"""Ten mistakes that teams make. The header `X-Mistake: NAME` activates the mistake NAME. brokerfuzz finds each of the
mistakes with 300 cases.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from examples.broker.offer import Offer

OFFER_TYPES = ("Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM")
Change = Callable[[dict[str, Any]], None]


def nothing(offer: dict[str, Any]) -> None:
    """Changes nothing."""


def everything(offer: Offer, body: bytes) -> bool:
    return True


@dataclass(frozen=True)
class Mistake:
    """A mistake of the broker. `repairs` removes faults from a message before the broker checks it, so the broker
    accepts invalid messages. `check` is an additional check, which returns False for some valid messages, or crashes.
    """

    repairs: Change = nothing
    check: Callable[[Offer, bytes], bool] = everything

    def changes(self, body: bytes) -> bytes:
        """Returns the message that the broker checks instead of the original message."""
        if self.repairs is nothing:
            return body
        try:
            offer = json.loads(body)
            self.repairs(offer)
            return json.dumps(offer).encode()
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return body


def below_one(offer: dict[str, Any]) -> None:
    """Does not check that the order minimum and the order maximum are at least 1."""
    for name in ("orderMinimum", "orderMaximum"):
        if type(offer.get(name)) is int and offer[name] < 1:
            del offer[name]


def in_the_future(offer: dict[str, Any]) -> None:
    """Accepts a time of the last update that is in the future."""
    if offer["lastUpdatedDateTimeUtc"] > datetime.now(UTC).isoformat():
        del offer["lastUpdatedDateTimeUtc"]


def numbers_as_strings(offer: dict[str, Any]) -> None:
    """Accepts strings such as "5" for numbers."""
    for name, value in offer.items():
        if name in ("orderMinimum", "orderMaximum", "defaultPrice", "surcharge", "weightInPounds") and isinstance(
            value, str
        ):
            offer[name] = float(value) if "Price" in name or name in ("surcharge", "weightInPounds") else int(value)


def only_known_properties(offer: dict[str, Any]) -> None:
    """Ignores unknown properties."""
    known = {field.alias for field in Offer.model_fields.values()}
    for name in set(offer) - known:
        del offer[name]


def only_first_cluster(offer: dict[str, Any]) -> None:
    """Checks only the first cluster."""
    del offer["productClusters"][1:]


def any_offer_type(offer: dict[str, Any]) -> None:
    """Does not check the type of an offer."""
    if isinstance(offer["offerType"], str) and offer["offerType"] not in OFFER_TYPES:
        offer["offerType"] = "Email"


def email_by_default(offer: dict[str, Any]) -> None:
    """Uses a default for a required property."""
    offer.setdefault("offerType", "Email")


def inserts_text(offer: Offer, body: bytes) -> bool:
    """Behaves like a service that inserts strings into an SQL statement: an apostrophe causes an error."""
    if "'" in (offer.comments or "") + (offer.description or "") + offer.number:
        raise RuntimeError("syntax error in the SQL statement")
    return True


def divides(offer: Offer, body: bytes) -> bool:
    """Forgets that a list of price tiers can be null or absent."""
    for price_class in offer.price_classes or ():
        sum(tier.price for tier in price_class.price_tiers) / 1  # type: ignore[union-attr]
    return True


MISTAKES: Mapping[str, Mistake] = {
    "no-minimum": Mistake(below_one),
    "numeric-strings": Mistake(numbers_as_strings),
    "unknown-properties": Mistake(only_known_properties),
    "first-cluster-only": Mistake(only_first_cluster),
    "any-offer-type": Mistake(any_offer_type),
    "email-by-default": Mistake(email_by_default),
    "no-clock": Mistake(in_the_future),
    "apostrophe": Mistake(check=inserts_text),
    "null-tiers": Mistake(check=divides),
    "zero-price": Mistake(check=lambda offer, body: offer.default_price is None or bool(offer.default_price)),
}
