"""Compares a message with an ordinary valid message, and finds the differences that cause a wrong answer.

A difference can be undone: then the message has the ordinary value at this place. The wrong answer stays as long as
its causes stay. A missing property is a difference, too.

    ordinary      {"number": "OFF-1", "offerType": "Email", "comments": "Plain", "isActive": true}   accepted
    smallest      {"number": "0", "offerType": "Email", "comments": "'"}                             rejected
    differences   /number is "0", /comments is "'", /isActive is missing
    cause         /comments is "'": the answer stays if all other differences are undone
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from brokerfuzz.cases.case import Case
from brokerfuzz.generation import ABSENT
from brokerfuzz.json_trees import (
    JsonArray,
    JsonObject,
    Path,
    Tree,
    children,
    first_values,
    replaced,
    subtree,
    tree_of,
    with_children,
    write_tree,
)
from brokerfuzz.pointers import escape, path_below
from brokerfuzz.schemas.json_parser import integer
from brokerfuzz.schemas.sites import Site, schema_at


@dataclass(frozen=True, eq=False)
class Difference:
    """`place` is the JSON Pointer of `tree`, the unusual value, and `site` is its site. For a missing property, `tree`
    is `ABSENT`. `undo` changes the message there, at `path` or inside it. `is_added` is true if the ordinary message
    has no such property.
    """

    path: Path
    place: str
    site: str
    tree: Any
    undo: Callable[[Tree], Tree]
    is_added: bool = False

    @property
    def value(self) -> Any:
        """The value as a Python object: `ABSENT` if it is missing. The items of an array, and the properties of an
        object, are left out.
        """
        match self.tree:
            case JsonArray(items):
                return [None] * len(items)
            case JsonObject():
                return {}
            case _:
                return self.whole_value

    @property
    def whole_value(self) -> Any:
        """The value as a Python object, with all that is in it: `ABSENT` if it is missing."""
        return ABSENT if self.tree is ABSENT else json.loads(write_tree(self.tree), parse_int=integer)


@dataclass(frozen=True)
class _Spot:
    """A place in a message: as a path, as a JSON Pointer, and its site."""

    path: Path = ()
    place: str = ""
    site: str = ""

    def item(self, step: int) -> "_Spot":
        return _Spot((*self.path, step), f"{self.place}/{step}", f"{self.site}[]")

    def property(self, step: int, name: str) -> "_Spot":
        return _Spot((*self.path, step), f"{self.place}/{escape(name)}", path_below(self.site, name))

    def difference(self, value: Tree, undo: Callable[[Tree], Tree], *, is_added: bool = False) -> Difference:
        return Difference(self.path, self.place, self.site, value, undo, is_added)


_ROOT: Final = _Spot()


@dataclass(frozen=True)
class OrdinaryValues:
    """`accepted` maps each site of a message that the target accepts to its first value. `further` has the values of
    other messages, and no empty array or object if one of them is filled. They matter if the accepted message lacks an
    object or an item.
    """

    accepted: Mapping[str, Tree]
    further: Mapping[str, Tree]

    @classmethod
    def of(cls, accepted: Case, examples: Sequence[Case] = ()) -> "OrdinaryValues":
        further: dict[str, Tree] = {}
        for example in reversed(examples):
            for site, value in first_values(tree_of(example.body)).items():
                if children(value) or not children(further.get(site)):
                    further[site] = value
        return cls(first_values(tree_of(accepted.body)), further)

    def differences(self, tree: Tree, spot: _Spot = _ROOT) -> Iterator[Difference]:
        """Yields the differences between a message and the ordinary one, in the order of the message."""
        usual = self.accepted.get(spot.site, self.further.get(spot.site, ABSENT))
        if usual is ABSENT:
            return
        if children(tree) and not (children(usual) and type(usual) is type(tree)):
            yield spot.difference(tree, partial(_put, spot.path, usual))
            usual = self.further.get(spot.site, usual)
        match tree, usual:
            case JsonObject(pairs), JsonObject():
                yield from self._in_object(pairs, spot)
                yield from _missing({name for name, _ in pairs}, spot, usual)
            case JsonArray(items), JsonArray(usual_items) if items and usual_items:
                if len(items) != len(usual_items):
                    yield spot.difference(tree, partial(_resized, spot.path, usual_items))
                for step, item in enumerate(items):
                    yield from self.differences(item, spot.item(step))
            case _ if not children(tree) and usual != tree:
                yield spot.difference(tree, partial(_put, spot.path, usual))

    def absences(self, tree: Tree, sites: Mapping[str, Site], spot: _Spot = _ROOT) -> Iterator[Difference]:
        """Yields a difference for each property that an object of a message lacks, and that the accepted message has
        somewhere. `undo` adds the property.
        """
        if isinstance(tree, JsonObject):
            paths = {name: path_below(spot.site, name) for name in schema_at(sites, spot.site).get("properties", ())}
            usual = tuple((name, self.accepted[path]) for name, path in paths.items() if path in self.accepted)
            yield from _missing({name for name, _ in tree.pairs}, spot, JsonObject(usual))
            for step, (name, value) in enumerate(tree.pairs):
                yield from self.absences(value, sites, spot.property(step, name))
        elif isinstance(tree, JsonArray):
            for step, item in enumerate(tree.items):
                yield from self.absences(item, sites, spot.item(step))

    def _in_object(self, pairs: tuple[tuple[str, Tree], ...], spot: _Spot) -> Iterator[Difference]:
        ordinary = self.accepted if spot.site in self.accepted else self.further
        names: set[str] = set()
        for step, (name, value) in enumerate(pairs):
            inner = spot.property(step, name)
            yield from self.differences(value, inner)
            if name in names or inner.site not in ordinary:
                yield inner.difference(value, partial(_removed, inner.path), is_added=True)
            names.add(name)


def _missing(names: set[str], spot: _Spot, usual: JsonObject) -> Iterator[Difference]:
    for name, value in usual.pairs:
        if name not in names:
            undo = partial(_added, spot.path, name, value)
            yield Difference(spot.path, f"{spot.place}/{escape(name)}", path_below(spot.site, name), ABSENT, undo)


def undone(tree: Tree, differences: Iterable[Difference]) -> Tree:
    """Returns the message without these differences. Later and inner places come first, so that the paths stay correct.
    Of several differences at one place, the removal of the value comes last.
    """
    for difference in sorted(differences, key=lambda difference: difference.path, reverse=True):
        tree = difference.undo(tree)
    return tree


def _put(path: Path, value: Tree, tree: Tree) -> Tree:
    return replaced(tree, path, value)


def _removed(path: Path, tree: Tree) -> Tree:
    above = subtree(tree, path[:-1])
    siblings = [step for step in range(len(children(above))) if step != path[-1]]
    return replaced(tree, path[:-1], with_children(above, siblings))


def _resized(path: Path, usual: tuple[Tree, ...], tree: Tree) -> Tree:
    """Removes the additional items, or adds the missing ones."""
    items = children(subtree(tree, path))
    return replaced(tree, path, JsonArray((*items[: len(usual)], *usual[len(items) :])))


def _added(path: Path, name: str, value: Tree, tree: Tree) -> Tree:
    """Adds the property at the end, so that the paths of the others stay the same."""
    there = subtree(tree, path)
    return replaced(tree, path, JsonObject((*there.pairs, (name, value)))) if isinstance(there, JsonObject) else tree


_Item = TypeVar("_Item")


async def fewest(
    items: tuple[_Item, ...], suffice: Callable[[tuple[_Item, ...]], Awaitable[bool]]
) -> tuple[_Item, ...]:
    """Returns items that suffice, of which none can be left out. The function leaves out halves, then quarters, and
    finally single items: again and again, because an item may be needed only beside one that is left out later.
    """
    length = (len(items) + 1) // 2
    while length:
        before, start = items, 0
        while start < len(items):
            fewer = items[:start] + items[start + length :]
            if await suffice(fewer):
                items = fewer
            else:
                start += length
        if length > 1 or items == before:
            length //= 2
    return items
