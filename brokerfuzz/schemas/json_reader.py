"""Reading JSON as RFC 8259 has it, and nothing besides.

A parser of a service forgives or forgets; the oracle must see what is there. `read` takes any bytes and never raises:
NaN and trailing text are rejected, properties of the same name are seen, integers have any length, numbers that a double
cannot hold are noticed, and nesting of any depth is read without recursion.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from brokerfuzz.schemas.interpretations import Exotic, every_way
from brokerfuzz.schemas.json_numbers import fits_double
from brokerfuzz.schemas.nesting import shallow

DEEPEST = 64
"""Arrays and objects in so many others are read for their grammar, then taken for empty ones: no site lies as deep."""


@dataclass(slots=True)
class Reading:
    """What bytes say.

    `values`: the message in every way that it can be read, the usual one first; more than one only where properties share
    a name (the last one counts, or the first) or a number does not fit a double (as written, or rounded). Empty where
    `error` says why the bytes are no JSON. `encoding` is the encoding's name where that is not UTF-8, and `bom` whether
    a byte order mark came first. `exotic` lists (detector, JSON Pointer, found).
    """

    body: bytes = field(repr=False)
    values: list[Any] = field(default_factory=list)
    error: str | None = None
    encoding: str | None = None
    bom: bool = False
    exotic: list[Exotic] = field(default_factory=list)

    def may_hold_text_of(self, size: int) -> bool:
        """Whether a text of so many characters may be in the message: not, where its quotation marks are closer together than that."""
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
    """Reads a message. Never raises; see `Reading`."""
    return Reading(body, [value]) if (value := plain(body)) is not None else read_at_leisure(body)


def read_at_leisure(body: bytes) -> Reading:
    """Reads a message that is not plain, in every way that it can be."""
    reading = Reading(body)
    text = _decode(body, reading)
    try:
        try:
            reading.values, reading.exotic = every_way(text)
        except RecursionError:
            reading.values, reading.exotic = every_way(shallow(text, DEEPEST))
    except ValueError as problem:
        reading.error = _explain(problem)
    return reading


_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
_LONG = b"0" * 16


def plainly(body: bytes) -> Any:
    """The message, if it is compact JSON that can be read in one way only; None if that is not so or not known. Not to be changed.

    What is written again as it was has no property twice, no number that loses anything and no encoding but UTF-8: orjson reads those, and
    writes the shortest text of a double. Of its integers, only those of 16 digits and more may be beyond a double. NUL it writes in one way.
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
    except (ValueError, TypeError):  # no JSON; nested deeper than orjson writes
        return None


def compactly_written(body: bytes) -> bool:
    """Whether the bytes are the compact JSON of a value, whatever that may be taken for."""
    try:
        return orjson.dumps(orjson.loads(body)) == body
    except (ValueError, TypeError):  # no JSON; nested deeper than orjson writes
        return False


_remembered = lru_cache(maxsize=8)(plainly)
_LARGEST_REMEMBERED = 64 * 1024


def plain(body: bytes) -> Any:
    """The same, remembered for a while if it is not large: a message is judged and then written."""
    return _remembered(body) if len(body) <= _LARGEST_REMEMBERED else plainly(body)


def _long_integers(body: bytes, digits: bytes) -> Iterator[str]:
    """The runs of 16 digits and more that may be integers: whatever follows a point is none. In `digits` every digit is a 0."""
    at = digits.find(_LONG)
    while at >= 0:
        end = digits.find(b" ", at)
        if body[at - 1] in b":,[-":
            yield body[at:end].decode()
        at = digits.find(_LONG, end) if end >= 0 else -1


def read_shallow(body: bytes) -> Reading:
    """Reads a message as `read` does, and takes what lies deeper than `DEEPEST` for empty, whether or not it had to."""
    reading = Reading(body)
    try:
        reading.values, reading.exotic = every_way(shallow(_decode(body, reading), DEEPEST))
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
    return f"{found[0].lower()}{found[1:]}, at character {at}"


_AFTER_COMMA = {
    "Illegal trailing comma before end of object": "Expecting property name enclosed in double quotes",
    "Illegal trailing comma before end of array": "Expecting value",
}
"""What Python says of a comma from 3.13 on, and what earlier ones say of the end behind it: corpora are to have the same texts on all."""
