"""Finds the schemas inside a JSON Schema, with their places and their URIs."""

from collections.abc import Iterator
from functools import reduce
from operator import getitem
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin

from brokerfuzz.pointers import pointer_of

_WITH_SCHEMA = {
    "items", "contains", "not", "if", "then", "else", "propertyNames", "additionalProperties", "unevaluatedProperties",
    "unevaluatedItems",
}  # fmt: skip
_WITH_LIST = {"allOf", "anyOf", "oneOf", "prefixItems"}
_WITH_NAMES = {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
Steps = tuple[str | int, ...]


class Subschema(NamedTuple):
    """`at` is the JSON Pointer of a schema, and `base` is the URI to which its references are relative."""

    base: str
    at: str
    schema: dict[str, Any]


def absolute(base: str, reference: str) -> str:
    """Resolves a reference. Unlike `urljoin`, the function also resolves fragments if the base is a URN."""
    return f"{urldefrag(base).url}{reference}" if reference.startswith("#") else urljoin(base, reference)


def base_of(schema: Any, base: str) -> str:
    """Returns the URI to which the references of a schema are relative. `base` is the URI of the schema around it."""
    return urldefrag(absolute(base, schema.get("$id", ""))).url if isinstance(schema, dict) else base


def subschemas(schema: Any, base: str = "", steps: Steps = ()) -> Iterator[Subschema]:
    """Yields a schema, and all schemas inside it, except `true` and `false`. A schema comes before those inside it, so
    the caller may change it.
    """
    if not isinstance(schema, dict):
        return
    base = base_of(schema, base)
    yield Subschema(base, pointer_of(steps), schema)
    for inside in _inside(schema):
        yield from subschemas(reduce(getitem, inside, schema), base, (*steps, *inside))


def _inside(schema: dict[str, Any]) -> Iterator[Steps]:
    for keyword, value in schema.items():
        if keyword in _WITH_SCHEMA:
            yield (keyword,)
        elif keyword in _WITH_LIST and isinstance(value, list):
            yield from ((keyword, number) for number in range(len(value)))
        elif keyword in _WITH_NAMES and isinstance(value, dict):
            yield from ((keyword, name) for name in value)
