"""Defines reference data: the values that a target knows, such as the IDs of its products.

Reference data narrows a contract: generated messages then contain only known values. The oracle still judges by the
original rules, but the target may accept or reject a message with an unknown value. This question is the ambiguity
`known-values`.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from jsonschema_rs import validator_for

from brokerfuzz.schemas.edge import LONGEST
from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions.question import NUMBERS, Probes, Question
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.verdicts import describe
from brokerfuzz.shapes import problem_in

KNOWN_VALUES = "known-values"
"""The ID of the ambiguity that every unknown value touches."""
MOST_USED = 100
"""For each site, generated messages contain only the first `MOST_USED` known values. The oracle uses all known
values.
"""

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


class UnknownValue(Question):
    """A value that the target does not know. An entry lists the known values behind the path. Only reference data
    creates entries of this kind, so it has no name.
    """

    python_types = (str, *NUMBERS, bool)
    can_be_drawn = False

    def touches(self, value: Any) -> bool:
        return type(value) in self._types and value not in self._known_values

    @cached_property
    def _known_values(self) -> Collection[Any]:
        return frozenset(self.names)

    @cached_property
    def _types(self) -> Collection[type]:
        """The types of the known values. There is only one type of numbers."""
        types = {type(value) for value in self.names}
        return types | {int, float} if types & {int, float} else types

    def found(self, value: Any) -> str:
        return describe(value)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        """Yields extreme values, and values similar to a known one."""
        known_values = self.schema.get(KNOWN) or self.schema.get("enum", ())
        for name, unknown in {**self._extreme(), **_similar(known_values[0] if known_values else None)}.items():
            if unknown not in known_values:
                yield name, unknown

    def _extreme(self) -> Mapping[str, Any]:
        types = types_of(self.schema)
        if "string" in types:
            return _TEXTS
        return _NUMBERS if "number" in types else _INTEGERS if "integer" in types else {}


_TEXTS: Mapping[str, str] = {
    "word": "unknown", "empty": "", "blank": " ", "digits": "0", "null-string": "null", "longest": "a" * LONGEST,
    "letters-beyond-ascii": "\u00e9\u6f22", "control-characters": "\t\n", "quote": "'",
}  # fmt: skip
_INTEGERS: Mapping[str, int] = {"zero": 0, "one": 1, "negative": -1, "highest": (1 << 31) - 1}
_NUMBERS: Mapping[str, float] = {**_INTEGERS, "fraction": 0.5}


def _similar(known_value: Any) -> Mapping[str, Any]:
    if isinstance(known_value, str):
        changed = {
            "other-case": known_value.swapcase(),
            "padded": f" {known_value} ",
            "with-suffix": f"{known_value}-0",
        }
        return {**changed, "without-end": known_value[:-1]} if len(known_value) > 1 else changed
    is_number = isinstance(known_value, int | float) and not isinstance(known_value, bool)
    return {"one-more": known_value + 1} if is_number else {}
