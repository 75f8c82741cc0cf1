"""Proposes changes to the smallest message of a finding: new properties, and other values for existing properties.

Shrinking never adds a property to a message. If a target rejects a message because a property is missing, the shrunk
message does not show which property this is. To find this property, the module proposes properties and values that may
change the answer.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from brokerfuzz.campaign.shrink_candidates import Schemas
from brokerfuzz.json_trees import JsonArray, JsonObject, Number, Path, Tree, at, read_tree, replaced, site
from brokerfuzz.schemas.flattening import KNOWN

TEXTS = ("Plain", "2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "0 0 * * *", "https://example.com/")
"""Strings to try: a name, a time, a later time, a schedule and a link. Each string property of the contract should
accept at least one of these strings, unless the property is an enumeration.
"""
NUMBER = 12
"""The value to try for numbers. A limit is rarely close to 12, and shrinking rarely leads to 12."""


def with_property(tree: Tree, path: Path, name: str, value: Tree) -> Tree:
    """Adds a property at the end of the object at `path`, so that all other paths in the message stay the same."""
    there = at(tree, path)
    return replaced(tree, path, JsonObject((*there.pairs, (name, value)))) if isinstance(there, JsonObject) else tree


def missing_properties(tree: Tree, path: Path, schemas: Schemas) -> Iterator[tuple[str, tuple[Tree, ...]]]:
    """Yields the name of each missing property that the contract allows in the object at `path`, and values to try for
    this property.
    """
    there = at(tree, path)
    if isinstance(there, JsonObject):
        names = {name for name, _ in there.pairs}
        for name, schema in schemas.get(site(tree, path), {}).get("properties", {}).items():
            if name not in names:
                yield name, plain(schema)


def other_values(tree: Tree, path: Path, schemas: Schemas) -> tuple[Tree, ...]:
    """Returns values that may replace the value at `path`. Returns nothing for objects and non-empty arrays."""
    there = at(tree, path)
    if isinstance(there, JsonObject) or (isinstance(there, JsonArray) and there.items):
        return ()
    schema = schemas.get(site(tree, path), {})
    return tuple(value for value in (*_listed(schema), *plain(schema), *_further(there)) if value != there)


def plain(schema: Mapping[str, Any]) -> tuple[Tree, ...]:
    """Returns ordinary values of the JSON types that the schema allows, non-empty values first. The values may break
    other keywords of the schema.
    """
    return tuple(dict.fromkeys(_plain(schema, text, filled) for filled in (True, False) for text in TEXTS))


def _listed(schema: Mapping[str, Any]) -> Iterator[Tree]:
    return (_tree(value) for value in schema.get("enum", schema.get(KNOWN, ())))


def _further(there: Tree) -> tuple[Tree, ...]:
    match there:
        case bool():
            return (not there,)
        case Number():
            return (Number("1"), Number("2"))
        case _:
            return ()


def _plain(schema: Mapping[str, Any], text: str, filled: bool) -> Tree:
    if "const" in schema:
        return _tree(schema["const"])
    if values := schema.get("enum", schema.get(KNOWN)):
        return _tree(values[0])
    declared = schema.get("type", "string")
    match declared if isinstance(declared, str) else next((name for name in declared if name != "null"), "null"):
        case "object":
            demanded = schema.get("required", ())
            props = schema.get("properties", {})
            return JsonObject(
                tuple((name, _plain(prop, text, filled)) for name, prop in props.items() if name in demanded)
            )
        case "array":
            count = max(schema.get("minItems", 0), int(filled))
            return JsonArray((_plain(schema.get("items", {}), text, filled),) * count)
        case "integer" | "number":
            least, most = schema.get("minimum", NUMBER), schema.get("maximum", NUMBER)
            return Number(str(least if least > NUMBER else min(most, NUMBER)))
        case "boolean":
            return filled
        case "string":
            return text.ljust(schema.get("minLength", 0), "A") if filled or schema.get("minLength") else ""
        case _:
            return None


def _tree(value: object) -> Tree:
    return read_tree(json.dumps(value).encode())
