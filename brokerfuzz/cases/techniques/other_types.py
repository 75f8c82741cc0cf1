"""Techniques for types: values of every other JSON type, and values that are wrapped or unwrapped."""

from typing import Any

from orjson import Fragment

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.python_literals import in_words
from brokerfuzz.cases.techniques.registry import Spot, breaks
from brokerfuzz.schemas.flattening import types_of

_JSON_TYPE_OF = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null"}


def put(spot: Spot, value: Any) -> Change | None:
    """Puts the value if its type breaks the rule."""
    return Put(value) if spot.forbids(_JSON_TYPE_OF[type(value)]) else None


# ---------------------------------------------------------------------------------------------------- other types


@breaks("type", family="null")
def null_instead(spot: Spot) -> Change | None:
    """Null instead of a required value."""
    return put(spot, None)


@breaks("type", family="other-type")
def string_instead(spot: Spot) -> Change | None:
    """A string instead of a value of another type."""
    return put(spot, "a")


@breaks("type", family="coercion")
def number_instead(spot: Spot) -> Change | None:
    """The number 1 instead of a value of another type."""
    return put(spot, 1)


@breaks("type", family="coercion")
def boolean_instead(spot: Spot) -> Change | None:
    """The boolean true instead of a value of another type."""
    return put(spot, True)


@breaks("type", family="other-type")
def object_instead(spot: Spot) -> Change | None:
    """An empty object instead of a value of another type."""
    return put(spot, {})


@breaks("type", family="other-type")
def array_instead(spot: Spot) -> Change | None:
    """An empty array instead of a value of another type."""
    return put(spot, [])


@breaks("type", family="coercion")
def zero_instead(spot: Spot) -> Change | None:
    """The number 0 instead of a value of another type."""
    return put(spot, 0)


@breaks("type", family="coercion")
def false_instead(spot: Spot) -> Change | None:
    """The boolean false instead of a value of another type."""
    return put(spot, False)


@breaks("type", family="coercion")
def empty_string(spot: Spot) -> Change | None:
    """An empty string instead of a value of another type."""
    return put(spot, "")


@breaks("type", family="coercion")
def null_as_string(spot: Spot) -> Change | None:
    """The string "null" instead of a value of another type."""
    return put(spot, "null")


@breaks("type", family="other-type")
def nested_deep(spot: Spot) -> Change | None:
    """Arrays nested 100 levels deep, instead of a value of another type."""
    return Put(Fragment("[" * 100 + "]" * 100)) if "array" not in types_of(spot.schema) and spot.forbids("array") else None


# ------------------------------------------------------------------------------------------- wrapped and unwrapped


@breaks("type", family="wrapping")
def wrapped_in_array(spot: Spot) -> Change | None:
    """The value as the only item of an array."""
    return put(spot, [spot.present])


@breaks("type", family="wrapping")
def wrapped_in_object(spot: Spot) -> Change | None:
    """The value as a property of an object."""
    return put(spot, {"value": spot.present})


@breaks("type", family="wrapping")
def unwrapped(spot: Spot) -> Change | None:
    """The first item of the array instead of the array."""
    return put(spot, spot.present[0]) if isinstance(spot.present, list) and spot.present else None


@breaks("type", family="wrapping")
def property_alone(spot: Spot) -> Change | None:
    """The value of the first property instead of the object."""
    return put(spot, next(iter(spot.present.values()))) if isinstance(spot.present, dict) and spot.present else None


@breaks("type", family="wrapping")
def indexed_object(spot: Spot) -> Change | None:
    """The array as an object with the properties 0, 1, 2 and so on."""
    return put(spot, {str(i): item for i, item in enumerate(spot.present)}) if isinstance(spot.present, list) else None


@breaks("type", family="wrapping")
def pairs(spot: Spot) -> Change | None:
    """The object as an array of [name, value] arrays."""
    return put(spot, [[name, value] for name, value in spot.present.items()]) if isinstance(spot.present, dict) else None


@breaks("type", family="wrapping")
def values_alone(spot: Spot) -> Change | None:
    """The object as an array of its values."""
    return put(spot, list(spot.present.values())) if isinstance(spot.present, dict) else None


@breaks("type", family="coercion")
def joined_string(spot: Spot) -> Change | None:
    """The items of the array in one string, separated by commas."""
    return put(spot, ",".join(map(in_words, spot.present))) if isinstance(spot.present, list) else None


@breaks("type", family="wrapping")
def object_as_string(spot: Spot) -> Change | None:
    """The JSON of the object or array, as a string."""
    return put(spot, compact(spot.present).decode()) if isinstance(spot.present, list | dict) else None


@breaks("type", family="coercion")
def object_in_words(spot: Spot) -> Change | None:
    """The string "[object Object]", which JavaScript writes for any object, instead of the object."""
    return put(spot, "[object Object]") if isinstance(spot.present, dict) else None
