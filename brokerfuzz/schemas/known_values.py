"""Defines reference data: the values that a target knows, such as the IDs of its products.

Reference data narrows a contract: generated messages then contain only known values. The oracle still judges by the
original rules, but the target may accept or reject a message with an unknown value. This question is the ambiguity
`known-values`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jsonschema_rs import validator_for

from brokerfuzz.schemas.flattening import KNOWN, ROWS, Schema
from brokerfuzz.schemas.sites import join
from brokerfuzz.shapes import problem_in

KNOWN_VALUES = "known-values"
"""The ID of the ambiguity that every unknown value touches."""
DETECTOR = "known_values"
MOST_USED = 100
"""For each site, generated messages contain only the first `MOST_USED` known values. The oracle uses all known
values.
"""

Row = Mapping[str, Any]
"""A known combination of property values in an object. If a row lacks a property, the object lacks it too."""
Detector = Callable[[Any], bool]
"""A function that detects unknown values."""


def _of_sites(found: Any) -> dict[str, Any]:
    """Returns a schema for lists at the sites of message types."""
    lists = {"type": "array", "minItems": 1, "items": found}
    return {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": lists}}


_CELL = {"type": ["string", "number", "boolean"]}
_ROW = {"type": "object", "minProperties": 1, "additionalProperties": _CELL}
_PARTS = validator_for(
    {"type": "array", "prefixItems": [_of_sites(_CELL), _of_sites(_ROW)], "minItems": 2, "maxItems": 2}
)


@dataclass(frozen=True)
class KnownValues:
    """The values that a target knows. `text` contains them as JSON, because the plan of an export or a campaign stores
    them as text. Use `KnownValues.of` to create this object.
    """

    text: str

    @classmethod
    def of(
        cls, sites: Mapping[str, Mapping[str, Sequence[Any]]], rows: Mapping[str, Mapping[str, Sequence[Row]]]
    ) -> "KnownValues":
        """`sites` maps message types and sites to values, and `rows` maps them to combinations of values."""
        return cls(json.dumps([sites, rows], ensure_ascii=False, separators=(",", ":")))

    @property
    def is_well_formed(self) -> bool:
        """False if the text, which may come from another person's journal, has another format."""
        try:
            return problem_in(self._parts, _PARTS) is None
        except (ValueError, RecursionError):
            return False

    @cached_property
    def _parts(self) -> Any:
        return json.loads(self.text)

    def sites(self, message_type: str) -> Mapping[str, Sequence[Any]]:
        """Maps the sites of a message type to all their known values."""
        found: Mapping[str, Sequence[Any]] = self._parts[0].get(message_type, {})
        return found

    def rows(self, message_type: str) -> Mapping[str, Sequence[Row]]:
        """Maps the sites of objects to their rows (see `Row`)."""
        found: Mapping[str, Sequence[Row]] = self._parts[1].get(message_type, {})
        return found

    def used(self, message_type: str) -> Mapping[str, Sequence[Any]]:
        """Maps sites to the values that generated messages contain."""
        found = {path: values[:MOST_USED] for path, values in self.sites(message_type).items()}
        for path, rows in self.rows(message_type).items():
            for name in columns(rows):
                found[join(path, name)] = list(dict.fromkeys(row[name] for row in rows[:MOST_USED] if name in row))
        return found

    def narrowed(self, message_type: str, schema: Schema) -> Schema:
        """Returns the flat schema of a message type, restricted to the values that generated messages may contain."""
        return _narrowed(schema, "", self.used(message_type), self.rows(message_type))

    def detectors(self, message_type: str) -> Mapping[str, Detector]:
        """Maps each site with known values, and each object with rows, to a function that detects unknown values."""
        of_sites = {path: _outside(values) for path, values in self.sites(message_type).items()}
        return {**of_sites, **{path: _mixed(rows) for path, rows in self.rows(message_type).items()}}


def columns(rows: Sequence[Row]) -> list[str]:
    """Returns the name of each property that occurs in at least one row."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _narrowed(
    schema: Schema, path: str, values: Mapping[str, Sequence[Any]], rows: Mapping[str, Sequence[Row]]
) -> Schema:
    result = dict(schema)
    if path in values and "enum" in schema:
        result["enum"] = [value for value in schema["enum"] if value is None or value in values[path]]
    elif path in values:
        result[KNOWN] = values[path]
    if path in rows:
        result[ROWS] = rows[path][:MOST_USED]
    if "properties" in schema:
        result["properties"] = {
            name: _narrowed(prop, join(path, name), values, rows) for name, prop in schema["properties"].items()
        }
    if "items" in schema:
        result["items"] = _narrowed(schema["items"], f"{path}[]", values, rows)
    return result


def _outside(values: Sequence[Any]) -> Detector:
    """Returns a function that detects values of these types that are not in the list."""
    known = frozenset(values)
    types = {float if type(value) is int else type(value) for value in values}
    types |= {int} if float in types else set()
    return lambda value: type(value) in types and value not in known


def _mixed(rows: Sequence[Row]) -> Detector:
    """Returns a function that detects an object whose values are all known, but are not in the same row."""
    known = {name: frozenset(_key(row[name]) for row in rows if name in row) for name in columns(rows)}
    fitting: dict[tuple[str, ...], set[Any]] = {}

    def is_mixed(value: Any) -> bool:
        if type(value) is not dict:
            return False
        names = tuple([name for name in known if value.get(name) is not None])
        cells = tuple([_key(value[name]) for name in names])
        if not all(cell in known[name] for name, cell in zip(names, cells, strict=True)):
            return False
        if names not in fitting:
            fitting[names] = {tuple(_key(row.get(name)) for name in names) for row in rows}
        return cells not in fitting[names]

    return is_mixed


def _key(value: Any) -> Any:
    """Converts a value for a set: true differs from 1, and objects and arrays are all equal."""
    return None if type(value) in (dict, list) else (type(value) is bool, value)
