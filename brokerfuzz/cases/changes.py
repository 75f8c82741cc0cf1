"""Changes a message at exactly one place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from brokerfuzz.cases.case import compact
from brokerfuzz.pointers import Steps


@dataclass(frozen=True, slots=True)
class Put:
    """Replaces the value at a place, or adds a property. An `orjson.Fragment` is inserted unchanged."""

    value: Any


@dataclass(frozen=True, slots=True)
class Remove:
    """Removes the property at the place."""


@dataclass(frozen=True, slots=True)
class AddProperty:
    """Adds a property to an object: at the beginning if `first` is true, otherwise at the end."""

    name: str
    value: Any
    first: bool = False


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Replaces the bytes of the whole message."""

    how: Callable[[bytes], bytes]


Change = Put | Remove | AddProperty | Rewrite


def apply(message: Any, steps: Steps, change: Change) -> bytes:
    """Returns the bytes of the changed message. The object `message` does not change."""
    return change.how(compact(message)) if isinstance(change, Rewrite) else compact(altered(message, steps, change))


def altered(message: Any, steps: Steps, change: Put | Remove | AddProperty) -> Any:
    """Returns a changed copy of the message. The copy shares all unchanged parts with the original."""
    match change:
        case Put(value):
            return _with(message, steps, lambda _: value)
        case AddProperty(name, value, first):
            added = {name: value}
            return _with(message, steps, lambda held: {**added, **held} if first else {**held, **added})
        case Remove():
            return _with(message, steps[:-1], lambda held: {k: v for k, v in held.items() if k != steps[-1]})


def place_of(steps: Steps, change: Change) -> Steps:
    """Returns the place that a change affects. For a `Rewrite`, this place is the root of the message."""
    match change:
        case AddProperty(name):
            return (*steps, name)
        case Rewrite():
            return ()
        case _:
            return steps


def _with(message: Any, steps: Steps, change: Callable[[Any], Any]) -> Any:
    """Returns a copy of the message in which `change` has replaced one value. Other parts are shared."""
    if not steps:
        return change(message)
    result, step = message.copy(), cast(Any, steps[0])
    held = result[step] if type(result) is list or step in result else None
    result[step] = _with(held, steps[1:], change)
    return result
