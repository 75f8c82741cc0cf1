"""Checks a configuration with its JSON Schema. The errors contain descriptions and examples from the schema.

A setting that the schema marks as `writeOnly` may be a secret, so errors mention only the type of its value.
"""

import json
from collections.abc import Sequence
from datetime import date, datetime, time
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brokerfuzz.configuration.spelling import spelled
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.wording import listed

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

SCHEMA = Path(__file__).with_name("brokerfuzz.schema.json")
_KINDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "a table",
}
_LONGEST = 60
"""The maximum number of characters that an error quotes from a wrong value."""

Node = dict[str, Any]
Steps = Sequence[str | int]


def schema_text() -> str:
    return SCHEMA.read_text(encoding="utf-8")


@cache
def schema() -> Node:
    parsed: Node = json.loads(schema_text())
    return parsed


def validated(values: Any, path: Path, above: tuple[str, ...] = ()) -> dict[str, Any]:
    """Checks the settings and converts them to the types in the schema. For example, TOML date-times become strings.

    `above` contains the names of the TOML tables around the settings. Raises `ConfigurationError` if the settings
    violate the schema. The error describes only one violation. If there are several, a wrong value has priority over a
    wrong combination of keys.
    """
    plain = _as_json(values, schema())
    errors = list(_validator().iter_errors(plain))
    if errors:
        innermost = max(errors, key=lambda error: len(error.instance_path))
        raise ConfigurationError(f"{path}: {_Complaint(values, above).about(innermost)}")
    known: dict[str, Any] = plain
    return known


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(schema())


def _as_json(value: Any, node: Node) -> Any:
    """Converts a TOML value to JSON. A value that JSON cannot represent becomes null, which violates the schema."""
    if isinstance(value, dict):
        return {key: _as_json(inner, _below(node, key)) for key, inner in value.items()} if node else None
    if isinstance(value, list):
        return [_as_json(inner, _below(node, 0)) for inner in value] if node else None
    if isinstance(value, datetime) and node.get("format") == "date-time":
        return value.isoformat()
    if isinstance(value, date | time):
        return None
    if isinstance(value, float) and value.is_integer() and "integer" in _types(node):
        return int(value)
    return value


def _below(node: Node, step: str | int) -> Node:
    """Returns the schema of the property or the array item `step`. The result is empty if the schema does not describe
    `step`.
    """
    found = (
        node.get("items")
        if isinstance(step, int)
        else node.get("properties", {}).get(step, node.get("additionalProperties"))
    )
    return found if isinstance(found, dict) else {}


def _types(node: Node) -> list[str]:
    types = node.get("type", [])
    return [types] if isinstance(types, str) else types


class _Complaint:
    def __init__(self, values: Any, above: tuple[str, ...]) -> None:
        self._values = values
        self._above = above

    def about(self, error: "ValidationError") -> str:
        steps = list(error.instance_path)
        node, value, secret = schema(), self._values, False
        for step in steps:
            node, value = _below(node, step), value[step]
            secret = secret or bool(node.get("writeOnly"))
        kind = error.kind.name
        if kind == "additionalProperties":
            return self._unknown(steps, node, next(name for name in value if name not in node["properties"]))
        if kind == "propertyNames":
            return (
                f"{self._table(steps)} has a key that is not {node['propertyNames']['description']}: correct or "
                "remove this key"
            )
        if kind == "not":
            one, other = node["allOf"][int(error.schema_path[-2])]["not"]["required"]
            return f"{self._table(steps)} has {one} and {other}: use only one of them"
        if kind == "required":
            missing, dependent = error.kind.as_dict()["property"], node["dependentRequired"]
            key = next(name for name in dependent if name in value and missing in dependent[name])
            return f"{key} in {self._table(steps)} works only with {missing}: add {missing}, or remove {key}"
        return (
            f"{self._place(steps)} is {_shown(value, secret=secret or 'object' in _types(node))}: use {_allowed(node)}"
        )

    def _unknown(self, steps: Steps, node: Node, name: str) -> str:
        known, sections = list(node["properties"]), schema()["properties"]
        owners = [section for section in sections if name in sections[section].get("properties", {})]
        if owners:
            remedy = f"move it to {self._table([owners[0]])}"
        elif near := get_close_matches(name, known, n=1, cutoff=0.4):
            remedy = f"did you mean {near[0]!r}?"
        else:
            remedy = f"use one of {', '.join(known)}"
        return f"{self._table(steps)} has no {'key' if steps else 'section'} {name!r}: {remedy}"

    def _table(self, steps: Steps) -> str:
        names = [*self._above, *map(str, steps)]
        return f"[{'.'.join(names)}]" if names else "the file"

    def _place(self, steps: Steps) -> str:
        if steps and isinstance(steps[-1], int):
            return f"item {steps[-1] + 1} of {self._place(steps[:-1])}"
        return f"{steps[-1]} in {self._table(steps[:-1])}" if len(steps) > 1 else self._table(steps)


def _shown(value: Any, *, secret: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if secret:
            return "an invalid string" if value else "an empty string"
        return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")
    if isinstance(value, int | float):
        return "a number" if secret else repr(value) if abs(value) < 10**_LONGEST else "a very large number"
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    return "a table" if isinstance(value, dict) else "a date or a time"


def _allowed(node: Node) -> str:
    if "enum" in node:
        return listed(map(spelled, node["enum"]), "or")
    examples = [] if _types(node) in (["object"], ["boolean"]) else node.get("examples", [])
    kinds = " or ".join(_KINDS[kind] for kind in _types(node))
    such = f", such as {' or '.join(map(spelled, examples))}" if examples else ""
    return f"{kinds}{_bounds(node)}{such}"


def _bounds(node: Node) -> str:
    if "exclusiveMinimum" in node:
        return f" above {node['exclusiveMinimum']}"
    if "maximum" in node:
        return f" from {node['minimum']} to {node['maximum']}"
    if "minimum" in node:
        return f" of at least {node['minimum']}"
    return " that is not empty" if "minLength" in node or "minItems" in node else ""
