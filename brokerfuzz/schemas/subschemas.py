"""Finds the schemas inside a JSON Schema."""

from collections.abc import Iterator
from functools import reduce
from operator import getitem
from typing import Any

from brokerfuzz.pointers import pointer_of

_WITH_SCHEMA = {
    "items", "contains", "not", "if", "then", "else", "propertyNames", "additionalProperties", "unevaluatedProperties",
    "unevaluatedItems",
}  # fmt: skip
_WITH_LIST = {"allOf", "anyOf", "oneOf", "prefixItems"}
_WITH_NAMES = {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
Steps = tuple[str | int, ...]


def subschemas(schema: Any, steps: Steps = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the JSON Pointer of each schema, and the schema. The caller may change a schema that it gets."""
    if not isinstance(schema, dict):
        return
    yield pointer_of(steps), schema
    for inside in _inside(schema):
        yield from subschemas(reduce(getitem, inside, schema), (*steps, *inside))


def _inside(schema: dict[str, Any]) -> Iterator[Steps]:
    for keyword, value in schema.items():
        if keyword in _WITH_SCHEMA:
            yield (keyword,)
        elif keyword in _WITH_LIST and isinstance(value, list):
            yield from ((keyword, number) for number in range(len(value)))
        elif keyword in _WITH_NAMES and isinstance(value, dict):
            yield from ((keyword, name) for name in value)
