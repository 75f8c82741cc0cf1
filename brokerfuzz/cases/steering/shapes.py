"""The shapes of random messages: dense, sparse, nested, or with a long array.

The catalogue contains the small messages. Random messages have several clusters with several products, arrays with more than ten
items, and many properties at an edge at once. The more items an array has, the fewer properties each item has, so that most
messages stay below 4 kB.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import cycle
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_requiring
from brokerfuzz.cases.steering.breakable_rules import breakable
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.decoder import Read, Style, compile_decoder
from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema, types_of

LONG = 11
"""The minimum number of items in a long array."""
_SMALL = 800
"""A message type counts as small if its complete message with one item per array has fewer bytes. Most messages of a small type are
nested.
"""
_PLAIN, _NESTED, _DENSE = (224, 64, 40, 128, 96), (40, 16, 64), (240, 112, 208, 80, 176)
"""Numbers of properties, out of 256, that have a value of their own. The three lists are for ordinary messages, nested ones,
and nested ones of a small type.
"""


@dataclass(frozen=True)
class Shape:
    """A description of random messages.

    The messages meet the flat schema `narrowed`, whose name is `ground`. `full` out of 256 properties have a value of their own.
    `long` is the number of the array that is usually long, or None. This number counts only arrays whose size is chosen.
    """

    ground: str
    full: int
    narrowed: Schema = field(default_factory=dict, compare=False)
    long: int | None = None


@lru_cache(maxsize=16)
def shapes(contract: Contract, message_type: MessageType) -> Sequence[Shape]:
    """Returns the shapes of a message type in the order of their turns."""
    plain, nested, long = [Shape("", full) for full in _PLAIN], _nested(contract, message_type), _long(contract, message_type)
    if nested and len(compact(build(contract, message_type, MessagePlan()))) < _SMALL:
        long = [*(replace(nested[0], full=shape.full, long=shape.long) if shape.long is not None else shape for shape in long), plain[0]]
        plain = [replace(nested[0], full=full) for full in _DENSE]
    nested = nested or plain
    turns = zip(range(max(len(nested), len(long))), cycle(nested), cycle(long), strict=False)
    return [shape for _, one_nested, one_long in turns for shape in (*plain, one_nested, *plain, one_long)]


def _nested(contract: Contract, message_type: MessageType) -> list[Shape]:
    """Returns shapes with at least two items in every array of objects, at all depths."""
    paths = [path for path in _growing(contract, message_type, 2) if "object" in types_of(_items(contract, message_type, path))]
    demanded: Schema = reduce(flat.conjoin, [schema_requiring(path, {"type": "array", "minItems": 2}) for path in paths], {})
    return [Shape("nested", full, demanded) for full in _NESTED] if paths and _possible(contract, message_type, demanded) else []


def _long(contract: Contract, message_type: MessageType) -> list[Shape]:
    """Returns shapes with more than ten items in one array. The more properties an item can have, the smaller is the share of
    properties that are set.
    """
    found = [Shape("", _PLAIN[0], long=number) for number in range(4)]
    for path in _growing(contract, message_type, LONG):
        demanded = schema_requiring(path, {"type": "array", "minItems": LONG})
        props = len(_items(contract, message_type, path).get("properties", {}))
        if _possible(contract, message_type, demanded):
            found.append(Shape(path, 16 if props > 3 else 48 if props else 232, demanded))
    return found


def _growing(contract: Contract, message_type: MessageType, size: int) -> list[str]:
    """Returns the arrays that can be required to have this many items: their bounds allow it, and names make the items unique if necessary."""
    found = []
    for path, site in contract.sites[message_type].items():
        asked = ambiguities_by_site(contract, message_type).get(path, ())
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
    """Decodes messages of any shape, or messages that contain a given place. Each decoder is compiled once."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._contract = contract
        self._message_type: MessageType = message_type
        self._style = Style(rich=frozenset(contract.sites[message_type]))
        self._decoders: dict[str, Read] = {}

    def message(self, number: int, source: TurningSource, rule: Rule | None = None) -> Any:
        """Returns the next message. It has the shape that this number selects, or it is a message in which the rule can be broken.

        If a changed contract has no such message, any valid message is returned.
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
    """Returns the decoders of a message type. The result is cached."""
    return Shaping(contract, message_type)
