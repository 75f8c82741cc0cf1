from collections.abc import Callable
from typing import Any, Final

from brokerfuzz.schemas.flattening import Schema

Step = str
"""The name of a property, or `[]` for the items of an array."""
ABSENT: Final = object()
"""Stands for a property that is absent."""


def steps_of(path: str) -> list[Step]:
    """Splits a path: `a[].b` becomes `["a", "[]", "b"]`."""
    return [step for step in path.replace("[]", ".[]").split(".") if step]


def mended(schema: Schema, path: str, change: Callable[[Schema], Schema]) -> Schema:
    """Returns the schema after `change` has changed the part at `path`."""
    return _mended(schema, steps_of(path), change)


def _mended(schema: Schema, steps: list[Step], change: Callable[[Schema], Schema]) -> Schema:
    if not steps:
        return change(schema)
    step, *rest = steps
    if step == "[]":
        return {**schema, "items": _mended(schema.get("items", {}), rest, change)}
    props = schema.get("properties", {})
    return {**schema, "properties": {**props, step: _mended(props.get(step, {}), rest, change)}}


def without(schema: Schema, keyword: str) -> Schema:
    return {name: value for name, value in schema.items() if name != keyword}


def somewhere(path: str, trigger: Schema) -> Schema:
    """Returns a schema that matches messages in which at least one value at `path` matches `trigger`."""
    for step in reversed(steps_of(path)):
        of_property = {"type": "object", "required": [step], "properties": {step: trigger}}
        trigger = {"type": "array", "contains": trigger} if step == "[]" else of_property
    return trigger


def lacking(path: str) -> Schema:
    """Returns a schema that matches messages in which the property at `path` is missing from its object."""
    above, _, name = path.rpartition(".")
    return somewhere(above, {"type": "object", "not": {"required": [name]}})


def schema_at(schema: Schema, path: str) -> Schema:
    for step in steps_of(path):
        schema = schema["items"] if step == "[]" else schema["properties"][step]
    return schema


def put(message: Any, path: str, value: Any, *, item: int = 0) -> Any:
    """The value `ABSENT` removes the property. Changes only the item with the index `item` of each array on the
    path.
    """
    return _put(message, steps_of(path), value, item)


def _put(message: Any, steps: list[Step], value: Any, item: int) -> Any:
    if not steps:
        return value
    step, *rest = steps
    changed = message.copy()
    key = min(item, len(message) - 1) if step == "[]" else step
    if not rest and value is ABSENT:
        del changed[key]
    else:
        changed[key] = _put(message[key] if rest else None, rest, value, item)
    return changed


def at(message: Any, path: str) -> Any:
    """Returns the value at `path`, in the first item of each array."""
    for step in steps_of(path):
        message = message[0 if step == "[]" else step]
    return message


def every(value: Any, path: str) -> list[Any]:
    found: list[Any] = [value]
    for step in steps_of(path):
        if step == "[]":
            found = [item for one in found if isinstance(one, list) for item in one]
        else:
            found = [one[step] for one in found if isinstance(one, dict) and step in one]
    return found
