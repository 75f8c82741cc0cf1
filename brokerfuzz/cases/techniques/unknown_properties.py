"""Unknown properties: names that the contract does not list at an object, and listed names in other spellings."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import AddProperty, Change
from brokerfuzz.cases.techniques.registry import Spot, breaks, enter
from brokerfuzz.schemas.flattening import Schema

# ------------------------------------------------------------------------------------------------------ of any name


@breaks("additionalProperties", family="unknown-property")
def unknown_property(spot: Spot) -> Change:
    """A property of a name that the contract does not list."""
    return AddProperty(_new("unexpected", spot), "a")


@breaks("additionalProperties", family="unknown-property")
def unknown_null(spot: Spot) -> Change:
    """A property that the contract does not list and whose value is null."""
    return AddProperty(_new("unexpected", spot), None)


@breaks("additionalProperties", family="unknown-property")
def unknown_first(spot: Spot) -> Change:
    """A property that the contract does not list, before all others."""
    return AddProperty(_new("aaa", spot), {"a": [1]}, first=True)


@breaks("additionalProperties", family="unknown-property")
def unknown_object(spot: Spot) -> Change:
    """A property that the contract does not list and whose value is an object of objects."""
    return AddProperty(_new("unexpected", spot), {"a": {"b": {}}})


@breaks("additionalProperties", family="unknown-property")
def unknown_array(spot: Spot) -> Change:
    """A property that the contract does not list and whose value is an array of everything."""
    return AddProperty(_new("unexpected", spot), [None, True, 1.5, "a", [], {}])


@breaks("additionalProperties", family="unknown-property")
def unknown_depth(spot: Spot) -> Change:
    """A property that the contract does not list and whose value is an array in an array, two hundred deep."""
    return AddProperty(_new("unexpected", spot), Fragment("[" * 200 + "]" * 200))


def _named(name: str, value: Any) -> Callable[[Spot], Change]:
    """Adds a property of this name, or of one like it where the contract lists it."""
    return lambda spot: AddProperty(_new(name, spot), value)


def _new(name: str, spot: Spot) -> str:
    while name in spot.schema.get("properties", {}):
        name += "_"
    return name


for _name, _text, _called, _value in (
    ("empty-key", "A property whose name is empty.", "", "a"),
    ("blank-key", "A property whose name is a blank.", " ", "a"),
    ("number-key", "A property whose name is a number in quotes.", "0", "a"),
    ("long-key", "A property whose name has ten thousand letters.", "a" * 10_000, "a"),
    ("extension-key", "A property whose name begins with x-, as extensions of other formats do.", "x-note", "a"),
    ("comment-key", "A property whose name is that of a comment in formats that have none.", "//", "a"),
    ("dollar-key", "A property whose name begins with a dollar sign, as typed JSON dialects have it.", "$type", "System.Object"),
    ("schema-key", "A property that names a schema, which some let pass unasked.", "$schema", "https://example.com/schema"),
    ("reference-key", "A property that refers to somewhere else.", "$ref", "#"),
    ("proto-key", "A property called __proto__, which some JavaScript code takes for the prototype.", "__proto__", {"isAdmin": True}),
    ("constructor-key", "A property called constructor.", "constructor", {"prototype": {"isAdmin": True}}),
    ("inherited-key", "A property of a name that every object has in JavaScript.", "toString", "a"),
    ("class-key", "A property of a name that every object has in Python.", "__class__", {"__init__": {}}),
    ("privileged-key", "A property whose name promises a privilege.", "isAdmin", True),
    ("stored-key", "A property of the name that document databases give their identifiers.", "_id", "000000000000000000000000"),
    ("templated-key", "A property whose name is an expression of a template.", "${7*7}", "a"),
):
    enter(_name, _text, "additionalProperties", family="unknown-property", change=_named(_called, _value))

# -------------------------------------------------------------------------------------------- listed, and misspelled


def _beside(rename: Callable[[str], str]) -> Callable[[Spot], Change | None]:
    """Adds a listed property that is there once more, under another name."""

    def change(spot: Spot) -> Change | None:
        props = spot.schema.get("properties", {})
        for name in props:
            other = rename(name)
            if name in spot.present and other not in props:
                return AddProperty(other, spot.present[name])
        return None

    return change


def _words(name: str, separator: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: separator + found[0].lower(), name)


_FULL_WIDTH = {ascii_letter: ascii_letter + 0xFEE0 for ascii_letter in range(0x21, 0x7F)}
LOOK_ALIKES = str.maketrans("aeopcxiESIOPCTBAHKMNX", "аеорсхіЕЅІОРСТВАНКМΝХ")
"""Latin letters and others that look like them."""

for _name, _text, _rename in (
    ("other-case-key", "A listed property again, its first letter in the other case.", lambda name: name[0].swapcase() + name[1:]),
    ("upper-case-key", "A listed property again, in capitals.", str.upper),
    ("lower-case-key", "A listed property again, in small letters.", str.lower),
    ("snake-case-key", "A listed property again, its words joined by underscores.", lambda name: _words(name, "_")),
    ("kebab-case-key", "A listed property again, its words joined by hyphens.", lambda name: _words(name, "-")),
    ("words-apart-key", "A listed property again, with blanks between its words.", lambda name: _words(name, " ")),
    ("padded-key", "A listed property again, with a blank behind its name.", lambda name: f"{name} "),
    ("leading-blank-key", "A listed property again, with a blank before its name.", lambda name: f" {name}"),
    ("tab-key", "A listed property again, with a tab behind its name.", lambda name: f"{name}\t"),
    ("line-break-key", "A listed property again, with a line break behind its name.", lambda name: f"{name}\n"),
    ("no-break-space-key", "A listed property again, with a no-break space behind its name.", lambda name: f"{name}\u00a0"),
    ("control-key", "A listed property again, with a control character behind its name.", lambda name: f"{name}\x01"),
    ("nul-key", "A listed property again, with a NUL and a letter behind its name.", lambda name: f"{name}\0a"),
    ("delete-key", "A listed property again, with the character DEL behind its name.", lambda name: f"{name}\x7f"),
    ("zero-width-key", "A listed property again, with a zero-width space in its name.", lambda name: f"{name}\u200b"),
    ("marked-key", "A listed property again, with a byte order mark before its name.", lambda name: f"\ufeff{name}"),
    ("combining-key", "A listed property again, with a combining accent on its last letter.", lambda name: f"{name}\u0301"),
    ("homoglyph-key", "A listed property again, with Cyrillic letters that look like its own.", lambda name: name.translate(LOOK_ALIKES)),
    ("full-width-key", "A listed property again, in full-width letters.", lambda name: name.translate(_FULL_WIDTH)),
    ("underscore-key", "A listed property again, with an underscore before its name.", lambda name: f"_{name}"),
    ("trailing-underscore-key", "A listed property again, with an underscore behind its name.", lambda name: f"{name}_"),
    ("extended-key", "A listed property again, with x- before its name.", lambda name: f"x-{name}"),
    ("dollar-listed-key", "A listed property again, with a dollar sign before its name.", lambda name: f"${name}"),
    ("attribute-key", "A listed property again, with an at sign before its name, as converters from XML write it.", lambda name: f"@{name}"),
    ("bracketed-key", "A listed property again, with brackets behind its name, as forms write arrays.", lambda name: f"{name}[]"),
    ("dotted-key", "A listed property again, with a point and a word behind its name, as paths have it.", lambda name: f"{name}.value"),
    ("slashed-key", "A listed property again, with a slash before its name, as JSON Pointers have it.", lambda name: f"/{name}"),
    ("quoted-key", "A listed property again, with quotes in its name.", lambda name: f'"{name}"'),
    ("plural-key", "A listed property again, with an s behind its name.", lambda name: f"{name}s"),
    ("cut-short-key", "A listed property again, without the last letter of its name.", lambda name: name[:-1]),
):
    enter(_name, _text, "additionalProperties", family="unknown-property", change=_beside(_rename))

# ------------------------------------------------------------------------------------------------------- misplaced


@breaks("additionalProperties", family="unknown-property")
def key_from_below(spot: Spot) -> Change | None:
    """A property that the contract lists in an object within this one."""
    for name, value in _below(spot):
        if name not in spot.schema.get("properties", {}):
            return AddProperty(name, value)
    return None


@breaks("additionalProperties", family="unknown-property")
def key_from_above(spot: Spot) -> Change | None:
    """A property of the name that this object, or the array of it, has in the one above."""
    name = spot.rule.site.replace("[]", "").rpartition(".")[2]
    return AddProperty(name, [] if spot.rule.site.endswith("[]") else {}) if name and name not in spot.schema.get("properties", {}) else None


def _below(spot: Spot) -> Iterator[tuple[str, Any]]:
    """The properties of the objects within: their names, and what is there if anything is."""
    for name, schema in spot.schema.get("properties", {}).items():
        yield from _properties(schema, spot.present.get(name))


def _properties(schema: Schema, present: Any) -> Iterator[tuple[str, Any]]:
    while "items" in schema:
        schema, present = schema["items"], present[0] if isinstance(present, list) and present else None
    for name in schema.get("properties", {}):
        yield name, present.get(name) if isinstance(present, dict) else None
