"""Generates cases with unusual request headers: content types, encodings, and other headers that a service may
interpret.

The message is valid, and the contract does not say how a service must treat the headers. The HTTP method does not vary,
because the user chooses it. The header content-length is always correct, because the HTTP client does not allow other
values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from zlib import crc32

from brokerfuzz.cases.case import Case, compact, confirmed
from brokerfuzz.cases.changes import Put, altered, first_text, value_at
from brokerfuzz.generation import COMPLETE, REQUIRED, Setting, message
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import headers as of
from brokerfuzz.schemas.headers import Headers


def _each(header: str, values: Mapping[str, str]) -> Mapping[str, Headers]:
    return {name: ((header, value),) for name, value in values.items()}


_CHARSETS = _each(
    "Content-Type", {f"charset-{name}": f"application/json; charset={name}" for name in ("iso-8859-1", "utf-16")}
)
_TYPES = {
    "text-plain": "text/plain", "xml-type": "application/xml", "form": "application/x-www-form-urlencoded",
    "multipart-form": "multipart/form-data; boundary=x", "problem-json": "application/problem+json",
    "text-json": "text/json", "subtype-alone": "json", "empty-type": "", "two-in-one": "application/json, text/plain",
    "open-quote": 'application/json; charset="utf-8', "unknown-parameter": "application/json; profile=offer",
}  # fmt: skip
_FORMS = {
    "charset-utf-8": "application/json; charset=utf-8", "charset-in-capitals": 'application/json;charset="UTF-8"',
    "capitals": "APPLICATION/JSON",
}  # fmt: skip
_RESPONSE_TYPES = {
    "xml-alone": "application/xml", "all-but-json": "*/*, application/json;q=0", "no-subtype-taken": "json",
}  # fmt: skip
_PROBES: Mapping[str, Mapping[str, Headers]] = {
    of.CONTENT_TYPE: {
        "no-content-type": (("Content-Type", None),),
        **_each("Content-Type", _TYPES),
        "two-content-types": (("Content-Type", of.JSON_TYPE), ("Content-Type", "text/plain")),
    },
    of.CONTENT_TYPE_FORM: _each("Content-Type", _FORMS),
    of.CHARSET: {**_CHARSETS, **_each("Content-Type", {"unknown-charset": "application/json; charset=none"})},
    of.FALSE_CONTENT_ENCODING: _each("Content-Encoding", {"gzip-not-sent": "gzip", "unknown-coding": "none-such"}),
    of.CONTENT_ENCODING: _each("Content-Encoding", {"identity": "identity", "empty-coding": "", "gzip": "gzip"}),
    of.RESPONSE_TYPE: _each("Accept", _RESPONSE_TYPES),
    of.OTHER_HEADERS: {"chunks": (("Transfer-Encoding", "chunked"),), "expect-continue": (("Expect", "100-continue"),)},
}
"""Maps the detectors of ambiguities about headers to probes: their names, and the headers."""


def header_cases(
    contract: Contract, message_type: MessageType, now: datetime | None, setting: Setting = COMPLETE
) -> Iterator[Case]:
    """Yields cases with unusual headers. Only requests have such cases. Their messages have different identifiers."""
    for ambiguity in contract.ambiguities if contract.is_request(message_type) else ():
        probes = _PROBES.get(str(ambiguity.detector), {}) if ambiguity.concerns(message_type) else {}
        for name, headers in probes.items():
            plain = message(contract, message_type, replace(setting, name=name))
            body = compact(_beyond_ascii(plain) if name in _CHARSETS else plain)
            if name == "gzip":  # brokerfuzz cannot shrink a compressed body
                body = gzipped(compact(message(contract, message_type, REQUIRED)))
            tags = (f"probe:{ambiguity.id}", f"as:{name}")
            case = confirmed(
                message_type, body, claim=ambiguity.id, tags=tags, headers=headers, now=now, contract=contract
            )
            if case is not None:
                yield case


def _beyond_ascii(plain: Any) -> Any:
    """Adds letters outside ASCII to a string, which a service with a wrong encoding reads wrongly."""
    steps = first_text(plain)
    return plain if steps is None else altered(plain, steps, Put(f"{value_at(plain, steps)} é漢"))


def gzipped(body: bytes) -> bytes:
    """Returns a body of less than 64 KiB in the gzip format (RFC 1952). The body is not really compressed, because
    different versions of zlib produce different bytes.
    """
    size = len(body)
    stored = b"\1" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + body
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored + crc32(body).to_bytes(4, "little") + size.to_bytes(4, "little")
