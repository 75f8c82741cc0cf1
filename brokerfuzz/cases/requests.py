"""Generates cases with unusual request headers: content types, encodings, and other headers that a service may
interpret.

The message is valid, and the contract does not say how a service must treat the headers. The HTTP method does not vary,
because the user chooses it. The header content-length is always correct, because the HTTP client does not allow other
values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zlib import crc32

from brokerfuzz.cases.case import Case, compact, confirmed
from brokerfuzz.generation import COMPLETE, REQUIRED, SMALLEST, message
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas import headers as of
from brokerfuzz.schemas.headers import Headers

REQUESTS: frozenset[MessageType] = frozenset(["offer-creation-request"])
"""The types of the messages that a client sends in the body of a request."""

_TYPES = {
    "text-plain": "text/plain", "xml-type": "application/xml", "form": "application/x-www-form-urlencoded",
    "multipart-form": "multipart/form-data; boundary=x", "problem-json": "application/problem+json",
    "text-json": "text/json", "subtype-alone": "json", "empty-type": "", "two-in-one": "application/json, text/plain",
    "open-quote": 'application/json; charset="utf-8', "unknown-parameter": "application/json; profile=offer",
}  # fmt: skip
_OTHER_CHARSETS = {f"charset-{name}": f"application/json; charset={name}" for name in ("iso-8859-1", "utf-16")}
_FORMS = {
    "charset-utf-8": "application/json; charset=utf-8", "charset-in-capitals": 'application/json;charset="UTF-8"',
    "capitals": "APPLICATION/JSON",
}  # fmt: skip
_CODINGS = {"identity": "identity", "empty-coding": ""}
_FALSE_CODINGS = {"gzip-not-sent": "gzip", "unknown-coding": "none-such"}
_RESPONSE_TYPES = {
    "xml-alone": "application/xml",
    "all-but-json": "*/*, application/json;q=0",
    "no-subtype-taken": "json",
}
_OTHERS: Mapping[str, Headers] = {
    "chunks": (("Transfer-Encoding", "chunked"),),
    "expect-continue": (("Expect", "100-continue"),),
}

Request = tuple[str, bytes, Headers]
"""A request with unusual headers: the name of the probe, the body, and the headers."""


@dataclass(frozen=True)
class RequestMaker:
    """Generates cases with unusual headers. Only the message types in `REQUESTS` have such cases.

    If `full` is true, the messages have all properties, otherwise only the required ones.
    """

    contract: Contract
    message_type: MessageType
    now: datetime | None
    full: bool = True

    def every(self) -> Iterator[Case]:
        for ambiguity in self.contract.ambiguities:
            for name, body, headers in self.requests(ambiguity):
                claims: dict[str, Any] = {
                    "claim": ambiguity.id,
                    "tags": (f"probe:{ambiguity.id}", f"as:{name}"),
                    "headers": headers,
                }
                case = confirmed(self.message_type, body, now=self.now, contract=self.contract, **claims)
                if case is not None:
                    yield case

    def requests(self, ambiguity: Ambiguity) -> Iterator[Request]:
        """Yields the requests that touch an ambiguity about headers. Yields nothing for other ambiguities."""
        if self.message_type in REQUESTS and ambiguity.concerns(self.message_type):
            yield from self._requests(str(ambiguity.detector))

    def _requests(self, detector: str) -> Iterator[Request]:
        plain = message(self.contract, self.message_type, COMPLETE if self.full else SMALLEST)
        body = compact(plain)
        match detector:
            case of.CONTENT_TYPE:
                yield "no-content-type", body, (("Content-Type", None),)
                yield from _each(body, "Content-Type", _TYPES)
                yield "two-content-types", body, (("Content-Type", of.JSON_TYPE), ("Content-Type", "text/plain"))
            case of.CONTENT_TYPE_FORM:
                yield from _each(body, "Content-Type", _FORMS)
            case of.CHARSET:
                yield from _each(self._beyond_ascii(plain), "Content-Type", _OTHER_CHARSETS)
                yield from _each(body, "Content-Type", {"unknown-charset": "application/json; charset=none"})
            case of.FALSE_CONTENT_ENCODING:
                yield from _each(body, "Content-Encoding", _FALSE_CODINGS)
            case of.CONTENT_ENCODING:
                yield from _each(body, "Content-Encoding", _CODINGS)
                smallest = message(
                    self.contract, self.message_type, REQUIRED
                )  # brokerfuzz cannot shrink a compressed body
                yield "gzip", gzipped(compact(smallest)), (("Content-Encoding", "gzip"),)
            case of.RESPONSE_TYPE:
                yield from _each(body, "Accept", _RESPONSE_TYPES)
            case of.OTHER_HEADERS:
                yield from ((name, body, headers) for name, headers in _OTHERS.items())

    def _beyond_ascii(self, plain: Any) -> bytes:
        """Adds letters outside ASCII to a string of the message. A service that assumes a wrong encoding reads wrong
        letters.
        """
        for name, value in plain.items():
            if isinstance(value, str):
                body = compact({**plain, name: f"{value} é漢"})
                if Case.judged(self.message_type, body, now=self.now, contract=self.contract).label == "valid":
                    return body
        return compact(plain)


def _each(body: bytes, header: str, values: Mapping[str, str]) -> Iterator[Request]:
    return ((name, body, ((header, value),)) for name, value in values.items())


def gzipped(body: bytes) -> bytes:
    """Returns a body of less than 64 KiB in the gzip format (RFC 1952). The body is not really compressed, because
    different versions of zlib produce different bytes.
    """
    size = len(body)
    stored = b"\1" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + body
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored + crc32(body).to_bytes(4, "little") + size.to_bytes(4, "little")
