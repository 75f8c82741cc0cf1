"""Sites as ways down a schema or a message: mend a schema at one, ask for a value at one, put a value there."""

import copy
from collections.abc import Callable
from typing import Any, Final

from brokerfuzz.schemas.flattening import Schema

Step = str
"""A property's name, or `[]` for the items of an array."""
ABSENT: Final = object()
"""Stands for a property that is not there."""


def steps_of(path: str) -> list[Step]:
    """`a[].b` as `["a", "[]", "b"]`."""
    return [step for step in path.replace("[]", ".[]").split(".") if step]


def mended(schema: Schema, path: str, change: Callable[[Schema], Schema]) -> Schema:
    """The schema with another one at the path; what lies elsewhere is shared with the original."""
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
    """The schema without a keyword."""
    return {name: value for name, value in schema.items() if name != keyword}


def somewhere(path: str, trigger: Schema) -> Schema:
    """A schema of messages that have a value of the trigger at the path, in any of the items on the way."""
    for step in reversed(steps_of(path)):
        of_property = {"type": "object", "required": [step], "properties": {step: trigger}}
        trigger = {"type": "array", "contains": trigger} if step == "[]" else of_property
    return trigger


def lacking(path: str) -> Schema:
    """A schema of messages in which the object above the path lacks its property."""
    above, _, name = path.rpartition(".")
    return somewhere(above, {"type": "object", "not": {"required": [name]}})


def schema_at(schema: Schema, path: str) -> Schema:
    """The schema at the path."""
    for step in steps_of(path):
        schema = schema["items"] if step == "[]" else schema["properties"][step]
    return schema


def put(message: Any, path: str, value: Any, *, item: int = 0) -> Any:
    """A copy of the message with the value at the path (`ABSENT`: with nothing there), below the items of this index."""
    message = copy.deepcopy(message)
    steps: list[Any] = [item if step == "[]" else step for step in steps_of(path)]
    if not steps:
        return value
    above = message
    for step in steps[:-1]:
        above = above[min(step, len(above) - 1) if isinstance(step, int) else step]
    last = min(steps[-1], len(above) - 1) if isinstance(above, list) else steps[-1]
    if value is ABSENT:
        del above[last]
    else:
        above[last] = value
    return message


def at(message: Any, path: str) -> Any:
    """The value at the path, below first items."""
    for step in steps_of(path):
        message = message[0 if step == "[]" else step]
    return message


def every(value: Any, path: str) -> list[Any]:
    """Every value at the path."""
    found: list[Any] = [value]
    for step in steps_of(path):
        if step == "[]":
            found = [item for one in found if isinstance(one, list) for item in one]
        else:
            found = [one[step] for one in found if isinstance(one, dict) and step in one]
    return found
