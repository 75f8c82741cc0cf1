"""Recognises the type of a message by the names of its properties. The functions get the parsed message."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema

_JSON_TYPES: Mapping[type, frozenset[str]] = {
    type(None): frozenset(["null"]),
    bool: frozenset(["boolean"]),
    int: frozenset(["number", "integer"]),
    float: frozenset(["number", "integer"]),
    Decimal: frozenset(["number", "integer"]),
    str: frozenset(["string"]),
    list: frozenset(["array"]),
    dict: frozenset(["object"]),
}


def is_message(message: Any, contract: Contract, message_types: Iterable[MessageType]) -> bool:
    """Returns whether most property names belong to one of the message types."""
    if not isinstance(message, dict):
        return False
    fits = [_fit(message, contract.flat[message_type]) for message_type in message_types]
    return any(fit.described > fit.unknown for fit in fits)


def possible_types(message: Any, contract: Contract) -> tuple[MessageType, ...]:
    """Returns the message types that match a message best: those with the fewest unknown properties.

    If several message types have equally few unknown properties, those with the fewest wrong values match best. For
    example, a string is a wrong value for a number.
    """
    if not isinstance(message, dict):
        return contract.message_types
    fits = {name: _fit(message, contract.flat[name]) for name in contract.message_types}
    best = min((fit.unknown, fit.wrong) for fit in fits.values())
    return tuple(name for name, fit in fits.items() if (fit.unknown, fit.wrong) == best)


class _Fit(NamedTuple):
    """The number of properties that a schema describes, of unknown ones, and of described ones whose value has a wrong
    JSON type.
    """

    described: int
    unknown: int
    wrong: int


def _fit(message: Mapping[str, Any], schema: Schema) -> _Fit:
    """Compares the properties of a message, and of the objects below it, with a schema."""
    described = unknown = wrong = 0
    for part, schema_of_part in _objects(message, schema):
        types = {name.casefold(): types_of(prop) for name, prop in schema_of_part.get("properties", {}).items()}
        for name, value in part.items():
            allowed = types.get(name.casefold())
            if allowed is None:
                unknown += 1
            else:
                described += 1
                wrong += not allowed & _JSON_TYPES[type(value)]
    return _Fit(described, unknown, wrong)


def _objects(message: Mapping[str, Any], schema: Schema) -> Iterator[tuple[Mapping[str, Any], Schema]]:
    """Yields the message, and the objects in its properties, with their schemas. From an array, yields only the first
    item.
    """
    yield message, schema
    for name, prop in schema.get("properties", {}).items():
        value = message.get(name)
        if isinstance(value, dict):
            yield value, prop
        elif isinstance(value, list) and value and isinstance(value[0], dict) and "items" in prop:
            yield value[0], prop["items"]
