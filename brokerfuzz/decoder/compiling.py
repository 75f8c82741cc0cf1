"""From a flat schema to a decoder: bytes in, a valid message out.

An object is a record of fixed length, one byte a member; a member's table (see `tables`) says what the byte spells. The byte of
an array is its size, and its items are records of their own, as are nested objects. Conditions (`if`, `then`, `else`) are met
by construction: the members that a condition asks about are spelled first, and the rest by the tables of the branch that follows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import getitem
from typing import Any

from brokerfuzz.decoder import free, plausible, pools, strangers
from brokerfuzz.decoder.doubts import detectors_at, doubts, spelling_at
from brokerfuzz.decoder.settling import Settle, steps
from brokerfuzz.decoder.tables import ABSENT, Source, Spelling, Table, Values, table
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

Read = Callable[[Source], Any]

SIZES = (1, 0, 1, 2, 1, 1, 2, 1, 0, 3, 1, 2, 1, 1, 0, 2)
"""Array sizes as often as they are worth."""
RARE_SIZES = (4, 5, 8, 11, 12)
"""Sizes with one entry each; 11 and 12 because weak code looks at the first ten."""
RICH_SIZES = (2, 3, 1, 2, 4, 3, 2)
_STATES = 200
LONG = 200
"""Characters from which a text is rare."""


@dataclass(frozen=True)
class Style:
    """What to spell with: `plausible` values instead of edges, `pinned` sites that the source draws, `rich` sites that are seldom empty."""

    plausible: bool = False
    pinned: frozenset[str] = frozenset()
    rich: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Place:
    contract: Contract
    message_type: MessageType
    style: Style
    path: str = ""
    optional: bool = False

    def at(self, path: str, *, optional: bool = False) -> "_Place":
        return replace(self, path=path, optional=optional)

    def asked(self, detector: str) -> bool:
        return detector in detectors_at(self.contract, self.message_type, self.path)


def compile_decoder(contract: Contract, message_type: MessageType, *, narrowed: Schema | None = None, style: Style | None = None) -> Read:
    """A function from a source of bytes to a valid message. `narrowed` is a flat schema to conjoin with the contract's own.

    Raises `ContractError` where no message can be valid.
    """
    schema = contract.flat[message_type]
    place = _Place(contract, message_type, style or Style())
    return _reader(flat.conjoin(schema, narrowed) if narrowed else schema, place)


def _reader(schema: Schema, place: _Place) -> Read:
    """Reads the value of a place that is there and is not null, whatever its type."""
    types = flat.types_of(schema)
    if flat.strangers(schema):
        return _from_pool(strangers.pool(schema, place.path))
    if types == {"object"}:
        return _object(schema, place)
    entries = _table(schema, place)

    def read(source: Source) -> Any:
        value = entries[source.take(1)[0]]
        return value.read(source) if value.__class__ is Spelling else value

    return read


def _from_pool(values: list[Any]) -> Read:
    def read(source: Source) -> Any:
        return deepcopy(values[source.take(1)[0] % len(values)])

    return read


# ------------------------------------------------------------------------------------------------------- members


def _table(schema: Schema, place: _Place) -> Table:
    """The table of a member or item, whose schema and place are these."""
    if place.path in place.style.pinned:
        return [Spelling(lambda source: source.draw(place.path))] * 256
    values = _values(schema, place)
    nullable = "null" in flat.types_of(schema) and ("enum" not in schema or None in schema["enum"])
    if not values.ordinary and not place.optional and not nullable:
        raise ContractError(f"{place.path or 'the root'} can have no value at all: its schema contradicts itself")
    return table(values, optional=place.optional, nullable=nullable, rich=place.path in place.style.rich)


def _values(schema: Schema, place: _Place) -> Values:
    """What a place is spelled with, null and absence apart."""
    if "enum" in schema:
        return Values([value for value in schema["enum"] if value is not None])
    if flat.strangers(schema):
        return Values([_fresh(value) for value in strangers.pool(schema, place.path) if value is not None])
    types = flat.types_of(schema)
    if place.style.plausible and not place.asked("timestamp") and (fitting := plausible.values(place.path, schema)):
        return Values(fitting)
    if types >= set(flat.JSON_TYPES):
        return Values(pools.of_any_type())
    parts = [_OF_TYPE[name](schema, place) for name in _OF_TYPE if name in types and not (name == "integer" and "number" in types)]
    spelled = [part.free for part in parts if part.free]
    return Values(sum((list(p.ordinary) for p in parts), []), sum((list(p.rare) for p in parts), []), spelled[0] if spelled else None)


def _fresh(value: Any) -> Any:
    return Spelling(lambda _: deepcopy(value)) if isinstance(value, dict | list) else value


def _strings(schema: Schema, place: _Place) -> Values:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength")
    if detector := spelling_at(place.contract, place.message_type, place.path):
        fitting = [text for text in pools.FOR_DETECTOR[detector] if shortest <= len(text) <= (longest or pools.LONGEST)]
        return Values(fitting, (), free.instant() if detector in ("past", "timestamp") else None)
    texts = pools.texts(shortest, longest)
    return Values([t for t in texts if len(t) < LONG], [t for t in texts if len(t) >= LONG], free.text(shortest, longest))


def _integers(schema: Schema, place: _Place) -> Values:
    low, high = (int(bound) for bound in _bounds(schema, -(1 << 31), (1 << 31) - 1))
    step = int(schema.get("multipleOf", 1))
    values = pools.integers(low, high, step)
    if not values:
        raise ContractError(f"no integer fits {place.path}: at least {low}, at most {high}, a multiple of {step}")
    return Values(values, (), free.integer(low, high, values[0], step))


def _numbers(schema: Schema, place: _Place) -> Values:
    low, high = _bounds(schema)
    decimal = place.asked("decimal_range")
    if "multipleOf" in schema:
        step = schema["multipleOf"]
        near = [step * i for i in (0, 1, 2, -1, 10, 100, round(max(low, -1e9) / step), round(min(high, 1e9) / step))]
        return Values([value for value in near if low <= value <= high])
    return Values(pools.numbers(low, high, decimal=decimal), (), free.number(low, high, decimal=decimal))


def _booleans(schema: Schema, place: _Place) -> Values:
    return Values([False, True])


def _objects(schema: Schema, place: _Place) -> Values:
    read = _object(schema, place)
    return Values([_one_of([_left_out, read, read, read])]) if place.optional else Values([Spelling(read)])


def _arrays(schema: Schema, place: _Place) -> Values:
    """Arrays of usual sizes, and of each rare size once in `_STATES`; an optional one may yet be left out.

    What an array holds comes from `Source.choose`, not from its byte in the record, so that Hypothesis can lower it and drop the records
    of lost items in one step.
    """
    low = schema.get("minItems", 0)
    high = schema.get("maxItems", max(12, low + 3))
    usual = [size for size in (RICH_SIZES if place.path in place.style.rich else SIZES) if low <= size <= high] or [low]
    rare = [] if place.style.plausible else [size for size in (*RARE_SIZES, low, low + 1, high) if low <= size <= high and size not in usual]
    sizes = [*sorted({*usual, *rare}), *(usual[i % len(usual)] for i in range(_STATES))]
    read_items = _items(schema, place)
    return Values([_one_of([*([_left_out] if place.optional else []), *(partial(read_items, size) for size in sizes)])])


def _one_of(reads: Sequence[Read]) -> Spelling:
    count = len(reads)
    return Spelling(lambda source: reads[source.choose(count)](source))


def _left_out(source: Source) -> Any:
    return ABSENT


def _bounds(schema: Schema, low: float = -1.7976931348623157e308, high: float = 1.7976931348623157e308) -> tuple[float, float]:
    """The closed bounds; an open one is moved inwards by one (integers) or by a billionth of itself."""
    whole = "number" not in flat.types_of(schema)
    low, high = max(low, schema.get("minimum", low)), min(high, schema.get("maximum", high))
    if "exclusiveMinimum" in schema:
        least = schema["exclusiveMinimum"]
        low = max(low, int(least // 1) + 1 if whole else least + max(1e-9, abs(least) * 1e-9))
    if "exclusiveMaximum" in schema:
        most = schema["exclusiveMaximum"]
        high = min(high, -int(-most // 1) - 1 if whole else most - max(1e-9, abs(most) * 1e-9))
    return low, high


_OF_TYPE: Mapping[str, Callable[[Schema, _Place], Values]] = {
    "string": _strings,
    "integer": _integers,
    "number": _numbers,
    "boolean": _booleans,
    "object": _objects,
    "array": _arrays,
}


# ---------------------------------------------------------------------------------------------------- containers


def _items(schema: Schema, place: _Place) -> Callable[[int, Source], list[Any]]:
    item, below = schema.get("items", {}), place.at(place.path + "[]")
    settle = _settled(schema, place)
    if flat.types_of(item) == {"object"} and not flat.strangers(item) and below.path not in place.style.pinned:
        return _records(_object(item, below), settle)
    entries = _table(item, below)

    def read(size: int, source: Source) -> list[Any]:
        if not size:
            return []
        items = [entries[byte] for byte in source.take(size)]
        items = [item.read(source) if item.__class__ is Spelling else item for item in items]
        if size > 1:
            for step in settle:
                step(items)
        return items

    return read


def _records(read_item: Read, settle: list[Settle]) -> Callable[[int, Source], list[Any]]:
    def read(size: int, source: Source) -> list[Any]:
        items = [read_item(source) for _ in range(size)]
        if size > 1:
            for step in settle:
                step(items)
        return items

    return read


def _settled(schema: Schema, place: _Place) -> list[Settle]:
    return steps(doubts(place.contract, place.message_type).get(place.path, ()), place.path, schema, place.style.pinned)


def _object(schema: Schema, place: _Place) -> Read:
    conditions = flat.conditions_of(schema)
    names = list(schema.get("properties", {}))
    settle = _settled(schema, place)
    if conditions:
        return _conditional(schema, conditions, place, settle)
    tables = _tables(schema, names, place)

    def read(source: Source) -> dict[str, Any]:
        return _spell(source, source.take(len(names)), names, tables, settle)

    return read


def _tables(schema: Schema, names: Iterable[str], place: _Place) -> list[Table]:
    required = schema.get("required", ())
    members = schema.get("properties", {})
    return [_table(members[name], place.at(join(place.path, name), optional=name not in required)) for name in names]


def _spell(source: Source, record: bytes, names: list[str], tables: Iterable[Table], settle: list[Settle]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in zip(names, map(getitem, tables, record), strict=False):
        if value.__class__ is Spelling:
            value = value.read(source)
        if value is not ABSENT:
            out[name] = value
    for step in settle:
        step(out)
    return out


# ---------------------------------------------------------------------------------------------------- conditions


def _conditional(schema: Schema, conditions: list[Schema], place: _Place, settle: list[Settle]) -> Read:
    """An object whose members depend on each other: the deciding ones are spelled first, then the branch is known."""
    base = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
    names = list(base.get("properties", {}))
    deciding = [name for name in names if any(name in condition["if"].get("properties", {}) for condition in conditions)]
    first_tables = _tables(base, names, place)
    indices = [names.index(name) for name in deciding]
    pure = not any(isinstance(entry, Spelling) for index in indices for entry in first_tables[index])
    branches: dict[tuple[bool, ...], list[Table]] = {}
    by_bytes: dict[bytes, list[Table]] = {}

    def tables_for(decided: Mapping[str, Any]) -> list[Table]:
        """The tables of the branch that follows, those of the deciding members holding what is decided."""
        outcomes = tuple(matches(condition["if"], decided) for condition in conditions)
        if outcomes not in branches:
            demands = [condition.get("then" if holds else "else", {}) for condition, holds in zip(conditions, outcomes, strict=True)]
            branches[outcomes] = _tables(reduce(flat.conjoin, demands, base), names, place)
        tables = list(branches[outcomes])
        for name, index in zip(deciding, indices, strict=True):
            tables[index] = (decided.get(name, ABSENT),) * 256
        return tables

    def read(source: Source) -> dict[str, Any]:
        record = source.take(len(names))
        key = bytes([record[index] for index in indices])
        tables = by_bytes.get(key)
        if tables is None:
            decided = {name: first_tables[index][record[index]] for name, index in zip(deciding, indices, strict=True)}
            decided = {n: v.read(source) if v.__class__ is Spelling else v for n, v in decided.items() if v is not ABSENT}
            tables = tables_for(decided)
            if pure:
                by_bytes[key] = tables
        return _spell(source, record, names, tables, settle)

    return read


def matches(when: Schema, value: Any) -> bool:
    """Whether a value meets the flat schema of a condition, as JSON Schema has it: what is absent is not asked about."""
    if "enum" in when and not any(value == member and isinstance(value, bool) == isinstance(member, bool) for member in when["enum"]):
        return False
    if "type" in when and not any(_is(value, name) for name in flat.types_of(when)):
        return False
    if isinstance(value, dict):
        members = when.get("properties", {})
        present = all(name in value for name in when.get("required", ()))
        return present and all(matches(members[name], value[name]) for name in members if name in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(when.get("minimum", value) <= value <= when.get("maximum", value))
    if isinstance(value, str):
        return bool(when.get("minLength", 0) <= len(value) <= when.get("maxLength", len(value)))
    if isinstance(value, list):
        return bool(when.get("minItems", 0) <= len(value) <= when.get("maxItems", len(value)))
    return True


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool) or value is None:
        return name == {True: "boolean", False: "boolean", None: "null"}[value]
    if isinstance(value, float):
        return name == "number" or (name == "integer" and value.is_integer())
    if isinstance(value, int):
        return name in ("integer", "number")
    return name == {str: "string", dict: "object", list: "array"}[type(value)]
