"""Reads the messages from the JSON document of a report."""

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from brokerfuzz.cases.case import compact

Document = Mapping[str, Any]
Pairs = list[tuple[str, str]]


def body_of(message: Document) -> bytes:
    if "raw" in message:
        try:
            return b64decode(message["raw"])
        except ValueError:  # the value is not base64, although the report's schema requires base64
            return str(message["raw"]).encode(errors="surrogatepass")
    try:
        return compact(message["body"])
    except TypeError:  # the value cannot be compact JSON; such messages are normally written as `raw`
        return json.dumps(message["body"], separators=(",", ":")).encode()


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
