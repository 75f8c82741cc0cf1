"""Finds all interpretations of a JSON text.

For example, if several properties have the same name, each of them can count. Numbers can be exact or rounded to
doubles.

The module also reports the reasons why a text is ambiguous, and reports strings that contain NUL or invalid Unicode.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import ROUND_05UP, Context, Decimal
from itertools import product
from typing import Any, NamedTuple, NoReturn

from brokerfuzz.pointers import Place, pointer
from brokerfuzz.wording import printable

Exotic = tuple[str, str, str]
"""A reason why a text is ambiguous: the name of the detector, a JSON Pointer, and a description."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAY_BE_EXOTIC = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""The escapes that can produce NUL or half of a surrogate pair."""


class Interpretation(NamedTuple):
    """One way to interpret a JSON text.

    If `rounded` is true, numbers are rounded to doubles. `counted` is the number of the property that counts if several
    properties have the same name: 1 for the first, 2 for the second, and 0 for the last.
    """

    rounded: bool = False
    counted: int = 0


USUAL = Interpretation()

LONE_SURROGATES = "lone_surrogates"
DUPLICATE_PROPERTIES, DOUBLE_RANGE = "duplicate_properties", "double_range"
"""The detectors of two ambiguities. The answer to each of these ambiguities determines how a text is parsed."""
MOST_COUNTED = 16
"""The maximum number of properties with the same name that are judged: if there are more, these are the last one and
the first ones.
"""
MEANINGS: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    DOUBLE_RANGE: {"exact": (False,), "rounded": (True,)},
    DUPLICATE_PROPERTIES: {"last": (0,), "first": (1,), "both": tuple(range(MOST_COUNTED))},
}
"""Maps the two detectors above to the names of their interpretations. A number is a value of `Interpretation.rounded`
(for `DOUBLE_RANGE`) or of `Interpretation.counted` (for `DUPLICATE_PROPERTIES`). `both` has several numbers: the
message must be valid with each of the properties.
"""


def interpreted(text: str) -> tuple[dict[Interpretation, Any], list[Exotic]]:
    """Returns the value of the text in each interpretation (the usual interpretation first), and the reasons why the
    text is ambiguous.

    Raises `ValueError` if the text is not JSON.
    """
    written = _Written()
    value = written.parse(text)
    if written.interpretations == [USUAL] and not _MAY_BE_EXOTIC.search(text):
        return {USUAL: value}, []
    exotic = _Notes().of(value)
    values = {one: _chosen(value, one) for one in written.interpretations}
    if any(detector == LONE_SURROGATES for detector, _, _ in exotic):
        values = {one: _without_surrogates(value) for one, value in values.items()}
    return values, exotic


class _Inexact(NamedTuple):
    """A number that a double cannot represent. `literal` has all digits of the number."""

    literal: str
    rounded: float


Pairs = list[tuple[str, Any]]


class _SharedNames(Pairs):
    """The properties of an object in which several properties have the same name."""


class _Written:
    """Parses a JSON text. Numbers that a double cannot represent become `_Inexact`, and objects with duplicate
    properties become `_SharedNames`.
    """

    def __init__(self) -> None:
        self._inexact = False
        self._most = 1

    def parse(self, text: str) -> Any:
        """Returns the value. Raises `ValueError` if the text is not JSON."""
        hooks: Mapping[str, Any] = {
            "parse_int": self._integer,
            "parse_float": self._real,
            "object_pairs_hook": self._object,
        }
        return json.JSONDecoder(parse_constant=_reject, **hooks).decode(text)

    @property
    def interpretations(self) -> list[Interpretation]:
        return [
            Interpretation(*both)
            for both in product((False, True)[: 1 + self._inexact], range(min(self._most, MOST_COUNTED)))
        ]

    def _integer(self, literal: str) -> int | _Inexact:
        if len(literal) <= 15 or fits_double(literal):
            return int(literal)
        self._inexact = True
        return _Inexact(literal, int(rounded(literal)))

    def _real(self, literal: str) -> float | _Inexact:
        if (len(literal) <= 15 and "e" not in literal and "E" not in literal) or fits_double(literal):
            return float(literal)
        self._inexact = True
        return _Inexact(literal, rounded(literal))

    def _object(self, pairs: Pairs) -> dict[str, Any] | _SharedNames:
        result = dict(pairs)
        if len(result) == len(pairs):
            return result
        self._most = max(self._most, *Counter(name for name, _ in pairs).values())
        return _SharedNames(pairs)


def _reject(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _chosen(value: Any, interpretation: Interpretation) -> Any:
    """Returns the value in one interpretation."""
    match value:
        case _Inexact():
            return value.rounded if interpretation.rounded else exact(value.literal)
        case _SharedNames():
            values: dict[str, list[Any]] = {}
            for name, prop in value:
                values.setdefault(name, []).append(prop)
            counted = {name: some[min(interpretation.counted, len(some)) - 1] for name, some in values.items()}
            return _chosen(counted, interpretation)
        case dict():
            return {name: _chosen(prop, interpretation) for name, prop in value.items()}
        case list():
            return [_chosen(item, interpretation) for item in value]
        case _:
            return value


class _Notes:
    """Collects the reasons why a parsed text is ambiguous."""

    def __init__(self) -> None:
        self._found: list[Exotic] = []

    def of(self, value: Any) -> list[Exotic]:
        self._visit(value, None)
        return self._found

    def _visit(self, value: Any, place: Place) -> None:
        match value:
            case str():
                self._text(value, place)
            case _Inexact(literal=literal):
                shown = literal if len(literal) <= 60 else f"a number of {len(literal):,} characters"
                self._note(DOUBLE_RANGE, place, shown)
            case _SharedNames():
                self._properties(value, place)
            case dict():
                self._properties(value.items(), place)
            case list():
                for index, item in enumerate(value):
                    self._visit(item, (place, index))

    def _properties(self, props: Iterable[tuple[str, Any]], place: Place) -> None:
        names = set()
        for name, prop in props:
            below = (place, _without_surrogates(name))
            if name in names:
                self._note(DUPLICATE_PROPERTIES, below, f"duplicate property `{printable(name)}`")
            names.add(name)
            # no JSON Pointer can contain a lone surrogate, so the place of the object is reported
            self._text(name, place if _SURROGATE.search(name) else below)
            self._visit(prop, below)

    def _text(self, text: str, place: Place) -> None:
        if "\0" in text:
            self._note("nul_characters", place, "a NUL character")
        if lone := _SURROGATE.search(text):
            self._note(LONE_SURROGATES, place, f"the lone surrogate U+{ord(lone[0]):04X}")

    def _note(self, detector: str, place: Place, found: str) -> None:
        self._found.append((detector, pointer(place), found))


def _without_surrogates(value: Any) -> Any:
    """Replaces each lone surrogate with U+FFFD, because the validator cannot handle lone surrogates."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(prop) for name, prop in value.items()}
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value


# ------------------------------------------------------------------------------------------------------------- numbers

_LARGEST = math.nextafter(math.inf, 0)

LONGEST_NUMBER = 640
"""The maximum length of a number, in characters. brokerfuzz treats a longer number like a number that a double cannot
represent. This limit exists because Python can be configured to reject integers of more than 640 digits.
"""

_EXACT = Context(prec=LONGEST_NUMBER, rounding=ROUND_05UP, Emin=-LONGEST_NUMBER, Emax=LONGEST_NUMBER, traps=[])
"""Rounds numbers that are longer than 640 digits or too large. A rounded number is on the same side of each bound of a
schema as the original number.

With `ROUND_05UP`, the 640th digit of a rounded number is never 0. Bounds are shorter, so no rounded number equals a
bound.
"""


def exact(literal: str) -> Decimal:
    """Returns the exact value of a number. See `_EXACT` for numbers that are too long or too large."""
    return _EXACT.create_decimal(literal)


def fits_double(literal: str) -> bool:
    """Returns whether a number stays the same if it is parsed as a double and written again. For example, 0.1 stays the
    same.
    """
    return len(literal) <= LONGEST_NUMBER and exact(literal) == Decimal(repr(float(literal)))


def integer(literal: str) -> int | float:
    """Parses an integer. Python converts at most 4,300 digits. An integer with more digits becomes the largest double
    with its sign.
    """
    try:
        return int(literal)
    except ValueError:
        return rounded(literal)


def rounded(literal: str) -> float:
    """Converts a number to a double. If the number is out of range, returns the largest double with the same sign."""
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value
