"""Defines the possible values of strings, numbers and booleans. The main kinds of values are the plainest value, any value, and
the edges (unusual values).

"Any value" can have each length and size that the schema allows. Therefore Hypothesis can find the exact length or size at
which a bug occurs. Edges are values that programs often handle incorrectly.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil, floor
from typing import Any, NamedTuple

from brokerfuzz.decoder import ambiguous_values, business_values, unsupported_keywords, value_pools
from brokerfuzz.decoder.ambiguity_sites import concerning, detectors_at, notation_detector_at
from brokerfuzz.decoder.byte_tables import ABSENT, Kind, Nested, Scalar, one_of
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.instants import instant, spell

_LONG = 200
"""Strings of at least this length (in characters) are rare."""
_LARGEST = 1.7976931348623157e308
_EXACT = 1 << 53
"""Up to this integer, a double can represent every integer exactly."""
_AMOUNT = 1e6
"""The largest random amount with two decimal places."""
PLAIN_WEIGHT, ANY_WEIGHT, EDGE_WEIGHT, RARE_WEIGHT, AMBIGUOUS_WEIGHT = 4, 3.6, 6.5, 0.3, 0.5
"""How often each kind of value occurs, relative to the other kinds: the plainest value, any value, edges, long strings, and
values that touch an ambiguity. In arrays, if Hypothesis halves the byte of an edge, the new byte usually means "any value". In
this way, Hypothesis simplifies the edge.
"""


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of a value. `ambiguities` contains the IDs of the ambiguities that values at this place may touch."""

    contract: Contract
    message_type: MessageType
    path: str
    plausible: bool = False
    ambiguities: frozenset[str] = frozenset()

    def is_concerned_by(self, detector: str) -> bool:
        return detector in detectors_at(self.contract, self.message_type, self.path)


class Pool(NamedTuple):
    """Fixed values to try at a place, the plainest first. `rare` contains long strings, which should occur rarely."""

    usual: Sequence[Any]
    rare: Sequence[Any] = ()


def may_be_null(schema: Schema, place: ValuePlace) -> bool:
    if "enum" in schema:
        return None in schema["enum"] and matches(schema, None)
    if flat.unsupported_keywords_of(schema):
        return None in unsupported_keywords.pool(schema, place.path)
    return "null" in flat.types_of(schema)


def ready_made(schema: Schema, place: ValuePlace) -> list[Kind] | None:
    """Returns the kinds of values for a place whose values come from a fixed list, such as an enumeration or reference data.
    The result does not contain null. Returns None if the values do not come from such a list.
    """
    if "enum" in schema:
        return [Kind(_fresh(value), 1) for value in schema["enum"] if value is not None and matches(schema, value)]
    if flat.KNOWN in schema:
        return [Kind(schema[flat.KNOWN][0], 1), Kind(one_of(schema[flat.KNOWN]), 8)]
    if flat.unsupported_keywords_of(schema):
        return [Kind(_fresh(value), 1) for value in unsupported_keywords.pool(schema, place.path) if value is not None]
    if place.plausible and not place.is_concerned_by("timestamp") and (fitting := business_values.values(place.path, schema)):
        return [Kind(fitting[0], 1), Kind(one_of(fitting), 8)]
    if flat.types_of(schema) >= set(flat.JSON_TYPES):
        return [Kind(value, 1) for value in value_pools.of_any_type()]
    return None


def _fresh(value: Any) -> Any:
    return Nested(lambda source, record, start: deepcopy(value)) if isinstance(value, dict | list) else value


def scalar_pool(schema: Schema, place: ValuePlace) -> Pool:
    """Returns the strings, numbers and booleans to try at a place. The schema allows all these values."""
    if flat.KNOWN in schema:
        return Pool(schema[flat.KNOWN])
    pools = [_OF_TYPE[name][0](schema, place) for name in _scalar_types(schema)]
    return Pool([value for pool in pools for value in pool.usual], [value for pool in pools for value in pool.rare])


def scalar_kinds(schema: Schema, place: ValuePlace, *, optional: bool) -> list[Kind]:
    """Returns the kinds of strings, numbers and booleans that a place allows, the simplest kind first.

    For the kind "any value", the source (usually Hypothesis) chooses a number or a string. If it chooses zero or an empty string,
    an optional property is omitted, and a required property gets its plainest value. So Hypothesis can omit a property without
    changing other properties.
    """
    types = _scalar_types(schema)
    kinds = []
    for name in types:
        pool_of, kinds_of = _OF_TYPE[name]
        pool = pool_of(schema, place)
        kinds += kinds_of(schema, place, pool, ABSENT if optional else pool.usual[0])
    odd = ambiguous_values.fitting(schema, types, place.ambiguities, concerning(place.contract, place.message_type, place.path))
    return [*kinds, Kind(one_of(odd), AMBIGUOUS_WEIGHT)] if odd else kinds


def _scalar_types(schema: Schema) -> list[str]:
    types = flat.types_of(schema)
    return [name for name in _OF_TYPE if name in types and not (name == "integer" and "number" in types)]


def _constants(values: Sequence[Any]) -> list[Kind]:
    """Returns the first of `values` as one kind, and the other values (if any) as another kind."""
    return [Kind(values[0], PLAIN_WEIGHT), *([Kind(one_of(values[1:]), EDGE_WEIGHT)] if values[1:] else [])]


# -------------------------------------------------------------------------------------------------------- strings


def _string_pool(schema: Schema, place: ValuePlace) -> Pool:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength")
    if detector := notation_detector_at(place.contract, place.message_type, place.path):
        return _notations(detector, shortest, longest, place)
    texts = value_pools.texts(shortest, longest)
    long = max(_LONG, shortest + 1)
    return Pool([text for text in texts if len(text) < long], [text for text in texts if len(text) >= long])


def _notations(detector: str, shortest: int, longest: int | None, place: ValuePlace) -> Pool:
    usual = [text for text in value_pools.FOR_DETECTOR[detector] if shortest <= len(text) <= (longest or value_pools.LONGEST)]
    if not usual:
        raise ContractError(
            f"brokerfuzz cannot generate a value for {place.path} that has from {shortest} to {longest or value_pools.LONGEST} characters: "
            f"change minLength or maxLength of {place.path}"
        )
    return Pool(usual)


def _string_kinds(schema: Schema, place: ValuePlace, pool: Pool, simplest: Any) -> list[Kind]:
    detector = notation_detector_at(place.contract, place.message_type, place.path)
    if detector in ("past", "timestamp"):
        return _instant_kinds(pool, simplest, past=detector == "past")
    if detector:
        return _constants(pool.usual)
    shortest = schema.get("minLength", 0)
    longest = schema.get("maxLength", max(shortest, value_pools.LONGEST))
    edges = [*(text for text in pool.usual[1:] if text), *value_pools.packed(shortest, longest)]
    kinds = [
        Kind(pool.usual[0], PLAIN_WEIGHT),
        *([Kind("", EDGE_WEIGHT / 8)] if not shortest else []),
        Kind(Scalar(lambda source, _: source.string(shortest, longest) or simplest), ANY_WEIGHT),
        *([Kind(Scalar(lambda source, number: source.literal(edges[number % len(edges)]) or simplest), EDGE_WEIGHT)] if edges else []),
    ]
    if long := pool.rare:
        kinds.append(Kind(Scalar(lambda source, _: "a" * source.integer(shortest, longest) or simplest), RARE_WEIGHT))
        # Only the length is recorded, because recording long strings is slow.
        kinds.append(Kind(Scalar(lambda source, number: long[number % len(long)][0] * source.literal(len(long[number % len(long)]))), RARE_WEIGHT))
    return kinds


def _instant_kinds(pool: Pool, simplest: Any, *, past: bool) -> list[Kind]:
    origin = _moment(pool.usual[0])
    earliest = _seconds_after(origin, datetime(1753, 1, 1, tzinfo=UTC))
    latest = _seconds_after(origin, value_pools.EARLIEST_NOW - timedelta(hours=1) if past else datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC))
    edges = [_seconds_after(origin, _moment(text)) for text in pool.usual[1:]]

    def spelled(seconds: int) -> Any:
        return spell(origin + timedelta(seconds=seconds)) if seconds else simplest

    return [
        Kind(pool.usual[0], PLAIN_WEIGHT),
        Kind(Scalar(lambda source, _: spelled(source.integer(earliest, latest))), ANY_WEIGHT),
        Kind(Scalar(lambda source, number: spelled(source.literal(edges[number % len(edges)]))), EDGE_WEIGHT),
    ]


def _moment(text: str) -> datetime:
    when = instant(text)
    assert when is not None, text
    return when


def _seconds_after(origin: datetime, when: datetime) -> int:
    return int((when - origin).total_seconds())


# -------------------------------------------------------------------------------------------------------- numbers


def _integer_pool(schema: Schema, place: ValuePlace) -> Pool:
    low, high, step = _integer_bounds(schema)
    values = value_pools.integers(low, high, step)
    if not values:
        raise ContractError(
            f"no integer at {place.path} can be at least {low}, at most {high} and a multiple of {step}: correct the schema of {place.path}"
        )
    return Pool(values)


def _integer_kinds(schema: Schema, place: ValuePlace, pool: Pool, simplest: Any) -> list[Kind]:
    low, high, step = _integer_bounds(schema)
    return [Kind(pool.usual[0], PLAIN_WEIGHT), *_whole_kinds(low, high, pool.usual, simplest, step)]


def _whole_kinds(low: int, high: int, values: Sequence[int], simplest: Any, step: int = 1, share: float = 1) -> list[Kind]:
    """Returns two kinds of integers: any multiple of `step`, and the edges in `values`. Hypothesis shrinks both kinds towards `values[0]`."""
    plainest = values[0]
    least, most = -((plainest - low) // step), (high - plainest) // step
    edges = [(value - plainest) // step for value in values[1:]]

    def shown(steps: int) -> Any:
        return plainest + steps * step if steps else simplest

    kinds = [Kind(Scalar(lambda source, _: shown(source.integer(least, most, digits=True))), ANY_WEIGHT * share)]
    return kinds + ([Kind(Scalar(lambda source, number: shown(source.literal(edges[number % len(edges)]))), EDGE_WEIGHT * share)] if edges else [])


def _integer_bounds(schema: Schema) -> tuple[int, int, int]:
    low, high = _bounds(schema, -(1 << 31), (1 << 31) - 1)
    return int(low), int(high), int(schema.get("multipleOf", 1))


def _number_pool(schema: Schema, place: ValuePlace) -> Pool:
    low, high = _bounds(schema)
    if "multipleOf" in schema:
        step = schema["multipleOf"]
        near = [step * i for i in (0, 1, 2, -1, 10, 100, round(max(low, -1e9) / step), round(min(high, 1e9) / step))]
        return Pool([value for value in near if low <= value <= high])
    return Pool(value_pools.numbers(low, high, decimal=place.is_concerned_by("decimal_range")))


def _number_kinds(schema: Schema, place: ValuePlace, pool: Pool, simplest: Any) -> list[Kind]:
    if "multipleOf" in schema:
        return _constants(pool.usual)
    low, high = map(float, _bounds(schema))
    kinds = [Kind(pool.usual[0], PLAIN_WEIGHT)]
    whole = [value for value in pool.usual if isinstance(value, int)]
    least, most = ceil(max(low, -_EXACT)), floor(min(high, _EXACT))
    if whole and least <= most:
        kinds += _whole_kinds(least, most, whole, simplest, share=0.4)
    smallest, largest = max(low, -_AMOUNT), min(high, _AMOUNT)
    if (low <= -_AMOUNT or high >= _AMOUNT) and smallest <= largest:
        kinds.append(Kind(Scalar(lambda source, _: shown(round(source.number(smallest, largest), 2))), ANY_WEIGHT * 0.3))
    decimal = place.is_concerned_by("decimal_range")

    def shown(value: float) -> Any:
        return simplest if not value or (decimal and value_pools.beyond_decimal(value)) else _shortest(value)

    kinds.append(Kind(Scalar(lambda source, _: shown(source.number(low, high))), ANY_WEIGHT * 0.3))
    edges = [value for value in pool.usual[1:] if isinstance(value, float)]
    return [*kinds, Kind(Scalar(lambda source, number: source.literal(edges[number % len(edges)])), EDGE_WEIGHT * 0.6)] if edges else kinds


def _shortest(value: float) -> int | float:
    """Returns 11 for 11.0, because people write integers without a decimal point."""
    return int(value) if value.is_integer() and abs(value) <= _EXACT else value


def _boolean_pool(schema: Schema, place: ValuePlace) -> Pool:
    return Pool([False, True])


def _boolean_kinds(schema: Schema, place: ValuePlace, pool: Pool, simplest: Any) -> list[Kind]:
    return [Kind(value, 1) for value in pool.usual]


def _bounds(schema: Schema, low: float = -_LARGEST, high: float = _LARGEST) -> tuple[float, float]:
    """Returns the inclusive minimum and maximum. For integers, an exclusive bound is replaced by the next allowed integer. For
    other numbers, an exclusive bound is replaced by an allowed number close to it.
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


_OF_TYPE: Mapping[str, tuple[Callable[[Schema, ValuePlace], Pool], Callable[[Schema, ValuePlace, Pool, Any], list[Kind]]]] = {
    "string": (_string_pool, _string_kinds),
    "integer": (_integer_pool, _integer_kinds),
    "number": (_number_pool, _number_kinds),
    "boolean": (_boolean_pool, _boolean_kinds),
}
