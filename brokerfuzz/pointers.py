"""Converts places in a message to JSON Pointers (RFC 6901), and back, and to the paths of their sites."""

from collections.abc import Iterable
from functools import lru_cache, reduce
from typing import Any

Steps = tuple[str | int, ...]
"""The property names and item indexes on the path from the root of a message to a place."""


def pointer_of(steps: Iterable[str | int]) -> str:
    return "".join([f"/{escape(str(step))}" for step in steps])


def steps_of(pointer: str) -> list[str]:
    """Splits a JSON Pointer into strings. An index is a string of digits, because a pointer does not distinguish an
    index from a property name.
    """
    return [unescape(token) for token in pointer.split("/")[1:]]


def names_and_indexes(pointer: str) -> Steps:
    """Splits a JSON Pointer into names and indexes. A name that consists of digits becomes an index."""
    return tuple(int(step) if step.isascii() and step.isdecimal() else step for step in steps_of(pointer))


def value_at(value: Any, steps: Iterable[str | int]) -> Any:
    """Returns the value at a place in parsed JSON. Raises `LookupError`, `ValueError` or `TypeError`."""
    for step in steps:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def site_of(pointer: str) -> str:
    """Returns the site of a JSON Pointer: `productClusters[].id` for `/productClusters/0/id`."""
    return path_to(names_and_indexes(pointer))


def path_to(steps: Iterable[str | int], above: str = "") -> str:
    """Returns the path of the site of a place below a site, with `[]` in place of each index."""
    return reduce(path_below, steps, above)


@lru_cache(maxsize=10_000)
def path_below(path: str, step: str | int) -> str:
    """Returns the path of a property or an item. In a path, a dot separates names, and brackets stand for items."""
    if isinstance(step, int):
        return f"{path}[]"
    name = step.replace(".", "%2E").replace("[]", "%5B%5D")
    return f"{path}.{name}" if path else name


def is_within(path: str, outer: str) -> bool:
    """Returns whether the path of a site is that of another site, or of one below it."""
    return not outer or path == outer or path.startswith((f"{outer}.", f"{outer}[]"))


def escape(name: str) -> str:
    """Escapes `~` and `/` in a property name, for a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Converts a part of a JSON Pointer to a property name (the inverse of `escape`)."""
    return token.replace("~1", "/").replace("~0", "~")
