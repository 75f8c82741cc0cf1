"""Defines HTTP requests and responses, and the reasons why a response is missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

JSON_TYPE = "application/json"
Headers = Sequence[tuple[str, str]]
"""The names and values of headers."""


def with_headers(usual: Headers, headers: Headers) -> Headers:
    """Returns `headers`, after those headers in `usual` that have other names."""
    names = {name.lower() for name, _ in headers}
    return [*((name, value) for name, value in usual if name.lower() not in names), *headers]


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
        return replace(self, headers=tuple(with_headers(self.headers, [(name, value)])))


@dataclass(frozen=True, slots=True)
class Response:
    """`body` is the beginning of the response body, as the server sent it."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        """Returns the last value of a header. The `name` is in lower case."""
        return next((value for header_name, value in reversed(self.headers) if header_name.lower() == name), None)


@dataclass(frozen=True, slots=True)
class NoResponse:
    """The reason why there is no complete response. `kind` is one of the following:

    - `fatal`: no message can change the failure. `reason` is an error for the user, with `{name}` for the target.
    - `unreachable`: no connection was possible.
    - `misconfigured`: no connection is possible until somebody changes the URL or the proxy.
    - `timeout`: the response was missing or incomplete when the time limit expired.
    - `dropped`: the connection ended before the headers of the response were complete.
    - `broken`: the response is not HTTP, or the connection ended before the body was complete.
    """

    kind: Literal["fatal", "unreachable", "misconfigured", "timeout", "dropped", "broken"]
    reason: str


class HttpExchange(NamedTuple):
    """A request as it was sent, and its response after a number of seconds."""

    request: Request
    response: Response | NoResponse
    seconds: float

    @property
    def status(self) -> int | None:
        return self.response.status if isinstance(self.response, Response) else None
