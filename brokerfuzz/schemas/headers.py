"""What the headers of a request put in doubt, and which message a body carries by them.

The contract shows how a message looks and not how it goes: of a request's headers only the plainest are in no doubt. Header names
are compared in any case, and so are media types (RFC 9110, 8.3.1).
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from brokerfuzz.errors import quoted

Headers = tuple[tuple[str, str | None], ...]
"""(name, value): what a request has in place of its usual headers of these names. None: it has none of that name."""

JSON_TYPE = "application/json"
MOST_UNPACKED = 8 * 1024 * 1024
"""Bytes of a message that a body is unpacked to; one that holds more is judged as it is."""

CONTENT_TYPE, CONTENT_TYPE_FORM, CONTENT_ENCODING = "content_type", "content_type_form", "content_encoding"
RESPONSE_TYPE, OTHER_HEADERS = "response_type", "other_headers"
OF_HEADERS = (CONTENT_TYPE, CONTENT_TYPE_FORM, CONTENT_ENCODING, RESPONSE_TYPE, OTHER_HEADERS)
"""The names that `ambiguities.json` can give as detectors of what only headers show."""

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")
_JSON_SAID_OTHERWISE = re.compile(r'application/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?', re.IGNORECASE)
_UNWANTED = re.compile(r";\s*q=0(?:\.0*)?\s*$", re.IGNORECASE)
_GZIP = ("gzip", "x-gzip")
_GZIP_WINDOW = 31  # zlib's word for a gzip header and its largest window


def headers_of(pairs: Any) -> Headers:
    """The headers of a list of pairs, as JSON has them. Raises `ValueError` for what no request can have.

    A length is not to be given: that of the body is sent, and another breaks HTTP itself.
    """
    headers = tuple((name, value) for name, value in pairs)
    for name, value in headers:
        if not (isinstance(name, str) and _NAME.fullmatch(name)) or name.lower() == "content-length":
            raise ValueError(f"{quoted(name)} is no header that can be set: give a name that HTTP has, and none of content-length")
        if value is not None and not (isinstance(value, str) and _VALUE.fullmatch(value)):
            raise ValueError(f"{quoted(value)} is no value of {quoted(name)}: give printable ASCII without blanks around it, or null")
    return headers


def in_doubt(headers: Headers) -> Iterator[tuple[str, str]]:
    """(a detector, what was found) for each header that is not as plain as can be."""
    given = Counter(name.lower() for name, _ in headers)
    for name, value in headers:
        if name.lower() == "content-type" and given["content-type"] > 1:
            yield CONTENT_TYPE, "more than one content-type"
        elif (detector := _detector(name.lower(), value)) is not None:
            yield detector, in_words(name.lower(), value)


def in_words(name: str, value: str | None) -> str:
    """A header for a reader: `content-type: text/plain`, `no content-type`."""
    return f"no {name}" if value is None else f"{name}: {value}" if value else f"an empty {name}"


def _detector(name: str, value: str | None) -> str | None:
    match name:
        case "content-type":
            return _detector_of_type(value)
        case "content-encoding":
            return None if value is None else CONTENT_ENCODING
        case "accept":
            return None if value is None or _takes_json(value) else RESPONSE_TYPE
        case _:
            return OTHER_HEADERS


def _detector_of_type(value: str | None) -> str | None:
    if value == JSON_TYPE:
        return None
    return CONTENT_TYPE_FORM if value is not None and _JSON_SAID_OTHERWISE.fullmatch(value) else CONTENT_TYPE


def _takes_json(accept: str) -> bool:
    """Whether JSON is wanted for an answer: of the ranges that it is in, the narrowest counts (RFC 9110, 12.5.1)."""
    wanted = {part.partition(";")[0].strip().lower(): not _UNWANTED.search(part) for part in accept.split(",")}
    return next((wanted[known] for known in (JSON_TYPE, "application/*", "*/*") if known in wanted), False)


def carried(body: bytes, headers: Headers) -> bytes:
    """The message that a body carries: unpacked, where the headers say gzip and it is that; else the body itself."""
    if [(value or "").lower() for name, value in headers if name.lower() == "content-encoding"] not in ([coding] for coding in _GZIP):
        return body
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        message = unpacking.decompress(body, MOST_UNPACKED)
    except zlib.error:
        return body
    return message if unpacking.eof and not unpacking.unused_data else body
