"""Finds the schemas inside a JSON Schema."""

from collections.abc import Iterator
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
    """Yields the JSON Pointer of each schema, and the schema."""
    if not isinstance(schema, dict):
        return
    yield pointer_of(steps), schema
    for inside, value in direct_subschemas(schema):
        yield from subschemas(value, (*steps, *inside))


def direct_subschemas(schema: dict[str, Any]) -> Iterator[tuple[Steps, Any]]:
    """Yields the schemas in the values of the keywords, with their paths. `true` and `false` are schemas, too."""
    for keyword, value in schema.items():
        if keyword in _WITH_SCHEMA:
            yield (keyword,), value
        elif keyword in _WITH_LIST and isinstance(value, list):
            yield from (((keyword, number), part) for number, part in enumerate(value))
        elif keyword in _WITH_NAMES and isinstance(value, dict):
            yield from (((keyword, name), part) for name, part in value.items())
