"""Reads the messages and the HTTP request from the JSON document of a report.

As a precaution, this module replaces the values of headers and URL parameters whose names suggest secrets.
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.errors import ReportError
from brokerfuzz.schemas.headers import JSON_TYPE
from brokerfuzz.targets.secret_masking import NOTHING_SECRET
from brokerfuzz.wording import printable

Document = Mapping[str, Any]
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class RequestTemplate:
    """The method, the URL and the usual headers of all requests. References such as `${TOKEN}` replace secrets."""

    url: str
    method: str
    headers: tuple[tuple[str, str], ...]

    def headers_of(self, message: Document) -> Pairs:
        """If a usual header and a header of the message have the same name, the usual header is omitted."""
        instead = unusual_headers_of(message)
        names = {name.lower() for name, _ in instead}
        usual = [(name, value) for name, value in self.headers if name.lower() not in names]
        return [*usual, *((name, value) for name, value in instead if value is not None)]


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


def request_of(document: Document, report: str) -> RequestTemplate:
    """Raises `ReportError` if the target is not an HTTP endpoint."""
    target = str(document["target"])
    given = document.get("request", _usual_request(target))
    if given is None:
        raise ReportError(
            f"{report} requires an HTTP target, but {printable(target, 100)} is not an HTTP target: remove this "
            "report, or test a URL"
        )
    headers = tuple((name, NOTHING_SECRET.header(name, value)) for name, value in given["headers"])
    return RequestTemplate(NOTHING_SECRET.url(given["url"]), given["method"], headers)


def _usual_request(target: str) -> dict[str, Any] | None:
    """Returns a POST request with the header `content-type`. Returns None if the target is not an HTTP endpoint."""
    http = target.startswith(("http://", "https://"))
    return {"url": target, "method": "POST", "headers": [["content-type", JSON_TYPE]]} if http else None
