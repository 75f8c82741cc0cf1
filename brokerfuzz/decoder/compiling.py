"""Creates decoders: functions that turn bytes into valid messages of a JSON Schema.

The decoder reads each object from a record, which is a byte string with one byte for each property (see `record_layout`). A table
maps this byte to the value of the property (see `byte_tables`). If the schema has conditions (`if`, `then`, `else`), the decoder
first reads the properties that the condition mentions. Then the decoder uses the tables of the branch that applies.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import getitem
from typing import Any, NamedTuple

from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site
from brokerfuzz.decoder.byte_tables import ABSENT, FREE_BYTES, Free, Inline, Nested, Source, Table, Values, table, together
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.decoder.consistency_repair import Repair, repairs
from brokerfuzz.decoder.record_layout import Outline, outline
from brokerfuzz.decoder.scalars import ValuePlace, may_be_null, ready_made, scalar_values
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

Read = Callable[[Source], Any]

FURTHER_ITEMS = (1, 1, 1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 2, 1, 1, 4)
"""The numbers of items that can follow the first item of an array. Common numbers are listed several times."""
RARE_FURTHER_ITEMS = (5, 7, 10, 10, 11, 11)
"""Rare numbers of items after the first item. Each one occurs in about one of 200 arrays. The numbers 10 and 11 are included,
because faulty programs may check only the first ten items.
"""


@dataclass(frozen=True)
class Style:
    """Options that decide which values a decoder prefers.

    `plausible` selects realistic values instead of unusual ones. `pinned` lists the sites whose values come from the strategies
    of the user. `rich` lists the sites that should seldom be absent, null or empty.
    """

    plausible: bool = False
    pinned: frozenset[str] = frozenset()
    rich: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _CompileContext:
    contract: Contract
    message_type: MessageType
    style: Style
    outline: Outline
    path: str = ""
    optional: bool = False

    def prop(self, name: str, *, optional: bool) -> "_CompileContext":
        return replace(self, outline=self.outline.props[name], path=join(self.path, name), optional=optional)

    @property
    def item(self) -> "_CompileContext":
        return replace(self, outline=self.outline.items or Outline(), path=self.path + "[]", optional=False)

    @property
    def rich(self) -> bool:
        return self.path in self.style.rich

    @property
    def value_place(self) -> ValuePlace:
        return ValuePlace(self.contract, self.message_type, self.path, self.style.plausible)

    def repair(self, schema: Schema) -> list[Repair]:
        return repairs(ambiguities_by_site(self.contract, self.message_type).get(self.path, ()), self.path, schema, self.style.pinned)


def compile_decoder(contract: Contract, message_type: MessageType, *, narrowed: Schema | None = None, style: Style | None = None) -> Read:
    """Returns a function that turns bytes into a valid message. The message also complies with the schema `narrowed`.

    Raises `ContractError` if no message can be valid, or if a required property has no schema.
    """
    contract.check_described(message_type)
    schema = flat.conjoin(contract.flat[message_type], narrowed) if narrowed else contract.flat[message_type]
    place = _CompileContext(contract, message_type, style or Style(), outline(schema))
    entries, width = _table(schema, place), 1 + place.outline.width + FREE_BYTES
    return lambda source: _slot(source, source.take(width), 0, entries)


# ------------------------------------------------------------------------------------------------------- properties


def _table(schema: Schema, place: _CompileContext) -> Table:
    if place.path in place.style.pinned:
        return [Nested(lambda source, record, start: source.draw(place.path))] * 256
    nullable = may_be_null(schema, place.value_place)
    values = _values(schema, place)
    if not values.ordinary and not place.optional and not nullable:
        raise ContractError(f"{place.path or 'the root'} cannot have any value, because its schema contradicts itself: correct the schema")
    return table(values, optional=place.optional, nullable=nullable, rich=place.rich)


def _values(schema: Schema, place: _CompileContext) -> Values:
    if (ready := ready_made(schema, place.value_place)) is not None:
        return ready
    types = flat.types_of(schema)
    parts = [scalar_values(schema, place.value_place)] if types - {"null", "array", "object"} else []
    parts += [Values([Nested(_object(schema, place))])] if "object" in types else []
    parts += [Values(_arrays(schema, place))] if "array" in types else []
    return together(parts)


# --------------------------------------------------------------------------------------------------------- arrays


def _arrays(schema: Schema, place: _CompileContext) -> list[Nested]:
    """Returns the table entries for an array: no items, one item, or several items."""
    low = schema.get("minItems", 0)
    high = schema.get("maxItems", max(12, low + 3))
    if low > high:
        raise ContractError(f"{place.path} cannot contain at least {low} and at most {high} items: correct its bounds")
    read = _items(schema, place)
    empty = [Nested(lambda source, record, start: [])] if low == 0 else []
    one = [Nested(partial(read, 0))] if low <= 1 <= high else []
    several = [Nested(_several(read, low, high, place))] if high > 1 else []
    often = [*one, *empty, *several] * 2 + one if not place.rich else [*several, *one, *several]
    return [*empty, *one, *several, *often]


def _several(read: Callable[[int, Source, bytes, int], Any], low: int, high: int, place: _CompileContext) -> Inline:
    """Returns the table entry for an array with several items. If the array is optional, the lowest number of items omits the
    array.

    Hypothesis can lower this number and remove the bytes of an item in one step. If the number were a byte of the record, fewer
    items would move all bytes after the array.
    """
    usual = [count for count in FURTHER_ITEMS if low <= count + 1 <= high] or [max(low - 1, 1)]
    rare = [] if place.style.plausible else [c for c in (*RARE_FURTHER_ITEMS, low - 1, low, high - 1) if low <= c + 1 <= high and c > 0]
    further = sorted([*(usual[i % len(usual)] for i in range(200)), *rare])
    further += usual[:1] * 8  # Hypothesis often chooses the highest number, so the last entry is a common size
    count = len(further) + place.optional

    def several(source: Source, record: bytes, start: int) -> Any:
        choice = source.choose(count) - place.optional
        return ABSENT if choice < 0 else read(further[choice], source, record, start)

    return several


def _items(schema: Schema, place: _CompileContext) -> Callable[[int, Source, bytes, int], list[Any]]:
    """Returns a function that decodes an array. The first item is in the current record, and each further item has its own record."""
    entries, width = _table(schema.get("items", {}), place.item), place.item.outline.width
    repair, least = place.repair(schema), schema.get("minItems", 0)
    distinct = list(dict.fromkeys(value for value in entries if isinstance(value, str | int | float)))

    def read(further: int, source: Source, record: bytes, start: int) -> list[Any]:
        items = [_slot(source, record, start, entries)]
        if not further:
            return items
        if width:
            items += [_slot(source, source.take(1 + width + FREE_BYTES), 0, entries) for _ in range(further)]
        else:
            others = source.take(further + FREE_BYTES)
            items += [_slot(source, others, index, entries) for index in range(further)]
        for fix in repair:
            fix(items)
        if len(items) < least:
            items += [value for value in distinct if value not in items][: least - len(items)]
        return items

    return read


def _slot(source: Source, record: bytes, start: int, entries: Table) -> Any:
    """Decodes the property or the array item whose byte is at position `start`."""
    value = entries[record[start]]
    if value.__class__ is Nested:
        return value.read(source, record, start + 1)
    return value.read(record, start) if value.__class__ is Free else value


# -------------------------------------------------------------------------------------------------------- objects


class _Property(NamedTuple):
    """A property of an object. `position` is the position of its byte, and `window` is the start of the bytes of its nested value."""

    name: str
    position: int
    window: int


@dataclass(frozen=True)
class _ObjectDecoder:
    """Decodes an object from its bytes and then repairs contradictions between its properties."""

    props: list[_Property]
    repair: list[Repair] = field(default_factory=list)

    def decode(self, source: Source, record: bytes, start: int, tables: Iterable[Table]) -> dict[str, Any]:
        """Decodes the object whose first byte is at position `start`."""
        out: dict[str, Any] = {}
        for prop, entry in zip(self.props, map(getitem, tables, record[start:]), strict=False):
            if entry is ABSENT:
                continue
            if entry.__class__ is Nested:
                value = entry.read(source, record, start + prop.window)
                if value is not ABSENT:
                    out[prop.name] = value
            else:
                out[prop.name] = entry.read(record, start + prop.position) if entry.__class__ is Free else entry
        for fix in self.repair:
            fix(out)
        return out


def _object(schema: Schema, place: _CompileContext) -> Inline:
    found = [_Property(name, position, place.outline.windows[name]) for position, name in enumerate(place.outline.props)]
    props = _ObjectDecoder(found, place.repair(schema))
    if conditions := flat.conditions_of(schema):
        return _conditional(schema, conditions, place, props)
    tables = _tables(schema, place)
    return lambda source, record, start: props.decode(source, record, start, tables)


def _tables(schema: Schema, place: _CompileContext) -> list[Table]:
    required, properties = schema.get("required", ()), schema.get("properties", {})
    left_out: Table = (ABSENT,) * 256  # for a property that only another branch of the condition has
    places = {name: place.prop(name, optional=name not in required) for name in place.outline.props}
    return [_table(properties[name], there) if name in properties else left_out for name, there in places.items()]


# ----------------------------------------------------------------------------------------------------- conditions


def _conditional(schema: Schema, conditions: list[Schema], place: _CompileContext, props: _ObjectDecoder) -> Inline:
    """Returns a function that decodes an object whose schema has conditions. The function first decodes the properties that the
    conditions mention.
    """
    base = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
    deciding = [prop for prop in props.props if any(prop.name in condition["if"].get("properties", {}) for condition in conditions)]
    first_tables = _tables(base, place)
    pure = not any(isinstance(entry, Nested | Free) for prop in deciding for entry in first_tables[prop.position])
    branches: dict[tuple[bool, ...], list[Table]] = {}
    by_bytes: dict[tuple[int, ...], list[Table]] = {}

    def tables_for(decided: Mapping[str, Any]) -> list[Table]:
        """Returns the tables of the branch that applies. In these tables, the properties that the condition mentions have
        constant values.
        """
        outcomes = tuple(matches(condition["if"], decided) for condition in conditions)
        if outcomes not in branches:
            demands = [condition.get("then" if holds else "else", {}) for condition, holds in zip(conditions, outcomes, strict=True)]
            branches[outcomes] = _tables(reduce(flat.conjoin, demands, base), place)
        tables = list(branches[outcomes])
        for prop in deciding:
            tables[prop.position] = (decided.get(prop.name, ABSENT),) * 256
        return tables

    def decide(source: Source, record: bytes, start: int) -> dict[str, Any]:
        decided = {}
        for prop in deciding:
            entry = first_tables[prop.position][record[start + prop.position]]
            if entry.__class__ is Nested:
                entry = entry.read(source, record, start + prop.window)
            elif entry.__class__ is Free:
                entry = entry.read(record, start + prop.position)
            if entry is not ABSENT:
                decided[prop.name] = entry
        return decided

    def read(source: Source, record: bytes, start: int) -> dict[str, Any]:
        key = tuple([record[start + prop.position] for prop in deciding])
        tables = by_bytes.get(key)
        if tables is None:
            tables = tables_for(decide(source, record, start))
            if pure:
                by_bytes[key] = tables
        return props.decode(source, record, start, tables)

    return read
