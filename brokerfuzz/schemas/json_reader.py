"""Parses JSON strictly as RFC 8259 defines it.

Ordinary parsers tolerate errors and drop information that the oracle needs. `read` accepts any bytes and never raises. It rejects NaN and
trailing text, reports duplicate properties and numbers that a double cannot represent, and accepts integers of any length and nesting of any depth.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from brokerfuzz.schemas.interpretations import USUAL, Exotic, Interpretation, interpreted
from brokerfuzz.schemas.json_numbers import fits_double
from brokerfuzz.schemas.nesting import shallow

DEEPEST = 64
"""The deepest level that is parsed completely. Deeper arrays and objects are only checked for their grammar and then treated as empty. No site lies
that deep.
"""


@dataclass(slots=True)
class Reading:
    """A parsed message.

    - `values`: the message in each interpretation, the usual one first. There are several if properties have the same name: the last or the first
      one counts. There are also several if a double cannot represent a number: it is kept as written, or rounded. If there is an `error`, `values` is
      empty.
    - `error`: the reason why the bytes are not JSON, if they are not.
    - `encoding`: the name of the encoding if it is not UTF-8.
    - `bom`: True if the bytes begin with a byte order mark.
    - `exotic`: the ambiguities that are visible only in the text, as (detector, JSON Pointer, found).
    """

    body: bytes = field(repr=False)
    values: dict[Interpretation, Any] = field(default_factory=dict)
    error: str | None = None
    encoding: str | None = None
    bom: bool = False
    exotic: list[Exotic] = field(default_factory=list)

    @property
    def usual(self) -> Any:
        """The message in the usual interpretation. None if the bytes are not JSON."""
        return self.values.get(USUAL)

    def may_hold_text_of(self, size: int) -> bool:
        """Returns True if the message may contain a string of `size` characters. Returns False if the quotation marks in the message are too close
        together for such a string.
        """
        at, body = 0, self.body
        if self.encoding is not None or len(body) <= size:
            return self.encoding is not None
        if b"\\" in body and b'\\"' in body:
            body = body.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        while at + size <= len(body):
            at = body.rfind(b'"', at, at + size) + 1
            if at == 0:
                return True
        return False


def read(body: bytes) -> Reading:
    """Parses a message. Never raises an exception: `Reading` contains any error."""
    return Reading(body, {USUAL: value}) if (value := cached_parse_compact(body)) is not None else read_fully(body)


def read_fully(body: bytes) -> Reading:
    """Parses a message in every interpretation. `read` calls this function for messages that are not compact, unambiguous JSON."""
    reading = Reading(body)
    text = _decode(body, reading)
    try:
        try:
            reading.values, reading.exotic = interpreted(text)
        except RecursionError:
            reading.values, reading.exotic = interpreted(shallow(text, DEEPEST))
    except ValueError as problem:
        reading.error = _explain(problem)
    return reading


_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
_LONG = b"0" * 16


def parse_compact(body: bytes) -> Any:
    """Returns the message if it is compact JSON with a single interpretation, otherwise None. The caller must not change the message.

    orjson parses the bytes and writes them again. If the result is the same, the message is UTF-8 without duplicate properties, and no
    number loses anything. Two exceptions are checked separately: integers of 16 or more digits may not fit a double, and NUL characters.
    """
    if body[:1] not in (b"{", b"[") or b"\\u0000" in body:
        return None
    if len(body) > len(_LONG):
        digits = body.translate(_DIGITS)
        if _LONG in digits and not all(map(fits_double, _long_integers(body, digits))):
            return None
    try:
        value = orjson.loads(body)
        return value if orjson.dumps(value) == body else None
    except (ValueError, TypeError):  # not JSON, or nested too deep for orjson
        return None


def is_compact_json(body: bytes) -> bool:
    """Returns True if the bytes are compact JSON, regardless of their interpretations."""
    try:
        return orjson.dumps(orjson.loads(body)) == body
    except (ValueError, TypeError):  # not JSON, or nested too deep for orjson
        return False


_remembered = lru_cache(maxsize=8)(parse_compact)
_LARGEST_REMEMBERED = 64 * 1024


def cached_parse_compact(body: bytes) -> Any:
    """Does the same as `parse_compact`, and caches the results for small messages, because each message is parsed twice: to judge it and to write
    it."""
    return _remembered(body) if len(body) <= _LARGEST_REMEMBERED else parse_compact(body)


def _long_integers(body: bytes, digits: bytes) -> Iterator[str]:
    """Yields the runs of 16 or more digits that may be integers. Digits after a decimal point are not included. In `digits`, every digit is replaced
    by 0.
    """
    at = digits.find(_LONG)
    while at >= 0:
        end = digits.find(b" ", at)
        if body[at - 1] in b":,[-":
            yield body[at:end].decode()
        at = digits.find(_LONG, end) if end >= 0 else -1


def read_shallow(body: bytes) -> Reading:
    """Parses a message like `read`, but always treats arrays and objects deeper than `DEEPEST` as empty."""
    reading = Reading(body)
    try:
        reading.values, reading.exotic = interpreted(shallow(_decode(body, reading), DEEPEST))
    except ValueError as problem:
        reading.error = _explain(problem)
    return reading


def _decode(body: bytes, reading: Reading) -> str:
    encoding = json.detect_encoding(body)
    reading.bom = encoding in ("utf-8-sig", "utf-16", "utf-32")
    if not encoding.startswith("utf-8"):
        reading.encoding = encoding
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        reading.encoding = f"broken {encoding.removesuffix('-sig')}"
        return body.decode(encoding, "replace")


def _explain(problem: ValueError) -> str:
    if not isinstance(problem, json.JSONDecodeError):
        return str(problem)
    found, at = problem.msg, problem.pos
    if found in _AFTER_COMMA:
        found, at = _AFTER_COMMA[found], at + 1 + len(problem.doc[at + 1 :]) - len(problem.doc[at + 1 :].lstrip(" \t\n\r"))
    found = found.removesuffix(" at")
    return f"{_ERRORS.get(found) or found[0].lower() + found[1:]} at character {at}"


_AFTER_COMMA = {
    "Illegal trailing comma before end of object": "Expecting property name enclosed in double quotes",
    "Illegal trailing comma before end of array": "Expecting value",
}
"""Maps the errors that Python 3.13 and later report for a trailing comma to the errors that earlier versions report for the bracket after the comma.
Corpora must not depend on the Python version.
"""

_ERRORS = {
    "Expecting value": "expected a value",
    "Expecting property name enclosed in double quotes": "expected a property name in double quotes",
    "Expecting ':' delimiter": "expected ':'",
    "Expecting ',' delimiter": "expected ','",
    "Extra data": "unexpected data after the end of the JSON",
    "Unterminated string starting": "unterminated string that starts",
    "Invalid \\uXXXX escape": "invalid \\uXXXX escape",
    "Invalid \\escape": "invalid escape sequence",
}
"""Our wording for the errors of Python's parser."""
