"""Finds all interpretations of a JSON text.

If several properties have the same name, the first or the last one can count. Numbers can be exact or rounded to
doubles. So a text has at most four interpretations.

The module also reports the reasons why a text is ambiguous, and reports strings that contain NUL or invalid Unicode.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product, starmap
from typing import Any, NamedTuple

from brokerfuzz.pointers import Place, pointer
from brokerfuzz.schemas.exact_numbers import exact
from brokerfuzz.schemas.json_parser import Inexact, SharedNames, parse
from brokerfuzz.wording import printable

Exotic = tuple[str, str, str]
"""A reason why a text is ambiguous: the name of the detector, a JSON Pointer, and a description."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Interpretation(NamedTuple):
    """One way to interpret a JSON text.

    If `rounded` is true, numbers are rounded to doubles. If `first` is true, the first of several properties with the
    same name counts, otherwise the last one.
    """

    rounded: bool = False
    first: bool = False


USUAL = Interpretation()

LONE_SURROGATES = "lone_surrogates"
DUPLICATE_PROPERTIES, DOUBLE_RANGE = "duplicate_properties", "double_range"
"""The detectors of two ambiguities. The answer to each of these ambiguities determines how a text is parsed."""
MEANINGS: Mapping[str, Mapping[str, tuple[bool, ...]]] = {
    DOUBLE_RANGE: {"exact": (False,), "rounded": (True,)},
    DUPLICATE_PROPERTIES: {"last": (False,), "first": (True,), "both": (False, True)},
}
"""Maps the two detectors above to the names of their interpretations. The booleans are values of
`Interpretation.rounded` (for `DOUBLE_RANGE`) or of `Interpretation.first` (for `DUPLICATE_PROPERTIES`). `both` has two:
the message must be valid with each of the properties.
"""


def interpreted(text: str) -> tuple[dict[Interpretation, Any], list[Exotic]]:
    """Returns the value of the text in each interpretation (the usual interpretation first), and the reasons why the
    text is ambiguous.

    Raises `ValueError` if the text is not JSON.
    """
    value = parse(text)
    exotic = list(_exotic(value, None))
    if not exotic:
        return {USUAL: value}, []
    detectors = {detector for detector, _, _ in exotic}
    rounded = (False, True) if DOUBLE_RANGE in detectors else (False,)
    first = (False, True) if DUPLICATE_PROPERTIES in detectors else (False,)
    values = {one: _chosen(value, one) for one in starmap(Interpretation, product(rounded, first))}
    if LONE_SURROGATES in detectors:
        values = {one: _without_surrogates(value) for one, value in values.items()}
    return values, exotic


def _chosen(value: Any, interpretation: Interpretation) -> Any:
    """Returns the value in one interpretation."""
    match value:
        case Inexact():
            return value.rounded if interpretation.rounded else exact(value.literal)
        case SharedNames():
            counted = dict(reversed(value) if interpretation.first else value)
            return _chosen(counted, interpretation)
        case dict():
            return {name: _chosen(prop, interpretation) for name, prop in value.items()}
        case list():
            return [_chosen(item, interpretation) for item in value]
        case _:
            return value


def _exotic(value: Any, place: Place) -> Iterator[Exotic]:
    """Yields the reasons why a parsed text is ambiguous."""
    match value:
        case str():
            yield from _in_text(value, place)
        case Inexact(literal=literal):
            shown = literal if len(literal) <= 60 else f"a number of {len(literal):,} characters"
            yield DOUBLE_RANGE, pointer(place), shown
        case dict() | SharedNames():
            names = set()
            for name, prop in value.items() if isinstance(value, dict) else value:
                below = (place, _without_surrogates(name))
                if name in names:
                    yield DUPLICATE_PROPERTIES, pointer(below), f"duplicate property `{printable(name)}`"
                names.add(name)
                # no JSON Pointer can contain a lone surrogate, so the place of the object is reported
                yield from _in_text(name, place if _SURROGATE.search(name) else below)
                yield from _exotic(prop, below)
        case list():
            for index, item in enumerate(value):
                yield from _exotic(item, (place, index))


def _in_text(text: str, place: Place) -> Iterator[Exotic]:
    if "\0" in text:
        yield "nul_characters", pointer(place), "a NUL character"
    if lone := _SURROGATE.search(text):
        yield LONE_SURROGATES, pointer(place), f"the lone surrogate U+{ord(lone[0]):04X}"


def _without_surrogates(value: Any) -> Any:
    """Replaces each lone surrogate with U+FFFD, because the validator cannot handle lone surrogates."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(prop) for name, prop in value.items()}
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value
