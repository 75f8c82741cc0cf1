"""Defines the shapes of random messages. A shape determines whether a message has many or few properties, nested arrays, or a
long array.

The catalogue already contains small messages. So many random messages have nested arrays with several items, arrays with more
than ten items, and unusual values. Items of longer arrays have fewer properties, so that most messages are shorter than 4 kB.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import cycle
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_requiring
from brokerfuzz.cases.steering.source import BalancedSource
from brokerfuzz.decoder import Read, Style, compile_decoder
from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema, types_of

LONG = 11
_SMALL = 800
"""A message type is small if an ordinary message with all properties, and one item per array, has fewer than `_SMALL` bytes."""
_PLAIN, _NESTED, _DENSE = (192, 56, 32, 104, 80), (32, 16, 48), (240, 112, 208, 80, 176)
"""For each number, there is a `Shape` with this `chance`. `_PLAIN` is for ordinary messages, and `_NESTED` for messages in which
every array of objects has several items. For small message types, `_DENSE` replaces `_PLAIN`, and the messages have such arrays, too.
"""


@dataclass(frozen=True)
class Shape:
    """The size and the structure of random messages. `narrowed` is a schema with additional requirements, for example two items in
    an array. `ground` is the name of the schema `narrowed`. Each property has a random value with the probability `chance` / 256.
    Otherwise, the property is absent or has an ordinary value. If `long_array` is 2, the third array in the message is usually long.
    Arrays with a fixed number of items do not count.
    """

    ground: str
    chance: int
    narrowed: Schema = field(default_factory=dict, compare=False)
    long_array: int | None = None


@lru_cache(maxsize=16)
def shapes(contract: Contract, message_type: MessageType) -> Sequence[Shape]:
    """Returns the shapes of a message type, in the order in which they are used."""
    plain, nested, long = [Shape("", chance) for chance in _PLAIN], _nested(contract, message_type), _long(contract, message_type)
    if nested and len(compact(build(contract, message_type, MessagePlan()))) < _SMALL:
        long = [
            *(replace(nested[0], chance=shape.chance, long_array=shape.long_array) if shape.long_array is not None else shape for shape in long),
            plain[0],
        ]
        plain = [replace(nested[0], chance=chance) for chance in _DENSE]
    nested = nested or plain
    turns = zip(range(max(len(nested), len(long))), cycle(nested), cycle(long), strict=False)
    return [shape for _, one_nested, one_long in turns for shape in (*plain, one_nested, *plain, one_long)]


def _nested(contract: Contract, message_type: MessageType) -> list[Shape]:
    """Returns shapes in which every array of objects has at least two items."""
    paths = [path for path in _arrays_of_size(contract, message_type, 2) if "object" in types_of(_items(contract, message_type, path))]
    demanded: Schema = reduce(flat.conjoin, [schema_requiring(path, {"type": "array", "minItems": 2}) for path in paths], {})
    return [Shape("nested", chance, demanded) for chance in _NESTED] if paths and _possible(contract, message_type, demanded) else []


def _long(contract: Contract, message_type: MessageType) -> list[Shape]:
    """Returns shapes in which one array has more than ten items."""
    found = [Shape("", _PLAIN[0], long_array=number) for number in range(4)]
    for path in _arrays_of_size(contract, message_type, LONG):
        demanded = schema_requiring(path, {"type": "array", "minItems": LONG})
        props = len(_items(contract, message_type, path).get("properties", {}))
        if _possible(contract, message_type, demanded):
            found.append(Shape(path, 16 if props > 3 else 48 if props else 232, demanded))
    return found


def _arrays_of_size(contract: Contract, message_type: MessageType, size: int) -> list[str]:
    """Returns the paths of the arrays that can have `size` items, without arrays that have the keyword `uniqueItems`. An array is also
    omitted if the contract does not say whether equal items are allowed, and no property such as `id` identifies an item.
    """
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
    """Generates random messages. The decoder for a `Shape` or a rule is compiled only once."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._contract = contract
        self._message_type: MessageType = message_type
        self._style = Style(full=256)
        self._decoders: dict[str, Read] = {}

    def message(self, number: int, source: BalancedSource, rule: Rule | None = None) -> Any:
        """Generates a message. `number` selects its `Shape`. If possible, the message is one in which `rule` can be broken."""
        every = shapes(self._contract, self._message_type)
        shape = every[number % len(every)]
        source.configure(shape.chance, shape.long_array)
        ground = shape.ground if rule is None else f"{rule.site}@{rule.condition.label if rule.condition else ''}"
        if ground not in self._decoders:
            maker = FaultMaker(self._contract, self._message_type, None)
            self._decoders[ground] = self._compiled(shape.narrowed if rule is None else maker.breakable_schema(rule))
        return self._decoders[ground](source)

    def _compiled(self, narrowed: Schema) -> Read:
        try:
            return compile_decoder(self._contract, self._message_type, narrowed=narrowed, style=self._style)
        except ContractError:
            return compile_decoder(self._contract, self._message_type, style=self._style)


@lru_cache(maxsize=16)
def shaping(contract: Contract, message_type: MessageType) -> Shaping:
    return Shaping(contract, message_type)
