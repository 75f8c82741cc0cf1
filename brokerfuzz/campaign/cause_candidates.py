"""What can be added to a smallest message, or written there in place of the plainest: no request is made here, and nothing judged.

Shrinking takes away; so a message that is rejected for what it lacks ends in one that shows nothing. What is proposed here is
any value of the place's type, several where a type alone does not say what is proper there.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from brokerfuzz.campaign.json_trees import JsonArray, JsonObject, Number, Path, Tree, at, read_tree, replaced, site
from brokerfuzz.campaign.shrink_candidates import Schemas

TEXTS = ("Plain", "2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "0 0 * * *", "https://example.com/")
"""One of them is ordinary at any place whose text is a name, an instant (also one that has to come after another), a schedule or a link.
The first is longer than shrinking leaves any text for which length does not matter."""
NUMBER = 12
"""Neither what shrinking ends at nor near a bound that is likely."""


def with_property(tree: Tree, path: Path, name: str, value: Tree) -> Tree:
    """The tree with one more property, behind the others, of the object at a path: no other path changes."""
    there = at(tree, path)
    return replaced(tree, path, JsonObject((*there.pairs, (name, value)))) if isinstance(there, JsonObject) else tree


def lacking(tree: Tree, path: Path, schemas: Schemas) -> Iterator[tuple[str, tuple[Tree, ...]]]:
    """The properties that the object at a path could have and does not, each with values to try."""
    there = at(tree, path)
    if isinstance(there, JsonObject):
        names = {name for name, _ in there.pairs}
        for name, schema in schemas.get(site(tree, path), {}).get("properties", {}).items():
            if name not in names:
                yield name, plain(schema)


def others(tree: Tree, path: Path, schemas: Schemas) -> tuple[Tree, ...]:
    """Values to try in place of the scalar, the null or the empty array at a path."""
    there = at(tree, path)
    if isinstance(there, JsonObject) or (isinstance(there, JsonArray) and there.items):
        return ()
    schema = schemas.get(site(tree, path), {})
    return tuple(value for value in (*_listed(schema), *plain(schema), *_further(there)) if value != there)


def plain(schema: Mapping[str, Any]) -> tuple[Tree, ...]:
    """Values of a schema's type, filled ones before empty ones. Whether one is allowed there is not said."""
    return _distinct(_plain(schema, text, filled) for filled in (True, False) for text in TEXTS)


def _listed(schema: Mapping[str, Any]) -> Iterator[Tree]:
    return (_tree(value) for value in schema.get("enum", ()))


def _further(there: Tree) -> tuple[Tree, ...]:
    match there:
        case bool():
            return (not there,)
        case Number():
            return (Number("1"), Number("2"))
        case _:
            return ()


def _plain(schema: Mapping[str, Any], text: str, filled: bool) -> Tree:
    if "const" in schema or "enum" in schema:
        return _tree(schema["const"] if "const" in schema else schema["enum"][0])
    declared = schema.get("type", "string")
    match declared if isinstance(declared, str) else next((name for name in declared if name != "null"), "null"):
        case "object":
            demanded = schema.get("required", ())
            props = schema.get("properties", {})
            return JsonObject(tuple((name, _plain(prop, text, filled)) for name, prop in props.items() if name in demanded))
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


def _distinct(values: Iterable[Tree]) -> tuple[Tree, ...]:
    return tuple(dict.fromkeys(values))
