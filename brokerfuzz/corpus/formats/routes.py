"""Defines the URL and the headers of exported requests."""

from brokerfuzz.schemas.headers import JSON_TYPE, Headers, replaced

HOST = "http://127.0.0.1:8000"
"""The URL of the target in exported requests. Users replace this URL with the URL of their own system."""


def sent_headers(headers: Headers) -> list[tuple[str, str]]:
    """Returns the header `Content-Type: application/json` and `headers`. A `Content-Type` in `headers` replaces the
    default value. The value None removes a header.
    """
    return replaced([("Content-Type", JSON_TYPE)], headers)
