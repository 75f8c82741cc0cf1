"""The possible values of strings, numbers and booleans: a list of values, with the plainest first, and arbitrary values that are
decoded from bytes.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from brokerfuzz.decoder import business_values, unrestricted_values, unsupported_keywords, value_pools
from brokerfuzz.decoder.ambiguity_sites import detectors_at, spelling_at
from brokerfuzz.decoder.byte_tables import Spelling, Values, together
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema

LONG = 200
"""Strings of at least this length (in characters) are rare."""
_LARGEST = 1.7976931348623157e308


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of a value."""

    contract: Contract
    message_type: MessageType
    path: str
    plausible: bool

    def is_concerned_by(self, detector: str) -> bool:
        """Returns whether an ambiguity with this detector concerns the place."""
        return detector in detectors_at(self.contract, self.message_type, self.path)


def may_be_null(schema: Schema, spot: ValuePlace) -> bool:
    """Returns whether null is allowed at the place."""
    if "enum" in schema:
        return None in schema["enum"]
    if flat.unsupported_keywords_of(schema):
        return None in unsupported_keywords.pool(schema, spot.path)
    return "null" in flat.types_of(schema)


def ready_made(schema: Schema, spot: ValuePlace) -> Values | None:
    """Returns the values of a place, except null, if they can be listed: enumerations, realistic values, and values for keywords
    that the decoder does not support. Otherwise returns None.
    """
    if "enum" in schema:
        return Values([_fresh(value) for value in schema["enum"] if value is not None])
    if flat.unsupported_keywords_of(schema):
        return Values([_fresh(value) for value in unsupported_keywords.pool(schema, spot.path) if value is not None])
    if spot.plausible and not spot.is_concerned_by("timestamp") and (fitting := business_values.values(spot.path, schema)):
        return Values(fitting)
    if flat.types_of(schema) >= set(flat.JSON_TYPES):
        return Values(value_pools.of_any_type())
    return None


def _fresh(value: Any) -> Any:
    return Spelling(lambda source, record, start: deepcopy(value)) if isinstance(value, dict | list) else value


def scalar_values(schema: Schema, spot: ValuePlace) -> Values:
    """Returns the values of the scalar types that a place allows."""
    types = flat.types_of(schema)
    parts = [_OF_TYPE[name](schema, spot) for name in _OF_TYPE if name in types and not (name == "integer" and "number" in types)]
    return together(parts)


def _strings(schema: Schema, spot: ValuePlace) -> Values:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength")
    if detector := spelling_at(spot.contract, spot.message_type, spot.path):
        fitting = [text for text in value_pools.FOR_DETECTOR[detector] if shortest <= len(text) <= (longest or value_pools.LONGEST)]
        return Values(fitting, (), unrestricted_values.instant() if detector in ("past", "timestamp") else None)
    texts = value_pools.texts(shortest, longest)
    return Values([t for t in texts if len(t) < LONG], [t for t in texts if len(t) >= LONG], unrestricted_values.text(shortest, longest))


def _integers(schema: Schema, spot: ValuePlace) -> Values:
    low, high = (int(bound) for bound in _bounds(schema, -(1 << 31), (1 << 31) - 1))
    step = int(schema.get("multipleOf", 1))
    values = value_pools.integers(low, high, step)
    if not values:
        raise ContractError(
            f"no integer is allowed at {spot.path}, which must be at least {low}, at most {high} and a multiple of {step}: correct its schema"
        )
    return Values(values, (), unrestricted_values.integer(low, high, values[0], step))


def _numbers(schema: Schema, spot: ValuePlace) -> Values:
    low, high = _bounds(schema)
    decimal = spot.is_concerned_by("decimal_range")
    if "multipleOf" in schema:
        step = schema["multipleOf"]
        near = [step * i for i in (0, 1, 2, -1, 10, 100, round(max(low, -1e9) / step), round(min(high, 1e9) / step))]
        return Values([value for value in near if low <= value <= high])
    return Values(value_pools.numbers(low, high, decimal=decimal), (), unrestricted_values.number(low, high, decimal=decimal))


def _booleans(schema: Schema, spot: ValuePlace) -> Values:
    return Values([False, True])


def _bounds(schema: Schema, low: float = -_LARGEST, high: float = _LARGEST) -> tuple[float, float]:
    """Returns inclusive bounds. If a bound is exclusive, returns a slightly narrower inclusive bound: narrower by 1 for integers,
    by a billionth of the bound for numbers.
    """
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
