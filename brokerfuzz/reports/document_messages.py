"""Reads the messages from the JSON document of a report."""

from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]
Pairs = list[tuple[str, str]]


def unusual_headers_of(message: Document) -> list[tuple[str, str | None]]:
    """Returns the headers in which the request of a message differs from the usual request. The value None means that
    the request omits this header.
    """
    return [(name, value) for name, value in message.get("headers") or ()]


def headers_of(message: Document, request: Document) -> Pairs:
    instead = unusual_headers_of(message)
    names = {name.lower() for name, _ in instead}
    usual = [(name, value) for name, value in request["headers"] if name.lower() not in names]
    return [*usual, *((name, value) for name, value in instead if value is not None)]
