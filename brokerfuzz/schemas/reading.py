"""Reading JSON as RFC 8259 has it, and nothing besides.

A parser of a service forgives or forgets; the oracle must see what is there. `read` takes any bytes and never raises:
NaN and trailing text are refused, members of the same name are seen, integers have any length, numbers that a double
cannot hold are noticed, and nesting of any depth is read without recursion.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import product
from typing import Any, NoReturn

import orjson

from brokerfuzz.schemas.nesting import shallow

DEEPEST = 64
"""Arrays and objects in so many others are read for their grammar, then taken for empty ones: no site lies as deep."""

_LARGEST = math.nextafter(math.inf, 0)
_SMALLEST = math.ulp(0.0)
_LONGEST_NUMBER = 640  # characters; longer ones are out of any double's hold, and Python can be told to refuse integers past 640 digits

LONGEST_INTEGER = 10**399
"""Stands for all integers of more than 640 characters."""

_SURROGATE = re.compile("[\ud800-\udfff]")

Exotic = tuple[str, str, str]
"""(detector, JSON Pointer, found)"""


@dataclass(slots=True)
class Reading:
    """What bytes say.

    `values`: the message in every way that it can be read, the usual one first; more than one only where members share
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
        if self.encoding is not None:
            return True
        at, body = 0, self.body
        if b'\\"' in body:
            body = body.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        while at + size <= len(body):
            at = body.rfind(b'"', at, at + size) + 1
            if at == 0:
                return True
        return False


def read(body: bytes) -> Reading:
    """Reads a message. Never raises; see `Reading`."""
    if (value := plain(body)) is not None:
        return Reading(body, [value])
    reading = Reading(body)
    text = _decode(body, reading)
    try:
        try:
            _take(text, reading)
        except RecursionError:
            _take(shallow(text, DEEPEST), reading)
    except ValueError as problem:
        reading.error = _explain(problem)
    return reading


_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
_LONG = b"0" * 16


@lru_cache(maxsize=8)  # a message is judged and then written
def plain(body: bytes) -> Any:
    """The message, if it is compact JSON that can be read in one way only; None if that is not so or not known. Not to be changed.

    What is written again as it was has no member twice, no number that loses anything and no encoding but UTF-8: orjson reads those, and
    writes the shortest text of a double. Of its integers, only those of 16 digits and more may be beyond a double. NUL it writes in one way.
    """
    if body[:1] not in (b"{", b"[") or b"\\u0000" in body:
        return None
    digits = body.translate(_DIGITS)
    if _LONG in digits and not all(map(fits_double, _long_integers(body, digits))):
        return None
    try:
        value = orjson.loads(body)
        return value if orjson.dumps(value) == body else None
    except (ValueError, TypeError):  # no JSON; nested deeper than orjson writes
        return None


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
        _take(shallow(_decode(body, reading), DEEPEST), reading)
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


_MAY_BE_EXOTIC = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""Only so can a JSON text hold NUL, or half of a surrogate pair."""


def _take(text: str, reading: Reading) -> None:
    numbers, members = _Numbers(), _LastWins()
    value = _parse(text, numbers.integer, numbers.real, members)
    if numbers.inexact or members.repeated:
        reading.values = [value, *_other_ways(text, inexact=numbers.inexact, repeated=members.repeated)]
    else:
        reading.values = [value]
    exotic_texts = _MAY_BE_EXOTIC.search(text) is not None
    if numbers.inexact or members.repeated or exotic_texts:
        reading.exotic = list(_exotic(_parse(text, _Literal, _Literal, _Members), "", texts=exotic_texts))
        if any(detector == "lone_surrogates" for detector, _, _ in reading.exotic):
            reading.values = [without_surrogates(value) for value in reading.values]


Pairs = list[tuple[str, Any]]


def _parse(text: str, integer: Callable[[str], Any], real: Callable[[str], Any], pairs: Callable[[Pairs], Any]) -> Any:
    decoder = json.JSONDecoder(parse_int=integer, parse_float=real, parse_constant=_refuse, object_pairs_hook=pairs)
    return decoder.decode(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")


def _explain(problem: ValueError) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"{problem.msg[0].lower()}{problem.msg[1:]}, at character {problem.pos}"
    return str(problem)


class _Numbers:
    """Number hooks for the parser; `inexact` tells whether a double does not give one back."""

    def __init__(self) -> None:
        self.inexact = False

    def integer(self, literal: str) -> int:
        if len(literal) <= 15:
            return int(literal)
        self.inexact = self.inexact or not fits_double(literal)
        if len(literal) > _LONGEST_NUMBER:
            return -LONGEST_INTEGER if literal[0] == "-" else LONGEST_INTEGER
        return int(literal)

    def real(self, literal: str) -> float:
        value = float(literal)
        if len(literal) > 15 or "e" in literal or "E" in literal:
            self.inexact = self.inexact or not fits_double(literal)
            return _as_written(literal, value)
        return value


@lru_cache(maxsize=1024)
def fits_double(literal: str) -> bool:
    """Whether a double gives the number back as it was written (0.1 does: the shortest text of its double is 0.1)."""
    if len(literal) > _LONGEST_NUMBER:
        return False
    value = float(literal)
    if math.isinf(value):
        return False
    try:
        return Decimal(literal) == Decimal(repr(value))
    except InvalidOperation:  # an exponent beyond 10**18: zero or out of range
        return not _has_digits(literal)


def _as_written(literal: str, value: float) -> float:
    """The double on the same side of every bound as the number itself, where that is too large or too small for one."""
    if math.isinf(value):
        return math.copysign(_LARGEST, value)
    if value == 0 and _has_digits(literal):
        return math.copysign(_SMALLEST, value)
    return value


def _has_digits(literal: str) -> bool:
    """Whether the number is not zero, as it is written."""
    return re.search("[1-9]", literal.lower().partition("e")[0]) is not None


def _rounded(literal: str) -> float:
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value


def _rounded_integer(literal: str) -> int:
    return int(_rounded(literal))


class _LastWins:
    """Member hook for the parser; `repeated` tells whether members share a name."""

    def __init__(self) -> None:
        self.repeated = False

    def __call__(self, pairs: Pairs) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            self.repeated = True
        return result


def _first_wins(pairs: Pairs) -> dict[str, Any]:
    return dict(reversed(pairs))


def _other_ways(text: str, *, inexact: bool, repeated: bool) -> list[Any]:
    """The other ways to read a message than by its last members and its exact numbers."""
    exact = _Numbers()
    numbers: list[tuple[Callable[[str], int], Callable[[str], float]]] = [(exact.integer, exact.real)]
    if inexact:
        numbers.append((_rounded_integer, _rounded))
    members: list[Callable[[Pairs], Any]] = [dict, _first_wins] if repeated else [dict]
    return [_parse(text, integer, real, pairs) for pairs, (integer, real) in list(product(members, numbers))[1:]]


class _Literal(str):
    """A number as it is written."""

    __slots__ = ()


class _Members(list[tuple[str, Any]]):
    """An object as it is written, members of the same name included."""


def _exotic(value: Any, at: str, *, texts: bool) -> Iterator[Exotic]:
    """What is exotic about a value, and below. `texts` tells whether there can be an exotic text."""
    kind = type(value)
    if kind is _Literal:
        yield "double_range", at, value if len(value) <= 60 else f"a number of {len(value):,} characters"
    elif kind is str:
        yield from _exotic_text(value, at)
    elif kind is _Members:
        seen: set[str] = set()
        for name, member in value:
            if name in seen:
                yield "duplicate_members", _below(at, name), f"a second member {name!r}"
            seen.add(name)
            if texts:
                yield from _exotic_text(name, _below(at, name))
            if _may_be_exotic(member, texts=texts):
                yield from _exotic(member, _below(at, name), texts=texts)
    elif kind is list:
        for index, item in enumerate(value):
            if _may_be_exotic(item, texts=texts):
                yield from _exotic(item, f"{at}/{index}", texts=texts)


def _may_be_exotic(value: Any, *, texts: bool) -> bool:
    return not fits_double(value) if type(value) is _Literal else texts or type(value) is not str


def _below(at: str, name: str) -> str:
    return f"{at}/{escape(without_surrogates(name))}"


def _exotic_text(text: str, at: str) -> Iterator[Exotic]:
    if "\0" in text:
        yield "nul_characters", at, "a NUL character"
    if lone := _SURROGATE.search(text):
        yield "lone_surrogates", at, f"the lone surrogate U+{ord(lone[0]):04X}"


def without_surrogates(value: Any) -> Any:
    """The value with every lone surrogate replaced by U+FFFD, one for one: validators refuse to look at them."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(name): without_surrogates(member) for name, member in value.items()}
    return [without_surrogates(item) for item in value] if isinstance(value, list) else value


def escape(name: str) -> str:
    """A member's name as a reference token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
