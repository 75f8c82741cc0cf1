"""Defines techniques that use a value of another JSON type, or wrap the value in an array or an object."""

from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_rows

JSON_TYPE_OF = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def in_words(value: Any) -> str:
    """Returns a string unchanged, and any other value as a Python literal in ASCII.

    If the literal contained other characters, the result would depend on the Unicode version of Python.
    """
    return value if isinstance(value, str) else ascii(value)


def put(context: FaultContext, value: Any) -> Change | None:
    """Replaces the old value with `value`, unless the type of `value` is allowed."""
    return Put(value) if context.forbids(JSON_TYPE_OF[type(value)]) else None


# ---------------------------------------------------------------------------------------------------- other types


def _instead(value: Any) -> ChangeOf:
    def change(context: FaultContext) -> Change | None:
        if context.rule.keyword == "type":
            return put(context, value)
        return Put(value) if value in context.counterexamples else None

    return change


_OF_CHOICES = ("oneOf", "anyOf", "not")
"""The keywords that can rule out types, as `type` does."""
register_rows(
    "type",
    *_OF_CHOICES,
    family="null",
    change=_instead,
    rows=[("null-instead", "Null, although the contract does not allow null here.", None)],
)
register_rows(
    "type",
    *_OF_CHOICES,
    family="other-type",
    change=_instead,
    rows=[
        ("string-instead", "A string instead of a value of another type.", "a"),
        ("object-instead", "An empty object instead of a value of another type.", {}),
        ("array-instead", "An empty array instead of a value of another type.", []),
    ],
)
register_rows(
    "type",
    *_OF_CHOICES,
    family="coercion",
    change=_instead,
    rows=[
        ("number-instead", "The number 1 instead of a value of another type.", 1),
        ("boolean-instead", "The boolean true instead of a value of another type.", True),
        ("zero-instead", "The number 0 instead of a value of another type.", 0),
        ("false-instead", "The boolean false instead of a value of another type.", False),
        ("empty-string", "An empty string instead of a value of another type.", ""),
        ("null-as-string", 'The string "null" instead of a value of another type.', "null"),
    ],
)
register_rows(
    *_OF_CHOICES,
    family="coercion",
    change=_instead,
    rows=[("fraction-instead", "The number 1.5 instead of a value of another type.", 1.5)],
)


# ------------------------------------------------------------------------------------------- wrapped and unwrapped


@breaks("type", family="wrapping")
def wrapped_in_array(context: FaultContext) -> Change | None:
    """An array that contains only the value, instead of the value."""
    return put(context, [context.present])


@breaks("type", family="wrapping")
def wrapped_in_object(context: FaultContext) -> Change | None:
    """An object that contains only the value, instead of the value."""
    return put(context, {"value": context.present})


@breaks("type", family="wrapping")
def unwrapped(context: FaultContext) -> Change | None:
    """The first item of the array instead of the array."""
    return put(context, context.present[0]) if isinstance(context.present, list) and context.present else None


@breaks("type", family="wrapping")
def property_alone(context: FaultContext) -> Change | None:
    """The value of the object's first property, instead of the whole object."""
    if not isinstance(context.present, dict) or not context.present:
        return None
    return put(context, next(iter(context.present.values())))


@breaks("type", family="wrapping")
def indexed_object(context: FaultContext) -> Change | None:
    """The array as an object with the properties 0, 1, 2 and so on."""
    if not isinstance(context.present, list):
        return None
    return put(context, {str(index): item for index, item in enumerate(context.present)})


@breaks("type", family="coercion")
def joined_string(context: FaultContext) -> Change | None:
    """The items of the array in one string, separated by commas."""
    return put(context, ",".join(map(in_words, context.present))) if isinstance(context.present, list) else None


@breaks("type", family="wrapping")
def object_as_string(context: FaultContext) -> Change | None:
    """The JSON of the object or array, as a string."""
    return put(context, compact(context.present).decode()) if isinstance(context.present, list | dict) else None
