"""Defines techniques that add a property that the contract does not allow. Some names are known names in another
notation (`offer_type`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from orjson import Fragment

from brokerfuzz.cases.changes import AddProperty, Change
from brokerfuzz.cases.techniques.enumerations import FULL_WIDTH
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_rows
from brokerfuzz.schemas.keywords import Schema

# -------------------------------------------------------------------------------------------------------- new names


class _New(NamedTuple):
    name: str
    value: Any = "a"
    first: bool = False


def _added(new: _New) -> ChangeOf:
    """Adds the property. If the contract allows a property with this name, underscores are appended to the name."""

    def change(context: FaultContext) -> Change:
        name = new.name
        while name in context.schema.get("properties", {}):
            name += "_"
        return AddProperty(name, new.value, new.first)

    return change


register_rows(
    "additionalProperties",
    family="unknown-property",
    change=_added,
    rows=[
        ("unknown-property", "An unknown property.", _New("unexpected")),
        ("unknown-null", "An unknown property with the value null.", _New("unexpected", None)),
        ("unknown-first", "An unknown property before all others.", _New("aaa", {"a": [1]}, first=True)),
        ("unknown-object", "An unknown property with objects as its value.", _New("unexpected", {"a": {"b": {}}})),
        ("unknown-depth", "An unknown property, nested 200 deep.", _New("unexpected", Fragment("[" * 200 + "]" * 200))),
        ("empty-key", "An unknown property with an empty name.", _New("")),
        ("number-key", 'An unknown property whose name is the string "0".', _New("0")),
        ("long-key", "An unknown property with a name of 1,025 letters.", _New("a" * 1025)),
        ("extension-key", "An unknown property like an extension in OpenAPI: its name begins with x-.", _New("x-note")),
        ("dollar-key", "An unknown property $type, the type name in .NET.", _New("$type", "System.Object")),
        ("schema-key", "An unknown property $schema, which some validators ignore.", _New("$schema", "https://a.b/c")),
        ("proto-key", "An unknown property __proto__, as in JavaScript.", _New("__proto__", {"isAdmin": True})),
        ("inherited-key", "An unknown property toString, which every JavaScript object has.", _New("toString")),
    ],
)

# -------------------------------------------------------------------------------------------- listed, and misspelled


def _renamed_copy(rename: Callable[[str], str]) -> ChangeOf:
    """Adds a copy of a known property to the same object. `rename` returns the name of the copy."""

    def change(context: FaultContext) -> Change | None:
        properties = context.schema.get("properties", {})
        for name in properties:
            other = rename(name)
            if name in context.present and other not in properties:
                return AddProperty(other, context.present[name])
        return None

    return change


def _other_case(name: str) -> str:
    return name[0].swapcase() + name[1:]


def _words(name: str, separator: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: separator + match[0].lower(), name)


register_rows(
    "additionalProperties",
    family="name-in-another-case",
    change=_renamed_copy,
    rows=[
        ("other-case-key", "A copy of a known property with its first letter in the other case.", _other_case),
        ("lower-case-key", "A copy of a known property with its name in lower case.", str.lower),
    ],
)
register_rows(
    "additionalProperties",
    family="unknown-property",
    change=_renamed_copy,
    rows=[
        ("snake-case-key", "A copy of a known property with a name like_this.", lambda name: _words(name, "_")),
        ("kebab-case-key", "A copy of a known property with a name like-this.", lambda name: _words(name, "-")),
        ("padded-key", "A copy of a known property with a space after its name.", lambda name: f"{name} "),
        ("nul-key", "A copy of a known property with a NUL and a letter after its name.", lambda name: f"{name}\0a"),
        ("zero-width-key", "A copy with a zero-width space after the name.", lambda name: f"{name}\u200b"),
        ("combining-key", "A copy with an accent on the last letter of the name.", lambda name: f"{name}\u0301"),
        ("full-width-key", "A copy with the name in full-width letters.", lambda name: name.translate(FULL_WIDTH)),
        ("underscore-key", "A copy of a known property with an underscore before its name.", lambda name: f"_{name}"),
        ("attribute-key", "A copy with an at sign before the name, an attribute in XML.", lambda name: f"@{name}"),
        ("bracketed-key", "A copy with [] after the name, an array in HTML forms.", lambda name: f"{name}[]"),
        ("dotted-key", "A copy of a known property with a path as its name.", lambda name: f"{name}.value"),
    ],
)

# ------------------------------------------------------------------------------------------------------- misplaced


@breaks("additionalProperties", family="unknown-property")
def key_from_below(context: FaultContext) -> Change | None:
    """A property of an inner object, copied to the outer object."""
    for name, value in _inner_properties(context):
        if name not in context.schema.get("properties", {}):
            return AddProperty(name, value)
    return None


@breaks("additionalProperties", family="unknown-property")
def key_from_above(context: FaultContext) -> Change | None:
    """An unknown property inside an object, with the name of the property that contains the object."""
    name = context.site.nearest_name
    if not name or name in context.schema.get("properties", {}):
        return None
    return AddProperty(name, {} if context.site.name else [])


def _inner_properties(context: FaultContext) -> Iterator[tuple[str, Any]]:
    """Yields the properties that inner objects can have, with their values. Absent ones have the value None."""
    for name, schema in context.schema.get("properties", {}).items():
        yield from _properties(schema, context.present.get(name))


def _properties(schema: Schema, present: Any) -> Iterator[tuple[str, Any]]:
    while "items" in schema:
        schema, present = schema["items"], present[0] if isinstance(present, list) and present else None
    for name in schema.get("properties", {}):
        yield name, present.get(name) if isinstance(present, dict) else None
