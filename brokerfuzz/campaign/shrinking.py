"""Shrinks the message of a contradiction as far as possible, by sending smaller messages to the target.

Shrinking uses no random numbers. So if the target always gives the same answers, the smallest message is always the
same.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import ROUND_UP, Decimal
from itertools import pairwise
from typing import Any

from brokerfuzz.campaign.difference import fewest
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.json_trees import (
    JsonArray,
    JsonObject,
    Number,
    Path,
    Tree,
    children,
    paths,
    replaced,
    site_at,
    subtree,
    tree_of,
    with_children,
)
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.json_parser import exact
from brokerfuzz.schemas.sites import Site, schema_at

_PLAIN_NUMBERS = ("0", "1", "0.0", "0.5", "1.0")
MOST_CUT = 32
"""Each character of a string of this length is left out, and replaced with 0. Longer strings only lose longer parts."""
_LONGEST_EXACT = 15  # in digits; doubles represent these integers
_LONGEST_HALVED = 20  # in digits; a binary search for an integer of this length needs about 64 requests
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_INSTANTS = ("2000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
"""Shrinking replaces a timestamp only with one of these values, or changes its year. So the shrunk timestamp is in the
past or in the future for many years, and its form does not become unusual.
"""
_YEARS = ("2000", "9999")
_LENGTH_OF_DATE = len("2000-01-01")  # without a time; a date stays a date


class Shrinker:
    """The schema of a site determines its simplest values."""

    def __init__(self, problem: Problem, sites: Mapping[str, Site]) -> None:
        self._problem, self._sites = problem, sites

    async def shrink(self) -> None:
        """Removes all properties and items that the problem does not need. Raises `LimitReachedError`."""
        failure = self._problem.failure
        tree = tree_of(failure.body)
        if tree is None or not await self._problem.adopt(tree):  # not JSON, or its notation is the problem
            await self._cut_bytes()
        else:
            await self._order(await self._cut(tree, ()))
        failure.whole = True

    async def simplify(self, simplified_sites: Collection[str]) -> None:
        """Simplifies the values at these sites, as long as the problem stays. Raises `LimitReachedError`."""
        tree = tree_of(self._problem.failure.body)
        for path in list(paths(tree)):
            if site_at(tree, path) in simplified_sites:
                tree = await self._simplify_at(tree, path)

    async def _cut(self, tree: Tree, path: Path) -> Tree:
        """Removes as many properties and array items as possible, beginning with the outermost ones."""
        before = subtree(tree, path)

        async def suffice(steps: tuple[int, ...]) -> bool:
            return await self._problem.adopt(replaced(tree, path, with_children(before, steps)))

        steps = await fewest(tuple(range(len(children(before)))), suffice)
        tree = replaced(tree, path, with_children(before, steps))
        for step in range(len(steps)):
            tree = await self._cut(tree, (*path, step))
        return tree

    async def _order(self, tree: Tree) -> None:
        """Orders the properties as in the schema, as far as the problem allows it."""
        if await self._problem.adopt(in_schema_order(tree, self._sites)):
            return
        while isinstance(tree, JsonObject) and (nearer := await self._less_inverted(tree)) is not None:
            tree = nearer

    async def _less_inverted(self, message: JsonObject) -> JsonObject | None:
        """Exchanges two neighbouring properties."""
        pairs = message.pairs
        for step in inversions(message, self._sites):
            exchanged = JsonObject((*pairs[:step], pairs[step + 1], pairs[step], *pairs[step + 2 :]))
            if await self._problem.adopt(exchanged):
                return exchanged
        return None

    async def _simplify_at(self, tree: Tree, path: Path) -> Tree:
        schema = schema_at(self._sites, site_at(tree, path))
        while True:
            for value in simpler(subtree(tree, path), schema):
                if (candidate := await self._adopted(tree, path, value)) is not None:
                    tree = candidate
                    break
            else:
                return await self._halve(tree, path)

    async def _adopted(self, tree: Tree, path: Path, value: Tree) -> Tree | None:
        """Returns the message with another value, if this has the problem, too. Equal numbers may have to change
        together: the total of one offer is its extended price (contract, "Offer pricing calculation response").
        """
        candidate = replaced(tree, path, value)
        if await self._problem.adopt(candidate):
            return candidate
        others = _equal_numbers(tree, path)
        for other in others:
            candidate = replaced(candidate, other, value)
        return candidate if others and await self._problem.adopt(candidate) else None

    async def _halve(self, tree: Tree, path: Path) -> Tree:
        """If the value at `path` is an integer, moves it as close to zero as possible by binary search, so that the
        problem still occurs.
        """
        number = subtree(tree, path)
        high = magnitude(number.literal) if isinstance(number, Number) else None
        if not isinstance(number, Number) or high is None:
            return tree
        low, sign = 0, number.literal[: number.literal.startswith("-")]
        while high - low > 1:
            middle = (low + high) // 2
            if (candidate := await self._adopted(tree, path, Number(f"{sign}{middle}"))) is not None:
                tree, high = candidate, middle
            else:
                low = middle
        return tree

    async def _cut_bytes(self) -> None:
        """Shrinks a message that is not JSON, or whose exact bytes (such as spaces) cause the problem. The method
        removes parts between commas and brackets, then single bytes.
        """

        async def suffice(parts: tuple[bytes, ...]) -> bool:
            return await self._problem.adopt_bytes(b"".join(parts))

        before = None
        while before != self._problem.failure.body:
            before = self._problem.failure.body
            await fewest(tuple(re.split(rb"(?=[,{}\[\]])", before)), suffice)
            body = self._problem.failure.body
            await fewest(tuple(body[place : place + 1] for place in range(len(body))), suffice)


# ------------------------------------------------------------------------------------------------ simpler values


def chunks(size: int) -> Iterator[tuple[int, int]]:
    """Yields the position and the length of parts of `size` elements: first one part with all elements, then halves,
    then quarters, and finally single elements.
    """
    length = size
    while length:
        yield from ((start, length) for start in range(0, size, length))
        length //= 2


def _equal_numbers(tree: Tree, path: Path) -> list[Path]:
    """Returns the paths of the other numbers that are equal to the value at `path`."""
    number = _exact_number(tree, path)
    others = [other for other in paths(tree) if other != path]
    return [] if number is None else [other for other in others if _exact_number(tree, other) == number]


def _exact_number(tree: Tree, path: Path) -> Decimal | None:
    value = subtree(tree, path)
    return exact(value.literal) if isinstance(value, Number) else None


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
    near = _integers_near(literal) if magnitude(literal) is None else []
    if near:
        mantissa = literal.lower().partition("e")[0]
        proposals += [*near, mantissa, literal[: len(literal) // 2], literal[:-1]]
    return [
        candidate for candidate in dict.fromkeys(proposals) if candidate in near or _size(candidate) < _size(literal)
    ]


def _integers_near(literal: str) -> list[str]:
    """Returns integers from which a binary search finds the limit: those on both sides of a number, or large ones if it
    is larger. They may have more digits than a number such as 1e30.
    """
    number = exact(literal)
    if abs(number) >= 10**_LONGEST_HALVED:
        return ["-" * (number < 0) + "9" * length for length in (_LONGEST_EXACT, _LONGEST_HALVED)]
    return [str(int(number)), str(int(number.to_integral_value(ROUND_UP)))]


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
    if len(text) > _LENGTH_OF_DATE:
        yield from _INSTANTS
    if text[:4] not in _YEARS:
        yield from (year + text[4:] for year in _YEARS)


def _cut(text: str) -> Iterator[str]:
    for start, length in chunks(len(text)):
        if length == 1 and len(text) > MOST_CUT:
            return
        yield text[:start] + text[start + length :]


def _with_zeros(text: str) -> Iterator[str]:
    if len(text) <= MOST_CUT:
        yield from (f"{text[:place]}0{text[place + 1 :]}" for place in range(len(text)))


def in_schema_order(tree: Tree, sites: Mapping[str, Site], path: str = "") -> Tree:
    """Orders the properties of each object as in the schema. Unknown properties come last."""
    match tree:
        case JsonObject(pairs):
            described = list(schema_at(sites, path).get("properties", ()))
            props = [(name, in_schema_order(prop, sites, path_below(path, name))) for name, prop in pairs]
            return JsonObject(tuple(sorted(props, key=lambda pair: _rank(pair[0], described))))
        case JsonArray(items):
            return JsonArray(tuple(in_schema_order(item, sites, f"{path}[]") for item in items))
        case _:
            return tree


def inversions(message: JsonObject, sites: Mapping[str, Site]) -> list[int]:
    """Returns the positions of the properties whose next one should precede them, by the order of the schema."""
    described = list(schema_at(sites, "").get("properties", ()))
    ranks = [_rank(name, described) for name, _ in message.pairs]
    return [position for position, (rank, next_rank) in enumerate(pairwise(ranks)) if rank > next_rank]


def _rank(name: str, described: Sequence[str]) -> int:
    return described.index(name) if name in described else len(described)
