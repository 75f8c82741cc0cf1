"""Defines `Request`, an HTTP request that is about to be sent."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Request:
    """An HTTP request that is about to be sent. A hook may change only the headers, because another body could have
    another verdict.

    >>> from brokerfuzz.hooks import Request
    >>> request = Request("POST", "http://127.0.0.1:8000/offers", (("content-type", "application/json"),), b"{}")
    >>> request.with_header("X-Signature", "6b86b273").headers
    (('content-type', 'application/json'), ('X-Signature', '6b86b273'))
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def with_header(self, name: str, value: str) -> Self:
        """Returns a copy of the request with this header. The new header replaces a header with the same name."""
        others = (header for header in self.headers if header[0].lower() != name.lower())
        return replace(self, headers=(*others, (name, value)))
