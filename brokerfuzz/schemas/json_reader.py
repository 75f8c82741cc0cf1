"""Parses JSON strictly, as RFC 8259 defines it.

Other parsers tolerate errors and lose information that the oracle needs. `read` can be called with any bytes and raises
no exception. The result contains an error for NaN and for text after the message. The result also reports duplicate
properties, and numbers that a double cannot represent. Integers can have any length, and nesting can have any depth.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from brokerfuzz.schemas.ambiguity_detectors import (
    BYTE_ORDER_MARK,
    NOT_UTF_8,
    OVERLONG_UTF_8,
    SURROGATES_IN_UTF_8,
    UTF_16,
    UTF_32,
)
from brokerfuzz.schemas.interpretations import DUPLICATE_PROPERTIES, USUAL, Exotic, Interpretation, interpreted


@dataclass(slots=True)
class Reading:
    """A parsed message.

    - `values`: maps each interpretation to the message, the usual interpretation first. Interpretations differ in which
      of several properties with the same name they contain (the first or the last), and in whether they round numbers
      to doubles. If the bytes are not JSON, there are no values.
    - `error`: the reason why the bytes are not JSON.
    - `exotic`: the reasons why the bytes or the text are ambiguous. Each reason consists of a detector, a JSON Pointer
      and a description.
    """

    body: bytes = field(repr=False)
    values: dict[Interpretation, Any] = field(default_factory=dict)
    error: str | None = None
    exotic: list[Exotic] = field(default_factory=list)

    @property
    def usual(self) -> Any:
        """The message as most parsers read it, or None if the bytes are not JSON."""
        return self.values.get(USUAL)

    @property
    def has_unread_values(self) -> bool:
        """True if a place has more than two values, because more than two properties have the same name."""
        places = [at for detector, at, _ in self.exotic if detector == DUPLICATE_PROPERTIES]
        return len(places) > len(set(places))


def read(body: bytes) -> Reading:
    """Parses a message. Raises no exception: see `Reading.error`."""
    value = _parsed_quickly(body)
    return Reading(body, {USUAL: value}) if value is not None else read_fully(body)


def read_fully(body: bytes) -> Reading:
    """Parses a message in every interpretation. Values that are nested too deeply count as empty."""
    text, exotic = _decoded(body)
    try:
        values, of_text = interpreted(text)
    except ValueError as problem:
        return Reading(body, error=str(problem), exotic=exotic)
    return Reading(body, values, exotic=[*exotic, *of_text])


_LONG_INTEGER = re.compile(rb"[:,\[]-?[0-9]{16}")
_TOKENS = re.compile(rb'(?:"(?:[^"\\]++|\\.)*+"|[^" \t\r\n]++)++')


def _parsed_quickly(body: bytes) -> Any:
    """Returns the message if it is a JSON object or array with a single interpretation, otherwise None.

    To check whether parsing loses information, the function converts the message back to JSON. If the new bytes are
    equal to the original bytes without white space, no information was lost. NUL characters, and integers with 16 or
    more digits, need separate checks, so `read_fully` parses messages that may contain them.
    """
    if body[:1] not in (b"{", b"[") or b"\\u0000" in body:
        return None
    try:
        value = orjson.loads(body)
        compact = orjson.dumps(value)
    except (ValueError, TypeError):  # not JSON, or nested too deeply for orjson
        return None
    loses_nothing = compact == body.strip() or compact == b"".join(_TOKENS.findall(body))
    return value if loses_nothing and not _LONG_INTEGER.search(compact) else None


def is_compact_json(body: bytes) -> bool:
    """Returns whether the bytes are compact JSON, also with NUL characters and long integers."""
    try:
        return orjson.dumps(orjson.loads(body)) == body
    except (ValueError, TypeError):  # not JSON, or nested too deeply for orjson
        return False


def _decoded(body: bytes) -> tuple[str, list[Exotic]]:
    """Decodes the bytes to text. Also returns everything that is unusual about the bytes."""
    encoding = json.detect_encoding(body)
    marked = encoding in ("utf-8-sig", "utf-16", "utf-32")
    exotic: list[Exotic] = [(BYTE_ORDER_MARK, "", "a byte order mark")] if marked else []
    found: str = encoding
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        found = f"broken {encoding.removesuffix('-sig')}"
        text = body.decode(encoding, "replace")
    if not found.startswith("utf-8"):
        detector = UTF_16 if "utf-16" in encoding else UTF_32 if "utf-32" in encoding else faulty_utf_8(body)
        exotic.append((detector, "", found))
    return text, exotic


_WELL_FORMED = re.compile(
    rb"(?:[\x00-\x7f]++|[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3})*+"
)


def faulty_utf_8(body: bytes) -> str:
    """Returns the detector of the ambiguity that invalid UTF-8 touches: `SURROGATES_IN_UTF_8`, `OVERLONG_UTF_8` or
    `NOT_UTF_8`. For code points above U+10FFFF, returns `OVERLONG_UTF_8`.
    """
    try:
        body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return OVERLONG_UTF_8 if _WELL_FORMED.fullmatch(body) else NOT_UTF_8
    return SURROGATES_IN_UTF_8


def overlong_decoded(body: bytes) -> bytes:
    """Replaces overlong sequences with the characters that a lenient decoder reads."""
    return _SEQUENCE.sub(lambda found: _character(found[0]).encode(), body)


_SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")


def _character(sequence: bytes) -> str:
    code = sequence[0] & (0xFF >> (len(sequence) + 1))
    for byte in sequence[1:]:
        code = code << 6 | byte & 0x3F
    return "\ufffd" if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)
