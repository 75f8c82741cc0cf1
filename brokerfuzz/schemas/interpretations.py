"""Finds all interpretations of a JSON text.

For example, if several properties have the same name, each of them can count. Numbers can be exact or rounded to
doubles.

The module also reports the reasons why a text is ambiguous, and reports strings that contain NUL or invalid Unicode.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple, NoReturn

from brokerfuzz.pointers import Place, pointer
from brokerfuzz.schemas.json_numbers import exact, fits_double, rounded
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
    texts = _MAY_BE_EXOTIC.search(text) is not None
    interpretations = written.interpretations
    if interpretations == [USUAL] and not texts:
        return {USUAL: value}, []
    reader = _InterpretationReader(interpretations, texts)
    values = reader.read(value, None) or [value] * len(interpretations)
    if any(detector == "lone_surrogates" for detector, _, _ in reader.exotic):
        values = [_without_surrogates(value) for value in values]
    return dict(zip(interpretations, values, strict=True)), reader.exotic


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


class _InterpretationReader:
    """Builds one value per interpretation from a parsed text. If `texts` is true, strings are also checked for NUL and
    surrogates.
    """

    def __init__(self, interpretations: list[Interpretation], texts: bool) -> None:
        self._interpretations, self._texts = interpretations, texts
        self._seen = (str, *_HOLDING) if texts else _HOLDING
        self.exotic: list[Exotic] = []

    def read(self, value: Any, place: Place) -> list[Any] | None:
        """Returns the value in each interpretation, or None if the value is the same in all interpretations."""
        kind = type(value)
        if kind is dict:
            return self._object(value, place)
        if kind is list:
            return self._array(value, place)
        if kind is _SharedNames:
            return self._repeated(value, place)
        if kind is _Inexact:
            literal = value.literal
            self._note(
                DOUBLE_RANGE, place, literal if len(literal) <= 60 else f"a number of {len(literal):,} characters"
            )
            return [value.rounded if one.rounded else exact(literal) for one in self._interpretations]
        if kind is str:
            self._look_at(value, place)
        return None

    def _object(self, props: Mapping[str, Any], place: Place) -> list[Any] | None:
        found = {}
        for name, prop in props.items():
            below = self._named(name, place) if self._texts else (place, name)
            if type(prop) in self._seen and (read := self.read(prop, below)) is not None:
                found[name] = read
        return (
            [{**props, **{name: read[k] for name, read in found.items()}} for k in range(len(self._interpretations))]
            if found
            else None
        )

    def _repeated(self, props: Pairs, place: Place) -> list[Any]:
        found, names = [], set()
        for name, prop in props:
            if name in names:
                self._note(
                    DUPLICATE_PROPERTIES, (place, _without_surrogates(name)), f"duplicate property `{printable(name)}`"
                )
            names.add(name)
            found.append((name, self.read(prop, self._named(name, place)) or [prop] * len(self._interpretations)))
        values: dict[str, list[Any]] = {}
        for name, read in found:
            values.setdefault(name, []).append(read)
        return [
            {name: of[min(one.counted, len(of)) - 1][k] for name, of in values.items()}
            for k, one in enumerate(self._interpretations)
        ]

    def _array(self, items: list[Any], place: Place) -> list[Any] | None:
        found = {}
        for index, item in enumerate(items):
            if type(item) in self._seen and (read := self.read(item, (place, index))) is not None:
                found[index] = read
        return (
            [
                [found[i][k] if i in found else item for i, item in enumerate(items)]
                for k in range(len(self._interpretations))
            ]
            if found
            else None
        )

    def _named(self, name: str, place: Place) -> Place:
        """Checks the name of a property, and returns the place of the property.

        A lone surrogate in the name is reported at the place of the object, because no JSON Pointer can contain a lone
        surrogate.
        """
        below = (place, _without_surrogates(name))
        self._look_at(name, place if _SURROGATE.search(name) else below)
        return below

    def _look_at(self, text: str, place: Place) -> None:
        if "\0" in text:
            self._note("nul_characters", place, "a NUL character")
        if lone := _SURROGATE.search(text):
            self._note("lone_surrogates", place, f"the lone surrogate U+{ord(lone[0]):04X}")

    def _note(self, detector: str, place: Place, found: str) -> None:
        self.exotic.append((detector, pointer(place), found))


_HOLDING = (_Inexact, _SharedNames, dict, list)
"""Only values of these types can be ambiguous, or contain ambiguous values."""


def _without_surrogates(value: Any) -> Any:
    """Replaces each lone surrogate with U+FFFD, because the validator cannot handle lone surrogates."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(prop) for name, prop in value.items()}
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value
