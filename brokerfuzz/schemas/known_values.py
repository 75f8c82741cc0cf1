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

from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.sites import Site
from brokerfuzz.shapes import problem_in

KNOWN_VALUES = "known-values"
"""The ID of the ambiguity that every unknown value touches."""
DETECTOR = "known_values"
MOST_USED = 100
"""For each site, generated messages contain only the first `MOST_USED` known values. The oracle uses all known
values.
"""

Detector = Callable[[Any], bool]
"""A function that detects unknown values."""


_CELLS = {"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}}
_SITES = validator_for({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": _CELLS}})
"""The shape of the text of `KnownValues`."""


@dataclass(frozen=True)
class KnownValues:
    """The values that a target knows. `text` contains them as JSON, because the plan of an export or a campaign stores
    them as text. Use `KnownValues.of` to create this object.
    """

    text: str

    @classmethod
    def of(cls, sites: Mapping[str, Mapping[str, Sequence[Any]]]) -> "KnownValues":
        """`sites` maps message types and sites to values."""
        return cls(json.dumps(sites, ensure_ascii=False, separators=(",", ":")))

    @property
    def is_well_formed(self) -> bool:
        """False if the text, which may come from another person's journal, has another format."""
        try:
            return problem_in(self._sites, _SITES) is None
        except (ValueError, RecursionError):
            return False

    @cached_property
    def _sites(self) -> Any:
        return json.loads(self.text)

    def sites(self, message_type: str) -> Mapping[str, Sequence[Any]]:
        """Maps the sites of a message type to all their known values."""
        values: Mapping[str, Sequence[Any]] = self._sites.get(message_type, {})
        return values

    def used(self, message_type: str) -> Mapping[str, Sequence[Any]]:
        """Maps sites to the values that generated messages contain."""
        return {path: values[:MOST_USED] for path, values in self.sites(message_type).items()}

    def narrowed(self, message_type: str, schema: Schema) -> Schema:
        """Returns the flat schema of a message type, restricted to the values that generated messages may contain."""
        return _narrowed(Site("", schema), self.used(message_type))

    def detectors(self, message_type: str) -> Mapping[str, Detector]:
        """Maps each site with known values to a function that detects unknown values."""
        return {path: _outside(values) for path, values in self.sites(message_type).items()}


def _narrowed(site: Site, values: Mapping[str, Sequence[Any]]) -> Schema:
    schema = dict(site.schema)
    known_values = values.get(site.path)
    if known_values is not None and "enum" in schema:
        schema["enum"] = [value for value in schema["enum"] if value is None or value in known_values]
    elif known_values is not None:
        schema[KNOWN] = known_values
    if site.properties:
        schema["properties"] = {name: _narrowed(prop, values) for name, prop in site.properties.items()}
    if site.items is not None:
        schema["items"] = _narrowed(site.items, values)
    return schema


def _outside(values: Sequence[Any]) -> Detector:
    """Returns a function that detects values of these types that are not in the list."""
    known_values = frozenset(values)
    types = {float if type(value) is int else type(value) for value in values}
    types |= {int} if float in types else set()
    return lambda value: type(value) in types and value not in known_values
