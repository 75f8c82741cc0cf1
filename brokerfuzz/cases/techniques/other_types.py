"""Types: every other JSON type in place of the right one, and values wrapped and unwrapped."""

from typing import Any

from orjson import Fragment

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.python_literals import in_words
from brokerfuzz.cases.techniques.registry import Spot, breaks
from brokerfuzz.schemas.flattening import types_of

_JSON_TYPE_OF = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null"}


def put(spot: Spot, value: Any) -> Change | None:
    """The value, where its type breaks the rule."""
    return Put(value) if spot.forbids(_JSON_TYPE_OF[type(value)]) else None


# ---------------------------------------------------------------------------------------------------- other types


@breaks("type", family="null")
def null_instead(spot: Spot) -> Change | None:
    """Null where a value has to be."""
    return put(spot, None)


@breaks("type", family="other-type")
def string_instead(spot: Spot) -> Change | None:
    """A text where something else belongs."""
    return put(spot, "a")


@breaks("type", family="coercion")
def number_instead(spot: Spot) -> Change | None:
    """A number where something else belongs."""
    return put(spot, 1)


@breaks("type", family="coercion")
def boolean_instead(spot: Spot) -> Change | None:
    """True where something else belongs."""
    return put(spot, True)


@breaks("type", family="other-type")
def object_instead(spot: Spot) -> Change | None:
    """An object without properties where something else belongs."""
    return put(spot, {})


@breaks("type", family="other-type")
def array_instead(spot: Spot) -> Change | None:
    """An array without items where something else belongs."""
    return put(spot, [])


@breaks("type", family="coercion")
def zero_instead(spot: Spot) -> Change | None:
    """Zero where something else belongs."""
    return put(spot, 0)


@breaks("type", family="coercion")
def false_instead(spot: Spot) -> Change | None:
    """False where something else belongs."""
    return put(spot, False)


@breaks("type", family="coercion")
def empty_string(spot: Spot) -> Change | None:
    """An empty text where something else belongs."""
    return put(spot, "")


@breaks("type", family="coercion")
def null_as_string(spot: Spot) -> Change | None:
    """The word null in quotes where something else belongs."""
    return put(spot, "null")


@breaks("type", family="other-type")
def nested_deep(spot: Spot) -> Change | None:
    """An array in an array, a hundred deep, where something else belongs."""
    return Put(Fragment("[" * 100 + "]" * 100)) if "array" not in types_of(spot.schema) and spot.forbids("array") else None


# ------------------------------------------------------------------------------------------- wrapped and unwrapped


@breaks("type", family="wrapping")
def wrapped_in_array(spot: Spot) -> Change | None:
    """The value that belongs there, as the one item of an array."""
    return put(spot, [spot.present])


@breaks("type", family="wrapping")
def wrapped_in_object(spot: Spot) -> Change | None:
    """The value that belongs there, as the property of an object."""
    return put(spot, {"value": spot.present})


@breaks("type", family="wrapping")
def unwrapped(spot: Spot) -> Change | None:
    """The first item of the array in place of the array."""
    return put(spot, spot.present[0]) if isinstance(spot.present, list) and spot.present else None


@breaks("type", family="wrapping")
def property_alone(spot: Spot) -> Change | None:
    """The first property of the object in place of the object."""
    return put(spot, next(iter(spot.present.values()))) if isinstance(spot.present, dict) and spot.present else None


@breaks("type", family="wrapping")
def indexed_object(spot: Spot) -> Change | None:
    """The array as an object whose properties are called 0, 1, 2."""
    return put(spot, {str(i): item for i, item in enumerate(spot.present)}) if isinstance(spot.present, list) else None


@breaks("type", family="wrapping")
def pairs(spot: Spot) -> Change | None:
    """The object as an array of its properties, each an array of name and value."""
    return put(spot, [[name, value] for name, value in spot.present.items()]) if isinstance(spot.present, dict) else None


@breaks("type", family="wrapping")
def values_alone(spot: Spot) -> Change | None:
    """The object as an array of its values."""
    return put(spot, list(spot.present.values())) if isinstance(spot.present, dict) else None


@breaks("type", family="coercion")
def joined_string(spot: Spot) -> Change | None:
    """The items of the array as one text with commas."""
    return put(spot, ",".join(map(in_words, spot.present))) if isinstance(spot.present, list) else None


@breaks("type", family="wrapping")
def object_as_string(spot: Spot) -> Change | None:
    """The JSON of the object or array that belongs there, in quotes."""
    return put(spot, compact(spot.present).decode()) if isinstance(spot.present, list | dict) else None


@breaks("type", family="coercion")
def object_in_words(spot: Spot) -> Change | None:
    """What JavaScript writes for any object, where an object belongs."""
    return put(spot, "[object Object]") if isinstance(spot.present, dict) else None
