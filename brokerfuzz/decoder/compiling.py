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
from brokerfuzz.decoder.tables import ABSENT, FREE_BYTES, Free, Source, Spelling, Table, Values, states, table
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
_STATES = 100
"""How many of the choices for an array or object are of its sizes (see `tables.states`)."""
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
        return _spell(source, source.take(1 + FREE_BYTES), [""], [entries], [])[""]

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
    nullable = _may_be_null(schema, place)
    values = _values(schema, place)
    if not values.ordinary and not place.optional and not nullable:
        raise ContractError(f"{place.path or 'the root'} can have no value at all: its schema contradicts itself")
    return table(values, optional=place.optional, nullable=nullable, rich=place.path in place.style.rich)


def _container(schema: Schema, place: _Place) -> Spelling:
    """An array or object that its byte says is there: a choice of its own says how large it is, or that it is not there after all.

    Hypothesis knows how to lower a choice and to drop what belonged to it in one step; it does not know that of a byte of a record.
    """
    sizes = [(_STATES, Spelling(_object(schema, place)))] if "object" in flat.types_of(schema) else _sizes(schema, place)
    entries = states(sizes, optional=place.optional)
    if len(set(entries)) == 1:
        return sizes[0][1]
    count = len(entries)

    def read(source: Source) -> Any:
        entry = entries[source.choose(count)]
        return entry.read(source) if entry.__class__ is Spelling else entry

    return Spelling(read)


def _may_be_null(schema: Schema, place: _Place) -> bool:
    if "enum" in schema:
        return None in schema["enum"]
    if flat.strangers(schema):
        return None in strangers.pool(schema, place.path)
    return "null" in flat.types_of(schema)


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
    if types - {"null"} in ({"object"}, {"array"}):
        return Values([_container(schema, place)])
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
    return Values([Spelling(_object(schema, place))])


def _arrays(schema: Schema, place: _Place) -> Values:
    return Values([spelling for _, spelling in _sizes(schema, place)])


def _sizes(schema: Schema, place: _Place) -> list[tuple[int, Spelling]]:
    """The sizes of an array, smallest first: how often of `_STATES`, and how to read so many items."""
    low = schema.get("minItems", 0)
    high = schema.get("maxItems", max(12, low + 3))
    if low > high:
        raise ContractError(f"{place.path} cannot hold at least {low} and at most {high} items")
    usual = [size for size in (RICH_SIZES if place.path in place.style.rich else SIZES) if low <= size <= high] or [low]
    rare = [] if place.style.plausible else [size for size in (*RARE_SIZES, low, low + 1, high) if low <= size <= high]
    often = {size: max(1, _STATES * usual.count(size) // len(usual)) for size in {*usual, *rare}}
    read_items = _items(schema, place)
    return [(often[size], Spelling(partial(read_items, size))) for size in sorted(often)]


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
    least = schema.get("minItems", 0)
    distinct = list(dict.fromkeys(value for value in entries if isinstance(value, str | int | float)))

    def read(size: int, source: Source) -> list[Any]:
        if not size:
            return []
        record = source.take(size + FREE_BYTES)
        items = [entries[byte] for byte in record[:size]]
        for index, item in enumerate(items):
            if item.__class__ is Spelling:
                items[index] = item.read(source)
            elif item.__class__ is Free:
                items[index] = item.read(record, index)
        if size > 1:
            for step in settle:
                step(items)
            if len(items) < least:
                items += [value for value in distinct if value not in items][: least - len(items)]
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
    width = len(names) + (FREE_BYTES if _any_free(tables) else 0)

    def read(source: Source) -> dict[str, Any]:
        return _spell(source, source.take(width), names, tables, settle)

    return read


def _any_free(tables: Iterable[Table]) -> bool:
    return any(isinstance(entries[-1], Free) for entries in tables)


def _tables(schema: Schema, names: Iterable[str], place: _Place) -> list[Table]:
    required = schema.get("required", ())
    members = schema.get("properties", {})
    return [_table(members[name], place.at(join(place.path, name), optional=name not in required)) for name in names]


def _spell(source: Source, record: bytes, names: list[str], tables: Iterable[Table], settle: list[Settle]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in zip(names, map(getitem, tables, record), strict=False):
        if value.__class__ is Spelling:
            value = value.read(source)
        elif value.__class__ is Free:
            value = value.read(record, names.index(name))
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
    width = len(names) + FREE_BYTES
    indices = [names.index(name) for name in deciding]
    pure = not any(isinstance(entry, Spelling | Free) for index in indices for entry in first_tables[index])
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
        record = source.take(width)
        key = bytes([record[index] for index in indices])
        tables = by_bytes.get(key)
        if tables is None:
            decided = _spell(source, bytes(key) + record[len(names) :], deciding, [first_tables[index] for index in indices], [])
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
