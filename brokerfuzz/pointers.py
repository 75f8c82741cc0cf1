"""Converts places in a message to JSON Pointers (RFC 6901), and back."""

from collections.abc import Iterable
from typing import Any


def pointer_of(steps: Iterable[str | int]) -> str:
    return "".join([f"/{escape(str(step))}" for step in steps])


def steps_of(pointer: str) -> list[str]:
    """Splits a JSON Pointer into strings. An index is a string of digits, because a pointer does not distinguish an
    index from a property name.
    """
    return [unescape(token) for token in pointer.split("/")[1:]]


def value_at(value: Any, pointer: str) -> Any:
    """Returns the value at a JSON Pointer in parsed JSON. Raises `LookupError`, `ValueError` or `TypeError`."""
    for step in steps_of(pointer):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def site_of(pointer: str) -> str:
    """Returns the site of a JSON Pointer: `productClusters[].id` for `/productClusters/0/id`."""
    return "".join(
        "[]" if step.isascii() and step.isdecimal() else f".{step_of_site(step)}" for step in steps_of(pointer)
    ).removeprefix(".")


def step_of_site(name: str) -> str:
    """Escapes a property name for a site, in which a dot separates names, and brackets stand for items."""
    return name.replace(".", "%2E").replace("[]", "%5B%5D")


def escape(name: str) -> str:
    """Escapes `~` and `/` in a property name, for a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Converts a part of a JSON Pointer to a property name (the inverse of `escape`)."""
    return token.replace("~1", "/").replace("~0", "~")
