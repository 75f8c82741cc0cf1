"""Provides the possible values of strings, numbers and booleans: a list of values, simplest first, and arbitrary values that are
computed from bytes.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from brokerfuzz.decoder import business_values, unrestricted_values, unsupported_keywords, value_pools
from brokerfuzz.decoder.ambiguity_sites import detectors_at, notation_detector_at
from brokerfuzz.decoder.byte_tables import Nested, Values, together
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema

LONG = 200
"""Strings with at least this number of characters occur rarely."""
_LARGEST = 1.7976931348623157e308


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The position of a value in a message type, and whether the value should be realistic."""

    contract: Contract
    message_type: MessageType
    path: str
    plausible: bool

    def is_concerned_by(self, detector: str) -> bool:
        """Returns whether the contract leaves a question about this value open, and whether `detector` detects this question."""
        return detector in detectors_at(self.contract, self.message_type, self.path)


def may_be_null(schema: Schema, place: ValuePlace) -> bool:
    if "enum" in schema:
        return None in schema["enum"]
    if flat.unsupported_keywords_of(schema):
        return None in unsupported_keywords.pool(schema, place.path)
    return "null" in flat.types_of(schema)


def ready_made(schema: Schema, place: ValuePlace) -> Values | None:
    """Returns the values if there is a complete list of them, as for an enumeration. Returns None if the values must be generated."""
    if "enum" in schema:
        return Values([_fresh(value) for value in schema["enum"] if value is not None])
    if flat.unsupported_keywords_of(schema):
        return Values([_fresh(value) for value in unsupported_keywords.pool(schema, place.path) if value is not None])
    if place.plausible and not place.is_concerned_by("timestamp") and (fitting := business_values.values(place.path, schema)):
        return Values(fitting)
    if flat.types_of(schema) >= set(flat.JSON_TYPES):
        return Values(value_pools.of_any_type())
    return None


def _fresh(value: Any) -> Any:
    return Nested(lambda source, record, start: deepcopy(value)) if isinstance(value, dict | list) else value


def scalar_values(schema: Schema, place: ValuePlace) -> Values:
    """Returns the possible strings, numbers and booleans."""
    types = flat.types_of(schema)
    parts = [_OF_TYPE[name](schema, place) for name in _OF_TYPE if name in types and not (name == "integer" and "number" in types)]
    return together(parts)


def _strings(schema: Schema, place: ValuePlace) -> Values:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength")
    if detector := notation_detector_at(place.contract, place.message_type, place.path):
        fitting = [text for text in value_pools.FOR_DETECTOR[detector] if shortest <= len(text) <= (longest or value_pools.LONGEST)]
        return Values(fitting, (), unrestricted_values.instant() if detector in ("past", "timestamp") else None)
    texts = value_pools.texts(shortest, longest)
    return Values([t for t in texts if len(t) < LONG], [t for t in texts if len(t) >= LONG], unrestricted_values.text(shortest, longest))


def _integers(schema: Schema, place: ValuePlace) -> Values:
    low, high = (int(bound) for bound in _bounds(schema, -(1 << 31), (1 << 31) - 1))
    step = int(schema.get("multipleOf", 1))
    values = value_pools.integers(low, high, step)
    if not values:
        raise ContractError(
            f"no integer is allowed at {place.path}, which must be at least {low}, at most {high} and a multiple of {step}: correct its schema"
        )
    return Values(values, (), unrestricted_values.integer(low, high, values[0], step))


def _numbers(schema: Schema, place: ValuePlace) -> Values:
    low, high = _bounds(schema)
    decimal = place.is_concerned_by("decimal_range")
    if "multipleOf" in schema:
        step = schema["multipleOf"]
        near = [step * i for i in (0, 1, 2, -1, 10, 100, round(max(low, -1e9) / step), round(min(high, 1e9) / step))]
        return Values([value for value in near if low <= value <= high])
    return Values(value_pools.numbers(low, high, decimal=decimal), (), unrestricted_values.number(low, high, decimal=decimal))


def _booleans(schema: Schema, place: ValuePlace) -> Values:
    return Values([False, True])


def _bounds(schema: Schema, low: float = -_LARGEST, high: float = _LARGEST) -> tuple[float, float]:
    """Returns the lowest and the highest number that the schema allows. An exclusive bound is replaced with the nearest inclusive one."""
    whole = "number" not in flat.types_of(schema)
    low, high = max(low, schema.get("minimum", low)), min(high, schema.get("maximum", high))
    if "exclusiveMinimum" in schema:
        least = schema["exclusiveMinimum"]
        low = max(low, int(least // 1) + 1 if whole else least + max(1e-9, abs(least) * 1e-9))
    if "exclusiveMaximum" in schema:
        most = schema["exclusiveMaximum"]
        high = min(high, -int(-most // 1) - 1 if whole else most - max(1e-9, abs(most) * 1e-9))
    return low, high


_OF_TYPE: Mapping[str, Callable[[Schema, ValuePlace], Values]] = {"string": _strings, "integer": _integers, "number": _numbers, "boolean": _booleans}
