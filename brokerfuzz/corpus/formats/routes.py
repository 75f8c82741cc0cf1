"""Defines the method and the path for each message. The contract contains no methods and no paths, so brokerfuzz uses
those of the reference service.
"""

from brokerfuzz.schemas import MESSAGE_TYPES, MessageType
from brokerfuzz.schemas.headers import JSON_TYPE, Headers, replaced

HOST = "http://127.0.0.1:8000"
"""The URL of the target in exported requests. Users replace this URL with the URL of their own system."""

OFFER: MessageType = "offer-creation-request"
"""The only message type that is a request. All other message types are responses."""

RESPONSES: tuple[MessageType, ...] = tuple(name for name in MESSAGE_TYPES if name != OFFER)

ROUTES: dict[MessageType, tuple[str, str]] = {
    OFFER: ("POST", "/offers"),
    "product-list-response": ("GET", "/products"),
    "offer-pricing-response": ("POST", "/pricing"),
}
"""Maps each message type to the method and the path of its request."""


def sent_headers(headers: Headers) -> list[tuple[str, str]]:
    """Returns the header `Content-Type: application/json` and `headers`. A `Content-Type` in `headers` replaces the
    default value. The value None removes a header.
    """
    return replaced([("Content-Type", JSON_TYPE)], headers)
