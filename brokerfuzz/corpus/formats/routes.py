"""Where each message goes. The contract shows no methods or paths, so they are those of the reference service."""

from brokerfuzz.schemas import MESSAGE_TYPES, MessageType
from brokerfuzz.schemas.headers import JSON_TYPE, Headers

HOST = "http://127.0.0.1:8000"
"""The reference service, where `brokerfuzz serve` starts it."""

OFFER: MessageType = "offer-creation-request"
"""The one message that is a request; the others are responses."""

RESPONSES: tuple[MessageType, ...] = tuple(name for name in MESSAGE_TYPES if name != OFFER)

ROUTES: dict[MessageType, tuple[str, str]] = {
    OFFER: ("POST", "/offers"),
    "product-list-response": ("GET", "/products"),
    "offer-pricing-response": ("POST", "/pricing"),
}
"""Method and path, by the message that goes there or comes from there."""


def sent_headers(headers: Headers) -> list[tuple[str, str]]:
    """The headers of the request that carries a message, by what goes in place of the usual one."""
    names = {name.lower() for name, _ in headers}
    usual = [] if "content-type" in names else [("Content-Type", JSON_TYPE)]
    return usual + [(name, value) for name, value in headers if value is not None]
