"""Defines `Request` and `SentCase`, which are the arguments of hooks."""

import json
from dataclasses import dataclass, replace
from typing import Any, Self


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


@dataclass(frozen=True)
class SentCase:
    """A message that was sent, with the IDs of the case and the campaign. By default, the headers of the request
    contain both IDs.

    A message that is not a case, such as a shrunk message, has an ID too. If `--fresh` changed a property, `body`
    contains the new value.

    >>> from brokerfuzz.hooks import SentCase
    >>> SentCase("b7e8ef5a8405ebf8", "3f29a1c0", b'{"number":"OFF-1","offerType":"Email"}').value["number"]
    'OFF-1'
    """

    id: str
    campaign_id: str
    body: bytes
    headers: tuple[tuple[str, str | None], ...] = ()

    @property
    def value(self) -> Any:
        """The body as a Python object, or None if the body is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None
