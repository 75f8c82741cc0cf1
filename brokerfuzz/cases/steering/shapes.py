"""Shapes of messages: packed ones, sparse ones, nested ones, ones with a long array.

Small messages are the catalogue's. Here they have several clusters of several products, arrays past ten items, most properties at an edge at
once; the more items, the fewer properties each, so that they mostly stay below 4 kB.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import cycle
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.message_builder import MessagePlan, build, towards
from brokerfuzz.cases.steering.breakable_rules import breakable
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.decoder import Read, Style, compile_decoder
from brokerfuzz.decoder.ambiguity_sites import doubts
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema, types_of

LONG = 11
"""Items of a long array, at least."""
_SMALL = 800
"""Bytes of a message that has all properties and one item in each array, below which most messages are nested."""
_PLAIN, _NESTED, _DENSE = (224, 64, 40, 128, 96), (40, 16, 64), (240, 112, 208, 80, 176)
"""Of 256 properties, so many have a value of their own: of messages of no special shape, of nested ones, of nested ones where messages are small."""


@dataclass(frozen=True)
class Shape:
    """What a message is to look like: it meets a flat schema, which goes by the name `ground`; so many of 256 properties have a value of their own;
    the array of several items that has this number in it, if one is given, tends to be long."""

    ground: str
    full: int
    narrowed: Schema = field(default_factory=dict, compare=False)
    long: int | None = None


@lru_cache(maxsize=16)
def shapes(contract: Contract, message_type: MessageType) -> Sequence[Shape]:
    """The shapes of a message type, in an order in which they take turns."""
    plain, nested, long = [Shape("", full) for full in _PLAIN], _nested(contract, message_type), _long(contract, message_type)
    if nested and len(compact(build(contract, message_type, MessagePlan()))) < _SMALL:
        long = [*(replace(nested[0], full=shape.full, long=shape.long) if shape.long is not None else shape for shape in long), plain[0]]
        plain = [replace(nested[0], full=full) for full in _DENSE]
    nested = nested or plain
    turns = zip(range(max(len(nested), len(long))), cycle(nested), cycle(long), strict=False)
    return [shape for _, one_nested, one_long in turns for shape in (*plain, one_nested, *plain, one_long)]


def _nested(contract: Contract, message_type: MessageType) -> list[Shape]:
    """Two items at least in every array of objects, at all depths."""
    paths = [path for path in _growing(contract, message_type, 2) if "object" in types_of(_items(contract, message_type, path))]
    demanded: Schema = reduce(flat.conjoin, [towards(path, {"type": "array", "minItems": 2}) for path in paths], {})
    return [Shape("nested", full, demanded) for full in _NESTED] if paths and _possible(contract, message_type, demanded) else []


def _long(contract: Contract, message_type: MessageType) -> list[Shape]:
    """More than ten items in one array, whichever; the more properties an item can have, the fewer it has."""
    found = [Shape("", _PLAIN[0], long=number) for number in range(4)]
    for path in _growing(contract, message_type, LONG):
        demanded = towards(path, {"type": "array", "minItems": LONG})
        props = len(_items(contract, message_type, path).get("properties", {}))
        if _possible(contract, message_type, demanded):
            found.append(Shape(path, 16 if props > 3 else 48 if props else 232, demanded))
    return found


def _growing(contract: Contract, message_type: MessageType, size: int) -> list[str]:
    """The arrays that can be told to have so many items: the bounds allow it, and items differ, where they have to, by their names."""
    found = []
    for path, site in contract.sites[message_type].items():
        asked = doubts(contract, message_type).get(path, ())
        named = all(names for detector, names in asked if detector == "distinct") and "uniqueItems" not in site.schema
        if "array" in types_of(site.schema) and "items" in site.schema and named and site.schema.get("maxItems", size) >= size:
            found.append(path)
    return found


def _items(contract: Contract, message_type: MessageType, path: str) -> Schema:
    items: Schema = contract.sites[message_type][path].schema["items"]
    return items


def _possible(contract: Contract, message_type: MessageType, demanded: Schema) -> bool:
    try:
        compile_decoder(contract, message_type, narrowed=demanded)
    except ContractError:
        return False
    return True


class Shaping:
    """Decodes messages of any shape, or towards any place; each decoder is compiled once."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._contract = contract
        self._message_type: MessageType = message_type
        self._style = Style(rich=frozenset(contract.sites[message_type]))
        self._decoders: dict[str, Read] = {}

    def message(self, number: int, source: TurningSource, rule: Rule | None = None) -> Any:
        """The next message: of the shape that this number comes to, or one in which the rule can be broken, as full as that shape.

        Any valid one, where a changed contract has none such.
        """
        every = shapes(self._contract, self._message_type)
        shape = every[number % len(every)]
        source.dial(shape.full, shape.long)
        ground = shape.ground if rule is None else f"{rule.site}@{rule.condition.label if rule.condition else ''}"
        if ground not in self._decoders:
            self._decoders[ground] = self._compiled(shape.narrowed if rule is None else breakable(self._contract, self._message_type, rule))
        return self._decoders[ground](source)

    def _compiled(self, narrowed: Schema) -> Read:
        try:
            return compile_decoder(self._contract, self._message_type, narrowed=narrowed, style=self._style)
        except ContractError:
            return compile_decoder(self._contract, self._message_type, style=self._style)


@lru_cache(maxsize=16)
def shaping(contract: Contract, message_type: MessageType) -> Shaping:
    """The decoders of a message type, made once."""
    return Shaping(contract, message_type)
