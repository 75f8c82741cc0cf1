"""Types: every other JSON type in place of the right one, and the twins that lenient parsers coerce."""

from typing import Any

from orjson import Fragment

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks
from brokerfuzz.schemas.flattening import types_of

_JSON_TYPE_OF = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null"}


def _put(spot: Spot, value: Any) -> Change | None:
    """The value, where its type breaks the rule."""
    return Put(value) if spot.forbids(_JSON_TYPE_OF[type(value)]) else None


def _number_in(spot: Spot) -> str | None:
    """The digits of the number that is there, where a number belongs."""
    return str(spot.present) if isinstance(spot.present, int | float) and not isinstance(spot.present, bool) else None


@breaks("type", family="null")
def null_instead(spot: Spot) -> Change | None:
    """Null where a value has to be."""
    return _put(spot, None)


@breaks("type", family="other-type")
def text_instead(spot: Spot) -> Change | None:
    """A text where something else belongs."""
    return _put(spot, "a")


@breaks("type", family="coercion")
def number_instead(spot: Spot) -> Change | None:
    """A number where something else belongs."""
    return _put(spot, 1)


@breaks("type", family="coercion")
def numeric_string(spot: Spot) -> Change | None:
    """The number that belongs there, in quotes."""
    digits = _number_in(spot)
    return _put(spot, digits) if digits else None


@breaks("type", family="coercion")
def boolean_instead(spot: Spot) -> Change | None:
    """True where something else belongs."""
    return _put(spot, True)


@breaks("type", family="other-type")
def object_instead(spot: Spot) -> Change | None:
    """An object without members where something else belongs."""
    return _put(spot, {})


@breaks("type", family="other-type")
def array_instead(spot: Spot) -> Change | None:
    """An array without items where something else belongs."""
    return _put(spot, [])


@breaks("type", family="wrapping")
def wrapped_in_array(spot: Spot) -> Change | None:
    """The value that belongs there, as the one item of an array."""
    return _put(spot, [spot.present])


@breaks("type", family="wrapping")
def wrapped_in_object(spot: Spot) -> Change | None:
    """The value that belongs there, as the member of an object."""
    return _put(spot, {"value": spot.present})


@breaks("type", family="wrapping")
def unwrapped(spot: Spot) -> Change | None:
    """The first item of the array in place of the array."""
    return _put(spot, spot.present[0]) if isinstance(spot.present, list) and spot.present else None


@breaks("type", family="wrapping")
def indexed_object(spot: Spot) -> Change | None:
    """The array as an object whose members are called 0, 1, 2."""
    return _put(spot, {str(i): item for i, item in enumerate(spot.present)}) if isinstance(spot.present, list) else None


@breaks("type", family="coercion")
def joined_text(spot: Spot) -> Change | None:
    """The items of the array as one text with commas."""
    return _put(spot, ",".join(map(str, spot.present))) if isinstance(spot.present, list) else None


@breaks("type", family="coercion")
def empty_text(spot: Spot) -> Change | None:
    """An empty text where something else belongs."""
    return _put(spot, "")


@breaks("type", family="coercion")
def zero_instead(spot: Spot) -> Change | None:
    """Zero where something else belongs."""
    return _put(spot, 0)


@breaks("type", family="coercion")
def false_instead(spot: Spot) -> Change | None:
    """False where something else belongs."""
    return _put(spot, False)


@breaks("type", family="coercion")
def null_as_text(spot: Spot) -> Change | None:
    """The word null in quotes where something else belongs."""
    return _put(spot, "null")


@breaks("type", family="coercion")
def padded_numeric_string(spot: Spot) -> Change | None:
    """The number that belongs there, in quotes and between blanks."""
    digits = _number_in(spot)
    return _put(spot, f" {digits} ") if digits else None


@breaks("type", family="coercion")
def leading_zero_string(spot: Spot) -> Change | None:
    """The number that belongs there, in quotes and with zeros before it."""
    digits = _number_in(spot)
    return _put(spot, f"00{digits.lstrip('-')}") if digits else None


@breaks("type", family="coercion")
def scientific_string(spot: Spot) -> Change | None:
    """The number that belongs there, in quotes and with an exponent."""
    digits = _number_in(spot)
    return _put(spot, f"{digits}e0") if digits else None


@breaks("type", family="coercion")
def decimal_comma_string(spot: Spot) -> Change | None:
    """A number in quotes with a comma before its fraction."""
    return _put(spot, "1,5") if _number_in(spot) else None


@breaks("type", family="coercion")
def fraction(spot: Spot) -> Change | None:
    """A number with a fraction where an integer belongs."""
    return _put(spot, 1.5) if _whole(spot) else None


@breaks("type", family="coercion")
def fraction_near_integer(spot: Spot) -> Change | None:
    """A number a hair above an integer where an integer belongs."""
    return Put(Fragment("2.0000001")) if _whole(spot) and spot.forbids("number") else None


@breaks("type", family="coercion")
def true_as_text(spot: Spot) -> Change | None:
    """The word true in quotes where a boolean belongs."""
    return _boolean(spot, "true")


@breaks("type", family="coercion")
def false_as_text(spot: Spot) -> Change | None:
    """The word False in quotes where a boolean belongs."""
    return _boolean(spot, "False")


@breaks("type", family="coercion")
def yes_as_text(spot: Spot) -> Change | None:
    """The word yes in quotes where a boolean belongs."""
    return _boolean(spot, "yes")


@breaks("type", family="coercion")
def on_as_text(spot: Spot) -> Change | None:
    """The word on in quotes where a boolean belongs."""
    return _boolean(spot, "on")


@breaks("type", family="coercion")
def one_as_text(spot: Spot) -> Change | None:
    """The digit 1 in quotes where a boolean belongs."""
    return _boolean(spot, "1")


@breaks("type", family="coercion")
def epoch_number(spot: Spot) -> Change | None:
    """A count of seconds where a text, a point in time perhaps, belongs."""
    return _put(spot, 1577836800) if isinstance(spot.present, str) else None


@breaks("type", family="wrapping")
def object_as_text(spot: Spot) -> Change | None:
    """The JSON of what belongs there, in quotes."""
    return _put(spot, compact(spot.present).decode()) if isinstance(spot.present, list | dict) else None


@breaks("type", family="other-type")
def nested_deep(spot: Spot) -> Change | None:
    """An array in an array, a hundred deep, where something else belongs."""
    nested: list[Any] = []
    for _ in range(99):
        nested = [nested]
    return _put(spot, nested) if "array" not in types_of(spot.schema) else None


def _whole(spot: Spot) -> bool:
    return isinstance(spot.present, int) and not isinstance(spot.present, bool)


def _boolean(spot: Spot, text: str) -> Change | None:
    return _put(spot, text) if isinstance(spot.present, bool) else None
