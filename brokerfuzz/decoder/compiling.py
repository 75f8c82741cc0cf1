"""Compiles a schema to a decoder, which turns bytes into valid messages.

The decoder reads each object from a record, a byte string of fixed length with one byte for each property (see `record_layout`).
The table of the property (see `byte_tables`) maps the byte to a value. If the schema has conditions (`if`, `then`, `else`), the
decoder first reads the properties in the condition. Then the decoder reads the other properties with the tables of the branch
(`then` or `else`) that applies.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from operator import getitem
from typing import Any, NamedTuple

from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site
from brokerfuzz.decoder.byte_tables import (
    ABSENT,
    NESTED,
    NESTED_IN_FULL,
    ORDINARY,
    SELDOM_EMPTY,
    SELECTOR_BYTES,
    Inline,
    Kind,
    Nested,
    Scalar,
    Shares,
    Source,
    Table,
    selector,
    table,
)
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.decoder.consistency_repair import Repair, repairs, repetition
from brokerfuzz.decoder.record_layout import Outline, outline
from brokerfuzz.decoder.scalars import ValuePlace, may_be_null, ready_made, scalar_kinds, scalar_pool
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, check, load_contract
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.ambiguity_detectors import COMPARED, PROPERTIES
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

Read = Callable[[Source], Any]

COUNTS = (1, 1, 1, 2, 1, 1, 1, 2, 1, 3)
"""The usual numbers of items in an array. The list repeats the numbers that should occur more often."""
FULL_COUNTS = (1, 1, 1, 2)
"""Like `COUNTS`, but for the arrays of full messages."""
RICH_COUNTS = (2, 1, 2, 2, 1, 2, 3, 2)
"""Like `COUNTS`, but for the arrays at the sites in `Style.rich`."""
RARE_COUNTS = (4, 5, 6, 7, 8, 9, 10, 11, 12)
"""Arrays rarely have these numbers of items. The number 11 detects code that checks only the first ten items. The list contains
every number from 4 to 12, because Hypothesis shortens an array by one item at a time.
"""


@dataclass(frozen=True)
class Style:
    """Options that determine how values are chosen.

    `plausible` selects realistic values instead of unusual ones. `pinned` lists the sites whose values come from the strategies of
    the user. `rich` lists the sites that should rarely be absent, null or empty. In a full message, nearly all properties are
    present. The share of full messages is `full` / 256. `ambiguities` lists the IDs of the ambiguities that messages may touch.
    """

    plausible: bool = False
    pinned: frozenset[str] = frozenset()
    rich: frozenset[str] = frozenset()
    full: int = 0
    ambiguities: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _CompileContext:
    contract: Contract
    message_type: MessageType
    style: Style
    outline: Outline
    path: str = ""
    optional: bool = False
    full: bool = False

    def prop(self, name: str, *, optional: bool) -> "_CompileContext":
        return replace(self, outline=self.outline.props[name], path=join(self.path, name), optional=optional)

    @property
    def item(self) -> "_CompileContext":
        return replace(self, outline=self.outline.items or Outline(), path=self.path + "[]", optional=False)

    @property
    def rich(self) -> bool:
        return self.path in self.style.rich

    @property
    def counts(self) -> Sequence[int]:
        return FULL_COUNTS if self.full else RICH_COUNTS if self.rich else COUNTS

    def shares(self, schema: Schema) -> Shares:
        """A required array of objects, such as `data`, is rarely empty, because the message would contain hardly anything else."""
        is_main = not self.optional and "object" in flat.types_of(schema) | flat.types_of(schema.get("items", {"type": "null"}))
        if self.style.full and ("." in self.path or "[]" in self.path):
            return NESTED_IN_FULL if self.full else SELDOM_EMPTY if self.rich or is_main else NESTED
        return SELDOM_EMPTY if self.full or self.rich or is_main else ORDINARY

    @property
    def value_place(self) -> ValuePlace:
        return ValuePlace(self.contract, self.message_type, self.path, self.style.plausible, self.style.ambiguities)

    def repair(self, schema: Schema) -> "_Repairs":
        asked = ambiguities_by_site(self.contract, self.message_type).get(self.path, ())
        open_ = {ambiguity.detector for ambiguity in self.contract.ambiguities if ambiguity.id in self.style.ambiguities}
        often = [ambiguity for ambiguity in asked if ambiguity[0] in open_]
        always = [ambiguity for ambiguity in asked if ambiguity not in often]
        find = partial(repairs, site=self.path, schema=schema, pinned=self.style.pinned, simple=True)
        repeat = repetition(often, self.path, schema, self.style.pinned)
        return _Repairs(find(always), find(often) if often else [], repeat)


class _Repairs(NamedTuple):
    """The repairs of an object or array (see `consistency_repair`). The repairs in `always` are always applied. A repair in
    `often` removes an ambiguity that messages may touch, so it is applied to only about 75 % of the objects or arrays. In the
    remaining arrays, the function `repeat` (if not None) copies an item or its identifier, so that the message touches the
    ambiguity.
    """

    always: list[Repair]
    often: list[Repair]
    repeat: Repair | None

    def apply(self, value: Any, record: bytes, start: int) -> None:
        for fix in self.always:
            fix(value)
        for number, fix in enumerate(self.often):
            if selector(record, start + number) % 4 < 3:
                fix(value)
            elif self.repeat:
                self.repeat(value)


def compile_decoder(
    contract: Contract, message_type: MessageType, *, narrowed: Schema | None = None, style: Style | None = None, site: str = ""
) -> Read:
    """Returns a function that turns a source of bytes into a valid message, or into the part of a message at a site. All
    decoded values also comply with the schema `narrowed`.

    Raises `ContractError` if no message can be valid, or if a required property has no schema. If the contract is not the built-in
    one, the returned function raises `ContractError` if it finds no valid message.
    """
    contract.check_described(message_type)
    if site not in contract.sites[message_type]:
        raise ContractError(f"the contract has no place {site!r} in {message_type}: use a strategy for another part of the message")
    whole = contract.sites[message_type][site].schema
    schema = flat.conjoin(whole, narrowed) if narrowed else whole
    place = _CompileContext(contract, message_type, style or Style(), outline(schema), site)
    entries, width = [*_table(schema, place)], 1 + place.outline.width + SELECTOR_BYTES
    if place.style.full:
        entries[-place.style.full :] = _table(schema, replace(place, full=True))[-place.style.full :]

    def read(source: Source) -> Any:
        return _slot(source, source.take(width), 0, entries)

    return read if contract is load_contract() or site or place.style.pinned else _only_valid(read, place)


_ATTEMPTS = 50


def _only_valid(read: Read, place: _CompileContext) -> Read:
    """Returns a function that skips invalid messages, and messages that touch ambiguities other than those of the style. Only messages
    of a changed contract need this: for example, two of its rules can contradict each other. If its rules allow only unspecified values,
    such as strings with at least 2,000 characters, the function returns unspecified messages.
    """
    allowed = ("valid", "unspecified") if place.style.ambiguities else ("valid",)
    related = {one.id for one in place.contract.ambiguities if one.detector in {*COMPARED, *PROPERTIES}}

    def read_valid(source: Source) -> Any:
        unspecified, reason = [], ""
        for _ in range(_ATTEMPTS):
            message = read(source)
            verdict = check(place.message_type, json.dumps(message).encode(), contract=place.contract)
            if verdict.label in allowed:
                return message
            reason = " ".join(str(verdict).split())[:200]
            touched = {one.ambiguity for one in verdict.ambiguities}
            unspecified += [message] if verdict.label == "unspecified" and not touched & related else []
        if unspecified:
            return unspecified[0]
        raise ContractError(
            f"brokerfuzz found no valid {place.message_type} in {_ATTEMPTS} attempts (the last one was {reason}): simplify its schema"
        )

    return read_valid


# ------------------------------------------------------------------------------------------------------- properties


def _table(schema: Schema, place: _CompileContext) -> Table:
    """Returns the table of a property or an array item. If the contract contains exactly this schema at this place, the table
    is created only once, for all decoders.
    """
    site = place.contract.sites[place.message_type].get(place.path)
    if site is None or site.schema is not schema:
        return _new_table(schema, place)
    known, key = _known_tables(place.contract, place.message_type, place.style), (place.path, place.optional, place.full, place.outline.shape)
    if key not in known:
        known[key] = _new_table(schema, place)
    return known[key]


@lru_cache(maxsize=16)
def _known_tables(contract: Contract, message_type: MessageType, style: Style) -> dict[Hashable, Table]:
    """Returns the cache of the function `_table`. Each combination of arguments has its own cache."""
    return {}


def _new_table(schema: Schema, place: _CompileContext) -> Table:
    if place.path in place.style.pinned:
        return [Nested(lambda source, record, start: source.draw(place.path))] * 256
    nullable = may_be_null(schema, place.value_place)
    kinds = _kinds(schema, place)
    if not kinds and not place.optional and not nullable:
        raise ContractError(f"the schema of {place.path or 'the root'} contradicts itself, so it allows no value: correct this schema")
    return table(kinds, place.shares(schema), optional=place.optional, nullable=nullable)


def _kinds(schema: Schema, place: _CompileContext) -> list[Kind]:
    """Returns the kinds of values that a place can have, without null."""
    if (ready := ready_made(schema, place.value_place)) is not None:
        return ready
    types = flat.types_of(schema)
    kinds = scalar_kinds(schema, place.value_place, optional=place.optional) if types - {"null", "array", "object"} else []
    kinds += [Kind(Nested(_omissible(_object(schema, place)) if place.optional else _object(schema, place)), 1)] if "object" in types else []
    return kinds + (_arrays(schema, place) if "array" in types else [])


# --------------------------------------------------------------------------------------------------------- arrays


def _arrays(schema: Schema, place: _CompileContext) -> list[Kind]:
    """Returns the kinds of arrays that the schema allows: without items, with items, or both."""
    low = schema.get("minItems", 0)
    high = schema.get("maxItems", max(12, low + 3))
    if low > high:
        raise ContractError(f"{place.path} cannot contain at least {low} and at most {high} items: correct minItems or maxItems")
    kinds = [Kind(Nested(lambda source, record, start: []), place.shares(schema).empty)] if low == 0 else []
    filled = _filled(schema, low, high, place)
    return kinds + ([Kind(Nested(filled if place.optional else _as_one_unit(filled)), 75)] if high else [])


def _as_one_unit(read: Inline) -> Inline:
    """Marks everything that `read` decodes as one unit (see `Source.item`). Then Hypothesis can make an array empty, and remove
    the bytes and values of all its items in one step.
    """
    return lambda source, record, start: source.item(lambda inner: read(inner, record, start))


def _filled(schema: Schema, low: int, high: int, place: _CompileContext) -> Inline:
    """Returns the function that decodes an array with at least one item. The number of items comes from `Source.choose`, so
    that Hypothesis can lower this number and remove the last items in one step. If the array is optional, the smallest choice
    omits the array.
    """
    usual = [count for count in place.counts if low <= count <= high] or [max(low, 1)]
    rare = [] if place.style.plausible else [count for count in (*RARE_COUNTS, low, low + 1, high) if max(low, 1) <= count <= high]
    counts = sorted([*(usual[i % len(usual)] for i in range(200)), *rare])
    counts += usual[:1] * 8  # Hypothesis often chooses the end of a range, so the last number is a usual one
    item = _item(schema.get("items", {}), place.item)
    repair, least = place.repair(schema), schema.get("minItems", 0)
    distinct = _distinct_values(schema.get("items", {}), place.item) if least > 1 else []
    ways = len(counts) + place.optional

    def filled(source: Source, record: bytes, start: int) -> Any:
        choice = source.choose(ways) - place.optional
        if choice < 0:
            return ABSENT
        items = [item(source) for _ in range(counts[choice])]
        repair.apply(items, record, start)
        if len(items) < least:
            items += [value for value in distinct if value not in items][: least - len(items)]
        return items

    return filled


def _item(schema: Schema, place: _CompileContext) -> Read:
    """Returns the function that decodes an array item. An object is decoded from a record, and a scalar from one byte."""
    entries, width = _table(schema, place), place.outline.width
    if width or any(entry.__class__ is Nested for entry in entries):

        def read(source: Source) -> Any:
            return _slot(source, source.take(1 + width + SELECTOR_BYTES), 0, entries)

        return lambda source: source.item(read)

    def scalar(source: Source) -> Any:
        number = source.take(1)[0]
        entry = entries[number]
        return entry.read(source, number) if entry.__class__ is Scalar else entry

    return scalar


def _distinct_values(schema: Schema, place: _CompileContext) -> list[Any]:
    """Returns different scalars, which the decoder adds to an array that has too few items after the repairs."""
    if flat.types_of(schema) & {"array", "object"}:
        return []
    return list(schema["enum"]) if "enum" in schema else list(scalar_pool(schema, place.value_place).usual)


def _slot(source: Source, record: bytes, start: int, entries: Table) -> Any:
    """Decodes a value from the byte at `start` and the bytes after this byte."""
    value = entries[record[start]]
    if value.__class__ is Scalar:
        return value.read(source, selector(record, start))
    return value.read(source, record, start + 1) if value.__class__ is Nested else value


# -------------------------------------------------------------------------------------------------------- objects


class _Property(NamedTuple):
    """A property of an object. The byte for this property is at `position`. If the property is itself an object, the bytes for
    its own properties begin at `nested_start`. The first property of the outer object has the position 0 (see `record_layout`).
    """

    name: str
    position: int
    nested_start: int


@dataclass(frozen=True)
class _ObjectDecoder:
    """Decodes an object from a record, and then applies the repairs to the object."""

    props: list[_Property]
    repair: _Repairs

    def decode(self, source: Source, record: bytes, start: int, tables: Iterable[Table]) -> dict[str, Any]:
        """Decodes the object whose property bytes begin at `start`."""
        out: dict[str, Any] = {}
        for prop, entry in zip(self.props, map(getitem, tables, record[start:]), strict=False):
            if entry is ABSENT:
                continue
            value = entry
            if entry.__class__ is Scalar:
                value = entry.read(source, selector(record, start + prop.position))
            elif entry.__class__ is Nested:
                value = entry.read(source, record, start + prop.nested_start)
            if value is not ABSENT:
                out[prop.name] = value
        self.repair.apply(out, record, start)
        return out


def _object(schema: Schema, place: _CompileContext) -> Inline:
    found = [_Property(name, position, place.outline.nested_starts[name]) for position, name in enumerate(place.outline.props)]
    props = _ObjectDecoder(found, place.repair(schema))
    if conditions := flat.conditions_of(schema):
        return _conditional(schema, conditions, place, props)
    tables = _tables(schema, place)
    return lambda source, record, start: props.decode(source, record, start, tables)


def _omissible(read: Inline) -> Inline:
    """Returns a function that lets the source choose an integer, and omits the object if this integer is zero. When Hypothesis
    shrinks a message, it can omit the object by choosing zero.
    """
    return lambda source, record, start: read(source, record, start) if source.choose(8) else ABSENT


def _tables(schema: Schema, place: _CompileContext) -> list[Table]:
    required, properties = schema.get("required", ()), schema.get("properties", {})
    left_out: Table = (ABSENT,) * 256  # for a property that exists only in another branch of a condition
    places = {name: place.prop(name, optional=name not in required) for name in place.outline.props}
    return [_table(properties[name], there) if name in properties else left_out for name, there in places.items()]


# ----------------------------------------------------------------------------------------------------- conditions


def _conditional(schema: Schema, conditions: list[Schema], place: _CompileContext, props: _ObjectDecoder) -> Inline:
    """Returns the function that decodes an object with conditions. The decoder first decodes the properties in the conditions,
    because these properties determine the branch (`then` or `else`).
    """
    base = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
    deciding = [prop for prop in props.props if any(prop.name in condition["if"].get("properties", {}) for condition in conditions)]
    first_tables = _tables(base, place)
    pure = not any(isinstance(entry, Nested | Scalar) for prop in deciding for entry in first_tables[prop.position])
    branches: dict[tuple[bool, ...], list[Table]] = {}
    by_bytes: dict[tuple[int, ...], list[Table]] = {}

    def branch(outcomes: tuple[bool, ...]) -> list[Table]:
        if outcomes not in branches:
            demands = [condition.get("then" if holds else "else", {}) for condition, holds in zip(conditions, outcomes, strict=True)]
            branches[outcomes] = _tables(reduce(flat.conjoin, demands, base), place)
        return branches[outcomes]

    for outcomes in [(True,), (False,)] if len(conditions) == 1 else []:  # compiled now, so that the first message does not take longer
        with suppress(ContractError):
            branch(outcomes)

    def tables_for(decided: Mapping[str, Any]) -> list[Table]:
        """Returns the tables for the branches (`then` or `else`) that apply. The properties in `decided` are already decoded,
        so each entry in their tables is the decoded value.
        """
        tables = list(branch(tuple(matches(condition["if"], decided) for condition in conditions)))
        for prop in deciding:
            tables[prop.position] = (decided.get(prop.name, ABSENT),) * 256
        return tables

    def decide(source: Source, record: bytes, start: int) -> dict[str, Any]:
        decided = {}
        for prop in deciding:
            entry = first_tables[prop.position][record[start + prop.position]]
            if entry.__class__ is Nested:
                entry = entry.read(source, record, start + prop.nested_start)
            elif entry.__class__ is Scalar:
                entry = entry.read(source, selector(record, start + prop.position))
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
