"""Represents JSON with its original notation, so that brokerfuzz can remove parts of a message without changing the
other parts.

Python's own values lose details that can cause a finding: a property that occurs twice, `1.0` instead of `1`, or a
number with a hundred digits. A tree loses only white space and the escapes in strings.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, NoReturn

from brokerfuzz.pointers import path_below, path_to, steps_of

DEEPEST = 110
"""The maximum depth of a tree. Messages that are nested more deeply are shrunk as bytes."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in its original notation."""

    literal: str


@dataclass(frozen=True, slots=True)
class JsonObject:
    """Several properties may have the same name."""

    pairs: tuple[tuple[str, "Tree"], ...]


@dataclass(frozen=True, slots=True)
class JsonArray:
    items: tuple["Tree", ...]


Tree = JsonObject | JsonArray | Number | str | bool | None
Path = tuple[int, ...]
"""The path from the root of a tree to a value: the index of the property or the item at each level."""


def read_tree(body: bytes) -> Tree:
    """Parses a body. Raises `ValueError` if the body is not JSON in UTF-8, or is nested too deeply."""
    try:
        value = json.loads(
            body.decode(), parse_int=Number, parse_float=Number, parse_constant=_reject, object_pairs_hook=_Pairs
        )
        tree: Tree = _frozen(value, DEEPEST)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return tree


def tree_of(body: bytes) -> Tree:
    """Parses a body. Returns None if the body is `null`, is not JSON in UTF-8, or is nested too deeply."""
    try:
        return read_tree(body)
    except ValueError:
        return None


class _Pairs(list[tuple[str, Any]]):
    pass


def _reject(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _frozen(value: Any, depth: int) -> Any:
    """Converts a parsed array (`list`) or a parsed object (`_Pairs`) to a tree. Any other value stays unchanged."""
    if not isinstance(value, list):
        return value
    if not depth:
        raise ValueError("nested too deep")
    if isinstance(value, _Pairs):
        return JsonObject(
            tuple([(name, _frozen(prop, depth - 1) if isinstance(prop, list) else prop) for name, prop in value])
        )
    return JsonArray(tuple([_frozen(item, depth - 1) for item in value]))


def write_tree(tree: Tree) -> bytes:
    """Converts a tree to compact JSON in UTF-8. A lone surrogate becomes an escape."""
    text = _json_of(tree)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join(char if not "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}" for char in text).encode()


def _json_of(tree: Tree) -> str:
    match tree:
        case str():
            return encode_basestring(tree)
        case JsonObject(pairs):
            return "{" + ",".join([f"{encode_basestring(name)}:{_json_of(prop)}" for name, prop in pairs]) + "}"
        case JsonArray(items):
            return "[" + ",".join(map(_json_of, items)) + "]"
        case Number(literal):
            return literal
        case _:
            return _CONSTANTS[tree]


_CONSTANTS = {None: "null", True: "true", False: "false"}


def children(tree: Tree) -> tuple[Tree, ...]:
    """Returns the property values of an object or the items of an array."""
    match tree:
        case JsonObject(pairs):
            return tuple(prop for _, prop in pairs)
        case JsonArray(items):
            return items
        case _:
            return ()


def with_children(tree: Tree, steps: Iterable[int]) -> Tree:
    """Returns the object or array with the children at these indexes."""
    match tree:
        case JsonObject(pairs):
            return JsonObject(tuple([pairs[step] for step in steps]))
        case JsonArray(items):
            return JsonArray(tuple([items[step] for step in steps]))
        case _:
            return tree


def subtree(tree: Tree, path: Path) -> Tree:
    for step in path:
        tree = children(tree)[step]
    return tree


def replaced(tree: Tree, path: Path, new: Tree) -> Tree:
    """Returns the tree with the value `new` at `path`."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    match tree:
        case JsonObject(pairs):
            name, prop = pairs[step]
            return JsonObject((*pairs[:step], (name, replaced(prop, rest, new)), *pairs[step + 1 :]))
        case JsonArray(items):
            return JsonArray((*items[:step], replaced(items[step], rest, new), *items[step + 1 :]))
        case _:
            return tree


def paths(tree: Tree, above: Path = ()) -> Iterator[Path]:
    """Yields the paths of all values. The path of an object or an array comes before the paths of its children."""
    yield above
    for step, child in enumerate(children(tree)):
        yield from paths(child, (*above, step))


def site_values(tree: Tree, above: str = "", name: str = "") -> Iterator[tuple[str, str, Tree]]:
    """Yields all values with their sites and with the nearest names of properties, in the order of `paths`."""
    yield above, name, tree
    match tree:
        case JsonObject(pairs):
            for below, prop in pairs:
                yield from site_values(prop, path_below(above, below), below)
        case JsonArray(items):
            for item in items:
                yield from site_values(item, path_below(above, 0), name)


def first_values(tree: Tree) -> Mapping[str, Tree]:
    """Maps each site to its first value."""
    return {path: value for path, _, value in reversed(list(site_values(tree)))}


def site_at(tree: Tree, path: Path) -> str:
    """Returns the site of a path: names of properties with dots between them, and `[]` for array items."""
    return path_to(_steps(tree, path))


def _steps(tree: Tree, path: Path) -> Iterator[str | int]:
    for step in path:
        yield tree.pairs[step][0] if isinstance(tree, JsonObject) else step
        tree = children(tree)[step]


def at_pointer(tree: Tree, pointer: str) -> Tree:
    """Raises `LookupError` if there is no value at the pointer."""
    for name in steps_of(pointer):
        match tree:
            case JsonObject(pairs):
                tree = dict(pairs)[name]
            case JsonArray(items) if name.isdecimal():
                tree = items[int(name)]
            case _:
                raise LookupError(pointer)
    return tree
