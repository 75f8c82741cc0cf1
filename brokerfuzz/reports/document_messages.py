"""Reads the messages and the HTTP request from the JSON document of a report."""

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.errors import ReportError
from brokerfuzz.wording import printable

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


def request_of(document: Document, report: str) -> Document:
    """Returns the method, the URL and the usual headers of all requests. References such as `${TOKEN}` replace secrets.

    Raises `ReportError` if the target is not an HTTP endpoint.
    """
    request: Document | None = document.get("request")
    if request is None:
        target = printable(str(document["target"]), 100)
        raise ReportError(
            f"{report} requires an HTTP target, but {target} is not an HTTP target: remove this report, or test a URL"
        )
    return request


def headers_of(message: Document, request: Document) -> Pairs:
    instead = unusual_headers_of(message)
    names = {name.lower() for name, _ in instead}
    usual = [(name, value) for name, value in request["headers"] if name.lower() not in names]
    return [*usual, *((name, value) for name, value in instead if value is not None)]
