"""Defines techniques that add a property that the contract does not allow. Some names are known names in another
notation (`offer_type`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import AddProperty, Change
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_technique
from brokerfuzz.schemas.flattening import Schema

# -------------------------------------------------------------------------------------------------------- new names


def _adds(technique: str, text: str, name: str, value: Any, *, first: bool = False) -> None:
    """Registers a technique that adds the property `name`. If the contract allows this property, underscores are
    appended to `name`.
    """
    register_technique(
        technique,
        text,
        "additionalProperties",
        family="unknown-property",
        change=lambda context: AddProperty(_new(name, context), value, first),
    )


def _new(name: str, context: FaultContext) -> str:
    while name in context.schema.get("properties", {}):
        name += "_"
    return name


_adds("unknown-property", "An unknown property.", "unexpected", "a")
_adds("unknown-null", "An unknown property with the value null.", "unexpected", None)
_adds("unknown-first", "An unknown property before all others.", "aaa", {"a": [1]}, first=True)
_adds("unknown-object", "An unknown property with nested objects as its value.", "unexpected", {"a": {"b": {}}})
_adds(
    "unknown-array",
    "An unknown property with an array of all JSON types as its value.",
    "unexpected",
    [None, True, 1.5, "a", [], {}],
)
_adds(
    "unknown-depth",
    "An unknown property with arrays nested 200 levels deep as its value.",
    "unexpected",
    Fragment("[" * 200 + "]" * 200),
)
_adds("empty-key", "An unknown property with an empty name.", "", "a")
_adds("blank-key", "An unknown property whose name is a space.", " ", "a")
_adds("number-key", 'An unknown property whose name is the string "0".', "0", "a")
_adds("long-key", "An unknown property with a name of 1,025 letters.", "a" * 1025, "a")
_adds("extension-key", "An unknown property whose name begins with x-, like an extension in OpenAPI.", "x-note", "a")
_adds("comment-key", "An unknown property called //, as used for comments in JSON.", "//", "a")
_adds(
    "dollar-key",
    "An unknown property called $type whose value is a type name, as some JSON libraries write it.",
    "$type",
    "System.Object",
)
_adds(
    "schema-key",
    "An unknown property called $schema, which some validators ignore.",
    "$schema",
    "https://example.com/schema",
)
_adds("reference-key", "An unknown property called $ref, as in references of JSON Schema.", "$ref", "#")
_adds(
    "proto-key",
    "An unknown property called __proto__, which can change the prototype in JavaScript.",
    "__proto__",
    {"isAdmin": True},
)
_adds("constructor-key", "An unknown property called constructor.", "constructor", {"prototype": {"isAdmin": True}})
_adds("inherited-key", "An unknown property called toString, which every JavaScript object has.", "toString", "a")
_adds(
    "class-key", "An unknown property called __class__, which every Python object has.", "__class__", {"__init__": {}}
)
_adds("privileged-key", "An unknown property called isAdmin, which suggests a privilege.", "isAdmin", True)
_adds("stored-key", "An unknown property called _id, as in document databases.", "_id", "000000000000000000000000")
_adds("templated-key", "An unknown property whose name is a template expression.", "${7*7}", "a")

# -------------------------------------------------------------------------------------------- listed, and misspelled


def _renamed_copy(rename: Callable[[str], str]) -> ChangeOf:
    """Returns a technique that adds a copy of a known property to the same object. `rename` returns the name of the
    copy.
    """

    def change(context: FaultContext) -> Change | None:
        props = context.schema.get("properties", {})
        for name in props:
            other = rename(name)
            if name in context.present and other not in props:
                return AddProperty(other, context.present[name])
        return None

    return change


def _words(name: str, separator: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: separator + found[0].lower(), name)


_FULL_WIDTH = {ascii_letter: ascii_letter + 0xFEE0 for ascii_letter in range(0x21, 0x7F)}
LOOK_ALIKES = str.maketrans("aeopcxiESIOPCTBAHKMNX", "аеорсхіЕЅІОРСТВАНКМΝХ")
"""Maps Latin letters to Cyrillic and Greek letters that look the same."""

for _name, _text, _rename in (
    (
        "other-case-key",
        "A copy of a known property with the case of its name's first letter changed.",
        lambda name: name[0].swapcase() + name[1:],
    ),
    ("upper-case-key", "A copy of a known property with its name in upper case.", str.upper),
    ("lower-case-key", "A copy of a known property with its name in lower case.", str.lower),
    ("snake-case-key", "A copy of a known property with its name in snake case.", lambda name: _words(name, "_")),
    ("kebab-case-key", "A copy of a known property with its name in kebab case.", lambda name: _words(name, "-")),
    (
        "words-apart-key",
        "A copy of a known property with spaces between the words of its name.",
        lambda name: _words(name, " "),
    ),
    ("padded-key", "A copy of a known property with a space after its name.", lambda name: f"{name} "),
    ("leading-blank-key", "A copy of a known property with a space before its name.", lambda name: f" {name}"),
    ("tab-key", "A copy of a known property with a tab after its name.", lambda name: f"{name}\t"),
    ("line-break-key", "A copy of a known property with a line break after its name.", lambda name: f"{name}\n"),
    (
        "no-break-space-key",
        "A copy of a known property with a no-break space after its name.",
        lambda name: f"{name}\u00a0",
    ),
    ("control-key", "A copy of a known property with a control character after its name.", lambda name: f"{name}\x01"),
    (
        "nul-key",
        "A copy of a known property with a NUL character and a letter after its name.",
        lambda name: f"{name}\0a",
    ),
    ("delete-key", "A copy of a known property with the DEL character after its name.", lambda name: f"{name}\x7f"),
    (
        "zero-width-key",
        "A copy of a known property with a zero-width space after its name.",
        lambda name: f"{name}\u200b",
    ),
    ("marked-key", "A copy of a known property with a byte order mark before its name.", lambda name: f"\ufeff{name}"),
    (
        "combining-key",
        "A copy of a known property with a combining accent on the last letter of its name.",
        lambda name: f"{name}\u0301",
    ),
    (
        "homoglyph-key",
        "A copy of a known property with some letters of its name replaced by similar Cyrillic or Greek letters.",
        lambda name: name.translate(LOOK_ALIKES),
    ),
    (
        "full-width-key",
        "A copy of a known property with its name in full-width letters.",
        lambda name: name.translate(_FULL_WIDTH),
    ),
    ("underscore-key", "A copy of a known property with an underscore before its name.", lambda name: f"_{name}"),
    (
        "trailing-underscore-key",
        "A copy of a known property with an underscore after its name.",
        lambda name: f"{name}_",
    ),
    ("extended-key", "A copy of a known property with x- before its name.", lambda name: f"x-{name}"),
    ("dollar-listed-key", "A copy of a known property with a dollar sign before its name.", lambda name: f"${name}"),
    (
        "attribute-key",
        "A copy of a known property with an at sign before its name, as XML converters write attributes.",
        lambda name: f"@{name}",
    ),
    (
        "bracketed-key",
        "A copy of a known property with [] after its name, as HTML forms write arrays.",
        lambda name: f"{name}[]",
    ),
    ("dotted-key", "A copy of a known property with .value after its name, like a path.", lambda name: f"{name}.value"),
    (
        "slashed-key",
        "A copy of a known property with a slash before its name, like a JSON Pointer.",
        lambda name: f"/{name}",
    ),
    ("quoted-key", "A copy of a known property with double quotes around its name.", lambda name: f'"{name}"'),
    ("plural-key", "A copy of a known property with an s after its name.", lambda name: f"{name}s"),
    ("cut-short-key", "A copy of a known property without the last letter of its name.", lambda name: name[:-1]),
):
    register_technique(_name, _text, "additionalProperties", family="unknown-property", change=_renamed_copy(_rename))

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
    name = context.rule.site.replace("[]", "").rpartition(".")[2]
    return (
        AddProperty(name, [] if context.rule.site.endswith("[]") else {})
        if name and name not in context.schema.get("properties", {})
        else None
    )


def _inner_properties(context: FaultContext) -> Iterator[tuple[str, Any]]:
    """Yields the name and the value of each property that the objects inside the current object can have. Absent
    properties have the value None.
    """
    for name, schema in context.schema.get("properties", {}).items():
        yield from _properties(schema, context.present.get(name))


def _properties(schema: Schema, present: Any) -> Iterator[tuple[str, Any]]:
    while "items" in schema:
        schema, present = schema["items"], present[0] if isinstance(present, list) and present else None
    for name in schema.get("properties", {}):
        yield name, present.get(name) if isinstance(present, dict) else None
