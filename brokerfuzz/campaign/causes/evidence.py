"""Knows which of the answered cases have an attribute, and which of them failed.

An attribute is a condition at a site, or at any site. A cause is proven by experiments with one message; the evidence
of all cases then says how far it reaches: to one property or to all, to one apostrophe or to all quotes.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, reduce
from itertools import takewhile
from operator import or_
from typing import Any, Final, TypeVar

from brokerfuzz.campaign.causes.attributes import Attribute, Attributes, MessageAttribute
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.generation import ABSENT
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.sites import schema_at

CERTAIN: Final = 0.95
"""At least this share of the cases with an attribute must fail. Some cases fail in a different way."""
COUNTEREXAMPLE: Final = 10
"""The number of failing cases that one case outweighs that does not fail."""
MOST_REMEMBERED: Final = 4096
"""The number of cases whose values are remembered."""

TrialSet = int
"""A set of trials: bit `i` stands for the one at position `i` of `Evidence.trials`."""

Indexes = tuple[int, ...]
"""The indexes of the array items around a value."""
Occurrence = tuple[str, Indexes, Any]
"""The site of a value, the indexes of the items around it, and the value."""

_Fact = TypeVar("_Fact", bound=Hashable)


class Evidence:
    """The trials of cases of one message type."""

    def __init__(self, trials: Sequence[Trial], contract: Contract, message_type: MessageType) -> None:
        self.trials = trials
        self.contract = contract
        self.message_type: MessageType = message_type
        self._having: dict[Attribute | MessageAttribute, TrialSet] = {}
        self._values_of = lru_cache(MOST_REMEMBERED)(self._occurrences)
        self._places = cache(self._places_of)

    def where(self, holds: Callable[[Trial], bool]) -> TrialSet:
        return self.at(position for position, trial in enumerate(self.trials) if holds(trial))

    def at(self, positions: Iterable[int]) -> TrialSet:
        bits = bytearray(len(self.trials) // 8 + 1)
        for position in positions:
            bits[position // 8] |= 1 << position % 8
        return int.from_bytes(bits, "little")

    def positions(self, trials: TrialSet) -> list[int]:
        return [position for position in range(len(self.trials)) if trials >> position & 1]

    def trials_in(self, trials: TrialSet) -> list[Trial]:
        return [self.trials[position] for position in self.positions(trials)]

    def trials_by(self, facts: Callable[[Trial], Iterable[_Fact]], among: TrialSet) -> dict[_Fact, TrialSet]:
        """Maps each fact to those of some trials that show it."""
        positions: dict[_Fact, list[int]] = defaultdict(list)
        for position in self.positions(among):
            for fact in facts(self.trials[position]):
                positions[fact].append(position)
        return {fact: self.at(with_fact) for fact, with_fact in positions.items()}

    def having(self, attribute: Attribute | MessageAttribute) -> TrialSet:
        """Returns the trials whose cases have the attribute."""
        if attribute not in self._having:
            self._having[attribute] = self._with(attribute)
        return self._having[attribute]

    def having_all(self, attributes: Attributes) -> TrialSet:
        """Returns the cases that have all the attributes, those about the items of one array in the same item."""
        cases = (1 << len(self.trials)) - 1
        for attribute in attributes:
            cases &= self.having(attribute)
        in_arrays = [
            attribute
            for attribute in attributes
            if isinstance(attribute, Attribute) and attribute.site is not None and "[]" in attribute.site
        ]
        if len(in_arrays) < 2:
            return cases
        places = [self._places(attribute) for attribute in in_arrays]
        return self.at(
            position
            for position in self.positions(cases)
            if _share_items(in_arrays, [indexes[position] for indexes in places])
        )

    def has(self, attributes: Sequence[Attribute], message: bytes) -> bool:
        """Returns whether a message has all these conditions of values, those about the items of one array in the same
        item.
        """
        try:
            values = occurrences(json.loads(message), self._sites)
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            return False
        return _share_items(attributes, [self._indexes(attribute, values) for attribute in attributes])

    def scalars(self, site: str, cases: TrialSet) -> list[Any]:
        """Returns the different strings, numbers, booleans and nulls that these cases have at a site."""
        return [
            value
            for (kind, value), positions in self._positions_by_value.get(site, {}).items()
            if kind not in (list, dict) and value is not ABSENT and self.at(positions) & cases
        ]

    def most_items(self, site: str, cases: TrialSet) -> int:
        """Returns the largest number of items that an array has in these cases."""
        most = 0
        for (kind, size), positions in self._positions_by_value.get(site, {}).items():
            if kind is list and self.at(positions) & cases:
                most = max(most, size)
        return most

    def _with(self, attribute: Attribute | MessageAttribute) -> TrialSet:
        if isinstance(attribute, MessageAttribute):
            return self.where(attribute.holds)
        if attribute.items is None:
            return self.at(self._positions_with(attribute))
        positions = self.positions(self.having(Attribute(attribute.condition, attribute.site)))
        return self.at(position for position in positions if self._indexes(attribute, self._values_of(position)))

    def _positions_with(self, attribute: Attribute) -> Iterator[int]:
        for site in self._positions_by_value if attribute.site is None else (attribute.site,):
            schema = schema_at(self._sites, site)
            for (kind, value), positions in self._positions_by_value.get(site, {}).items():
                example = _of_size(kind, value) if kind in (list, dict) else value
                if attribute.condition.holds(example, schema):
                    yield from positions

    def _places_of(self, attribute: Attribute) -> Mapping[int, Sequence[Indexes]]:
        """Maps the position of each case with an attribute to the places of the values that have it."""
        positions = self.positions(self.having(attribute))
        return {position: self._indexes(attribute, self._values_of(position)) for position in positions}

    def _indexes(self, attribute: Attribute, values: Iterable[Occurrence]) -> list[Indexes]:
        """Returns the indexes of the items around each value that has the condition."""
        items = attribute.items
        return [
            indexes
            for site, indexes, value in values
            if attribute.site in (site, None)
            and (items is None or items.contain(site, indexes))
            and attribute.condition.holds(value, schema_at(self._sites, site))
        ]

    @property
    def _sites(self) -> Mapping[str, Site]:
        return self.contract.sites[self.message_type]

    @cached_property
    def _positions_by_value(self) -> Mapping[str, Mapping[tuple[type, Any], list[int]]]:
        """Maps each site to its values, and each value to the positions of the cases that have it. Arrays and objects
        count as their sizes.
        """
        positions: dict[str, dict[tuple[type, Any], list[int]]] = defaultdict(lambda: defaultdict(list))
        for position in range(len(self.trials)):
            for site, _, value in self._values_of(position):
                value_or_size = len(value) if isinstance(value, list | dict) else value
                positions[site][type(value), value_or_size].append(position)
        return positions

    def _occurrences(self, position: int) -> Sequence[Occurrence]:
        try:
            return occurrences(self.trials[position].case.value, self._sites)
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            return ()


def occurrences(value: Any, sites: Mapping[str, Site], site: str = "") -> list[Occurrence]:
    """Returns the value at a site of a message, and each value inside it, with the indexes of the array items around
    it, and `ABSENT` for each absent property.
    """
    collected: list[Occurrence] = []
    _collect(site, (), value, sites, collected)
    return collected


def _collect(site: str, indexes: Indexes, value: Any, sites: Mapping[str, Site], collected: list[Occurrence]) -> None:
    collected.append((site, indexes, value))
    if isinstance(value, dict):
        for name, part in value.items():
            _collect(path_below(site, name), indexes, part, sites, collected)
        properties = schema_at(sites, site).get("properties", {})
        collected.extend((path_below(site, name), indexes, ABSENT) for name in properties if name not in value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _collect(path_below(site, index), (*indexes, index), item, sites, collected)


def _share_items(attributes: Sequence[Attribute], places: Sequence[Sequence[Indexes]]) -> bool:
    """Returns whether a message has all the attributes, those about the items of one array in the same item. `places`
    has, for each attribute, the indexes of the items around each value with it.
    """
    first, *further = attributes
    depths = [_common_arrays(first, attribute) for attribute in further]
    return any(
        all(
            any(there[:depth] == indexes[:depth] for there in others)
            for depth, others in zip(depths, places[1:], strict=True)
        )
        for indexes in places[0]
    )


def _common_arrays(attribute: Attribute, other: Attribute) -> int:
    """Returns the number of arrays around both sites."""
    steps = zip((attribute.site or "").split("[]"), (other.site or "").split("[]"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], steps))


def _of_size(kind: type, size: int) -> Any:
    return dict.fromkeys(range(size)) if kind is dict else [None] * size


def union(sets: Iterable[TrialSet]) -> TrialSet:
    return reduce(or_, sets, 0)


def is_certain(trials: TrialSet, failing: TrialSet) -> bool:
    """Returns whether (almost) every trial of a set is failing."""
    failed = (trials & failing).bit_count()
    return failed > 0 and failed >= CERTAIN * trials.bit_count()
