"""Finds the ambiguities that request headers touch, and decompresses the bodies of requests.

The contract describes messages, but does not say which headers a target must accept. So most unusual headers touch an
ambiguity. In header names and media types, upper-case and lower-case letters are equivalent (RFC 9110, sections 5.1 and
8.3.1).
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from brokerfuzz.errors import quoted

Headers = tuple[tuple[str, str | None], ...]
"""Pairs of a name and a value. Each pair replaces the usual header that has the same name. The value None removes this
header.
"""

JSON_TYPE = "application/json"
MOST_DECOMPRESSED = 8 * 1024 * 1024
"""The maximum size of a decompressed message, in bytes. brokerfuzz leaves a body compressed if the message would be
larger.
"""

CONTENT_TYPE, CONTENT_TYPE_FORM, CHARSET = "content_type", "content_type_form", "charset"
CONTENT_ENCODING, FALSE_CONTENT_ENCODING = "content_encoding", "false_content_encoding"
RESPONSE_TYPE, OTHER_HEADERS = "response_type", "other_headers"
OF_HEADERS = (
    CONTENT_TYPE, CONTENT_TYPE_FORM, CHARSET, CONTENT_ENCODING, FALSE_CONTENT_ENCODING, RESPONSE_TYPE, OTHER_HEADERS,
)  # fmt: skip
"""The names of the detectors that examine headers."""

TESTED = frozenset({"accept", "content-encoding", "content-type", "expect", "transfer-encoding"})
"""The names of the headers that cases change, in lower case."""

HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")
_JSON_TYPE_VARIANT = re.compile(r'application/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?', re.IGNORECASE)
_OTHER_CHARSET = re.compile(r'application/json\s*;\s*charset=(?:"[^"]*"|[^\s;"]+)', re.IGNORECASE)
_QUALITY_ZERO = re.compile(r";\s*q=0(?:\.0*)?\s*$", re.IGNORECASE)
_GZIP = ("gzip", "x-gzip")
_GZIP_WINDOW = 31  # tells zlib to expect gzip with the largest window


def headers_of(pairs: Any) -> Headers:
    """Converts JSON pairs to headers. Raises `ValueError` for a header that cannot be set."""
    headers = tuple((name, value) for name, value in pairs)
    for name, value in headers:
        if not (isinstance(name, str) and HEADER_NAME.fullmatch(name)) or name.lower() == "content-length":
            raise ValueError(
                f"{quoted(name)} is not a header that you can set: use a valid HTTP header name other than "
                "content-length"
            )
        if value is not None and not (isinstance(value, str) and _VALUE.fullmatch(value)):
            raise ValueError(
                f"{quoted(value)} is not a valid value for {quoted(name)}: use printable ASCII without leading or "
                "trailing spaces, or null"
            )
    return headers


def replaced(usual: Iterable[tuple[str, str]], headers: Headers) -> list[tuple[str, str]]:
    """Returns all headers of a request: `headers`, and the headers in `usual` that have other names."""
    names = {name.lower() for name, _ in headers}
    kept = [(name, value) for name, value in usual if name.lower() not in names]
    return kept + [(name, value) for name, value in headers if value is not None]


def in_doubt(headers: Headers, body: bytes) -> Iterator[tuple[str, str]]:
    """Yields the detector and a description of each header that touches an ambiguity."""
    given = Counter(name.lower() for name, _ in headers)
    for name, value in headers:
        if name.lower() == "content-type" and given["content-type"] > 1:
            yield CONTENT_TYPE, "more than one content-type"
        elif (detector := _detector(name.lower(), value)) is not None:
            is_false = detector == CONTENT_ENCODING and value not in ("", "identity") and carried(body, headers) is body
            yield FALSE_CONTENT_ENCODING if is_false else detector, in_words(name.lower(), value)


def in_words(name: str, value: str | None) -> str:
    """Describes a header, for example as `content-type: text/plain` or as `no content-type`."""
    return f"no {name}" if value is None else f"{name}: {value}" if value else f"an empty {name}"


def _detector(name: str, value: str | None) -> str | None:
    match name:
        case "content-type":
            return _detector_of_type(value)
        case "content-encoding":
            return None if value is None else CONTENT_ENCODING
        case "accept":
            return None if value is None or _accepts_json(value) else RESPONSE_TYPE
        case _:
            return OTHER_HEADERS


def _detector_of_type(value: str | None) -> str | None:
    if value == JSON_TYPE:
        return None
    if value is None:
        return CONTENT_TYPE
    if _JSON_TYPE_VARIANT.fullmatch(value):
        return CONTENT_TYPE_FORM
    return CHARSET if _OTHER_CHARSET.fullmatch(value) else CONTENT_TYPE


def _accepts_json(accept: str) -> bool:
    """Returns whether an accept header allows JSON. The most specific media range counts (RFC 9110, 12.5.1)."""
    wanted = {part.partition(";")[0].strip().lower(): not _QUALITY_ZERO.search(part) for part in accept.split(",")}
    return next((wanted[known] for known in (JSON_TYPE, "application/*", "*/*") if known in wanted), False)


def carried(body: bytes, headers: Headers) -> bytes:
    """Returns the decompressed body if it is valid gzip and the headers say so, otherwise the body."""
    if [(value or "").lower() for name, value in headers if name.lower() == "content-encoding"] not in (
        [coding] for coding in _GZIP
    ):
        return body
    decompressor = zlib.decompressobj(_GZIP_WINDOW)
    try:
        message = decompressor.decompress(body, MOST_DECOMPRESSED)
    except zlib.error:
        return body
    return message if decompressor.eof and not decompressor.unused_data else body
