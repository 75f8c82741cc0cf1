"""Proposes changed messages for shrinking. Each proposed message is smaller or simpler than the current message, so
shrinking always ends.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from brokerfuzz.json_trees import JsonArray, JsonObject, Number, Tree, below
from brokerfuzz.schemas.flattening import KNOWN

Schemas = Mapping[str, Mapping[str, Any]]
"""Maps each site to its schema, in which every `$ref` is resolved. The schema determines the simplest values of the
site.
"""

_PLAIN_NUMBERS = ("0", "1", "0.0", "0.5", "1.0")
_MOST_ZEROED = 32  # in characters; longer strings are only shortened
_LONGEST_HALVED = 20  # in digits; a binary search for an integer of this length needs about 64 requests
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
_INSTANTS = ("2000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
"""Shrinking replaces a timestamp only with one of these values, or changes its year. So the shrunk timestamp is in the
past or in the future for many years, and its form does not become unusual.
"""
_YEARS = ("2000", "9999")


def chunks(size: int) -> Iterator[tuple[int, int]]:
    """Yields the position and the length of parts of `size` elements: first one part with all elements, then halves,
    then quarters, and finally single elements.
    """
    length = size
    while length:
        yield from ((start, length) for start in range(0, size, length))
        length //= 2


def simpler(scalar: Tree, schema: Mapping[str, Any]) -> list[Tree]:
    """Returns simpler values of the same JSON type, simplest first. Objects, arrays and null have no simpler values."""
    match scalar:
        case True:
            return [False]
        case Number(literal):
            return [Number(candidate) for candidate in _numbers(literal, schema)]
        case str():
            return list(_strings(scalar, schema))
        case _:
            return []


def _numbers(literal: str, schema: Mapping[str, Any]) -> list[str]:
    proposals = [*_PLAIN_NUMBERS, *_around_bounds(schema)]
    if magnitude(literal) is None:
        proposals += [literal[: len(literal) // 2], literal[:-1]]
    return [candidate for candidate in dict.fromkeys(proposals) if _size(candidate) < _size(literal)]


def _around_bounds(schema: Mapping[str, Any]) -> list[str]:
    bounds = [(schema.get("minimum"), -1), (schema.get("maximum"), 1)]
    return [str(number) for bound, beyond in bounds if isinstance(bound, int) for number in (bound, bound + beyond)]


def magnitude(literal: str) -> int | None:
    """Returns the absolute value of an integer. Returns None for other numbers, and for integers with more than 20
    digits.
    """
    digits = literal.removeprefix("-")
    return int(digits) if digits.isdecimal() and len(digits) <= _LONGEST_HALVED else None


def _size(text: str) -> tuple[int, int, str]:
    return len(text), len(text) - text.count("0"), text


def _strings(text: str, schema: Mapping[str, Any]) -> Iterator[str]:
    listed = [item for item in schema.get("enum", schema.get(KNOWN, ())) if isinstance(item, str)]
    if text in listed:
        yield from listed[: listed.index(text)]
    elif _INSTANT.fullmatch(text):
        yield from _instants(text)
    else:
        proposals = ["", "0", *_cut(text), *_with_zeros(text)]
        yield from (candidate for candidate in dict.fromkeys(proposals) if _size(candidate) < _size(text))


def _instants(text: str) -> Iterator[str]:
    yield ""
    if text in _INSTANTS:
        yield from _INSTANTS[: _INSTANTS.index(text)]
        return
    yield from _INSTANTS
    if text[:4] not in _YEARS:
        yield from (year + text[4:] for year in _YEARS)


def _cut(text: str) -> Iterator[str]:
    for start, length in chunks(len(text)):
        if length == 1 and len(text) > _MOST_ZEROED:
            return
        yield text[:start] + text[start + length :]


def _with_zeros(text: str) -> Iterator[str]:
    if len(text) <= _MOST_ZEROED:
        yield from (f"{text[:place]}0{text[place + 1 :]}" for place in range(len(text)))


def in_schema_order(tree: Tree, schemas: Schemas, path: str = "") -> Tree:
    """Orders the properties of each object as in the schema. Unknown properties come last."""
    match tree:
        case JsonObject(pairs):
            known = list(schemas.get(path, {}).get("properties", ()))
            rank = {name: number for number, name in enumerate(known)}
            props = [(name, in_schema_order(prop, schemas, below(path, name))) for name, prop in pairs]
            return JsonObject(tuple(sorted(props, key=lambda pair: rank.get(pair[0], len(known)))))
        case JsonArray(items):
            return JsonArray(tuple(in_schema_order(item, schemas, f"{path}[]") for item in items))
        case _:
            return tree
