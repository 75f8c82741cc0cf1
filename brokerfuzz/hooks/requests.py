"""Defines `SentCase`, an argument of hooks."""

import json
from dataclasses import dataclass
from typing import Any


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
