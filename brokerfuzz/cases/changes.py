"""Changes to a message: at one place, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from brokerfuzz.cases.case import compact
from brokerfuzz.pointers import pointer_of
from brokerfuzz.schemas.sites import join

Steps = tuple[str | int, ...]
"""The way down from the root to a place."""


@dataclass(frozen=True, slots=True)
class Put:
    """Replaces the value at the place (or puts one there), by what orjson can write; an `orjson.Fragment` goes in as it is."""

    value: Any


@dataclass(frozen=True, slots=True)
class Remove:
    """Takes the property at the place away."""


@dataclass(frozen=True, slots=True)
class AddProperty:
    """Adds a property to the object at the place, behind the others or (`first`) before them."""

    name: str
    value: Any
    first: bool = False


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Changes the bytes of the whole message."""

    how: Callable[[bytes], bytes]


Change = Put | Remove | AddProperty | Rewrite


@lru_cache(maxsize=4096)
def pointer(steps: Steps) -> str:
    """The JSON Pointer (RFC 6901) of a place."""
    return pointer_of(steps)


def value_at(message: Any, steps: Steps) -> Any:
    """What is at a place. Raises `KeyError` or `IndexError` where there is nothing."""
    for step in steps:
        message = message[step]
    return message


def apply(message: Any, steps: Steps, change: Change) -> bytes:
    """The bytes of the message with the change made at the place; the message itself stays as it is."""
    return change.how(compact(message)) if isinstance(change, Rewrite) else compact(altered(message, steps, change))


def altered(message: Any, steps: Steps, change: Put | Remove | AddProperty) -> Any:
    """The message with the change made at the place: a copy, which shares with the message what is not on the way."""
    match change:
        case Put(value):
            return _with(message, steps, lambda _: value)
        case AddProperty(name, value, first):
            added = {name: value}
            return _with(message, steps, lambda held: {**added, **held} if first else {**held, **added})
        case Remove():
            return _with(message, steps[:-1], lambda held: {k: v for k, v in held.items() if k != steps[-1]})


def place_of(steps: Steps, change: Change) -> Steps:
    """Where a change shows: at the property that it adds, else at the place itself; at the root where the bytes are changed."""
    match change:
        case AddProperty(name):
            return (*steps, name)
        case Rewrite():
            return ()
        case _:
            return steps


def _with(message: Any, steps: Steps, change: Callable[[Any], Any]) -> Any:
    """A copy of the message, copied along the way alone."""
    if not steps:
        return change(message)
    result, step = message.copy(), cast(Any, steps[0])
    held = result[step] if type(result) is list or step in result else None
    result[step] = _with(held, steps[1:], change)
    return result


def places(message: Any, site: str) -> list[Steps]:
    """Every place of a site in a message, in order."""
    found: list[Steps] = []
    _find(message, (), "", site, found)
    return found


def _find(value: Any, steps: Steps, here: str, site: str, found: list[Steps]) -> None:
    if here == site:
        found.append(steps)
    elif isinstance(value, dict):
        for name, prop in value.items():
            if site.startswith(below := join(here, name)):
                _find(prop, (*steps, name), below, site, found)
    elif isinstance(value, list) and site.startswith(below := f"{here}[]"):
        for index, item in enumerate(value):
            _find(item, (*steps, index), below, site, found)
