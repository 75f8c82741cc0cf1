"""What can be tried to make a message smaller: no request is made here, and nothing judged.

Every proposal is smaller than what it is made from, in an order that has a least element, so that taking them for as
long as any holds comes to an end.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from brokerfuzz.campaign.trees import Number, Tree

Schemas = Mapping[str, Mapping[str, Any]]
"""Site -> its flat schema, for values that are the simplest of their place."""

_PLAIN_NUMBERS = ("0", "1", "0.0", "0.5", "1.0")
_MOST_RESPELLED = 32  # characters; longer texts are only cut


def chunks(size: int) -> Iterator[tuple[int, int]]:
    """(start, length) of the parts to leave out of `size` things: all of them, halves, quarters, ... single ones."""
    length = size
    while length:
        yield from ((start, length) for start in range(0, size, length))
        length //= 2


def simpler(scalar: Tree, schema: Mapping[str, Any]) -> list[Tree]:
    """Values of the same JSON type that are simpler, the simplest first. None of an object, an array or null."""
    match scalar:
        case True:
            return [False]
        case Number(literal):
            return [Number(candidate) for candidate in _numbers(literal, schema)]
        case str():
            return list(_texts(scalar, schema))
        case _:
            return []


def _numbers(literal: str, schema: Mapping[str, Any]) -> list[str]:
    proposals = [*_PLAIN_NUMBERS, str(schema.get("minimum", 0))]
    if literal.removeprefix("-").isdecimal():
        proposals += _towards_zero(literal)
    return [candidate for candidate in dict.fromkeys(proposals) if _size(candidate) < _size(literal)]


def _towards_zero(literal: str) -> list[str]:
    """Digits taken away from the end, the number halved, one less."""
    digits = literal.removeprefix("-")
    sign = literal[: -len(digits)]
    cut = [digits[:length] for length in (1, len(digits) // 2, len(digits) - 1) if length]
    near = [str(int(digits) // 2), str(max(int(digits) - 1, 0))] if len(digits) < 100 else []
    return [*cut, *(f"{sign}{candidate}" for candidate in [*cut, *near])]


def _size(text: str) -> tuple[int, str]:
    return len(text), text


def _texts(text: str, schema: Mapping[str, Any]) -> Iterator[str]:
    listed = [item for item in schema.get("enum", ()) if isinstance(item, str)]
    if text in listed:
        yield from listed[: listed.index(text)]
        return
    proposals = ["", "0", *_cut(text), *_respelled(text)]
    yield from (candidate for candidate in dict.fromkeys(proposals) if _size(candidate) < _size(text))


def _cut(text: str) -> Iterator[str]:
    for start, length in chunks(len(text)):
        if length == 1 and len(text) > _MOST_RESPELLED:
            return
        yield text[:start] + text[start + length :]


def _respelled(text: str) -> Iterator[str]:
    if len(text) <= _MOST_RESPELLED:
        yield from (f"{text[:place]}0{text[place + 1 :]}" for place in range(len(text)))
