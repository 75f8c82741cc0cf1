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
    """Yields the JSON Pointers of a schema and of all schemas inside it, and these schemas, except `true` and `false`.
    A schema comes before those inside it, so the caller may change it.
    """
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
