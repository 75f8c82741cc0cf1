"""Knows which of the sent cases have an attribute, and which of them failed.

An attribute is a condition at a site, or at any site. A cause is proven by experiments with one message; the evidence
of all cases then says how far it reaches: to one property or to all, to one apostrophe or to all quotes.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final, TypeVar

from brokerfuzz.campaign.causes.attributes import Attribute, OfMessage
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.generation import ABSENT
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.keywords import Schema

CERTAIN: Final = 0.95
"""At least this share of the cases with an attribute must fail. Some cases fail in a different way."""

Mask = int
"""A set of cases: bit `i` stands for case `i`."""

_Fact = TypeVar("_Fact", bound=Hashable)


class Evidence:
    """The cases of one message type that were sent, with their answers."""

    def __init__(self, sent: Sequence[CaseAnswers], contract: Contract, message_type: MessageType) -> None:
        self.sent, self.contract = sent, contract
        self.message_type: MessageType = message_type
        self._masks: dict[Attribute | OfMessage, Mask] = {}

    def mask(self, holds: Callable[[CaseAnswers], bool]) -> Mask:
        return self.mask_of(number for number, asked in enumerate(self.sent) if holds(asked))

    def mask_of(self, numbers: Iterable[int]) -> Mask:
        bits = bytearray(len(self.sent) // 8 + 1)
        for number in numbers:
            bits[number // 8] |= 1 << number % 8
        return int.from_bytes(bits, "little")

    def numbers(self, mask: Mask) -> list[int]:
        return [number for number in range(len(self.sent)) if mask >> number & 1]

    def cases(self, mask: Mask) -> list[CaseAnswers]:
        return [self.sent[number] for number in self.numbers(mask)]

    def index(self, facts: Callable[[CaseAnswers], Iterable[_Fact]], among: Mask) -> dict[_Fact, Mask]:
        """Returns the cases with each fact, of some cases."""
        numbers: dict[_Fact, list[int]] = defaultdict(list)
        for number in self.numbers(among):
            for fact in facts(self.sent[number]):
                numbers[fact].append(number)
        return {fact: self.mask_of(cases) for fact, cases in numbers.items()}

    def having(self, attribute: Attribute | OfMessage) -> Mask:
        """Returns the cases that have the attribute."""
        if attribute not in self._masks:
            self._masks[attribute] = self._having(attribute)
        return self._masks[attribute]

    def most_items(self, site: str, cases: Mask) -> int:
        """Returns the largest number of items that an array has in these cases."""
        values = self._values.get(site, {}).items()
        counts = [count for (kind, count), numbers in values if kind is list and any(cases >> n & 1 for n in numbers)]
        return max(counts, default=0)

    def _having(self, attribute: Attribute | OfMessage) -> Mask:
        if isinstance(attribute, OfMessage):
            return self.mask(attribute.holds)
        if attribute.items is None:
            return self.mask_of(self._numbers_with(attribute))
        anywhere = self.numbers(self.having(Attribute(attribute.condition, attribute.site)))
        return self.mask_of(number for number in anywhere if self._has_in_items(self.sent[number], attribute))

    def _numbers_with(self, attribute: Attribute) -> Iterator[int]:
        for site in self._values if attribute.site is None else (attribute.site,):
            schema = self._schema_at(site)
            for (kind, value), cases in self._values.get(site, {}).items():
                example = [None] * value if kind is list else value
                if attribute.condition.holds(example, schema):
                    yield from cases

    def _has_in_items(self, asked: CaseAnswers, attribute: Attribute) -> bool:
        items = attribute.items
        assert items is not None
        depth = items.array.count("[]")
        for site, indexes, value in self._occurrences(asked):
            is_there = site.startswith(f"{items.array}[]") and attribute.site in (site, None)
            is_there = is_there and len(indexes) > depth  # the name of an unknown property may contain brackets
            if is_there and items.contain(indexes[depth]) and attribute.condition.holds(value, self._schema_at(site)):
                return True
        return False

    def _schema_at(self, site: str) -> Schema:
        known = self._sites.get(site)
        return {} if known is None else known.schema

    @property
    def _sites(self) -> Mapping[str, Site]:
        return self.contract.sites[self.message_type]

    @cached_property
    def _values(self) -> Mapping[str, Mapping[tuple[type, Any], list[int]]]:
        """Maps each site to its values, and each value to the numbers of the cases that have it."""
        found: dict[str, dict[tuple[type, Any], list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, asked in enumerate(self.sent):
            for site, _, value in self._occurrences(asked):
                summary = len(value) if isinstance(value, list | dict) else value
                found[site][type(value), summary].append(number)
        return found

    def _occurrences(self, asked: CaseAnswers) -> Iterator[tuple[str, tuple[int, ...], Any]]:
        try:
            message = asked.case.value
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            return
        yield from occurrences(message, self._sites)


def occurrences(
    value: Any, sites: Mapping[str, Site], site: str = "", indexes: tuple[int, ...] = ()
) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    """Yields each value of a message with its site and the indexes of the array items around it, and `ABSENT` for each
    absent property.
    """
    yield site, indexes, value
    if isinstance(value, dict):
        for name, part in value.items():
            yield from occurrences(part, sites, path_below(site, name), indexes)
        for name in sites[site].schema.get("properties", {}) if site in sites else ():
            if name not in value:
                yield path_below(site, name), indexes, ABSENT
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from occurrences(item, sites, path_below(site, index), (*indexes, index))


def union(masks: Iterable[Mask]) -> Mask:
    return reduce(or_, masks, 0)


def is_certain(mask: Mask, failing: Mask) -> bool:
    """Returns whether (almost) every case of a set fails."""
    failed = (mask & failing).bit_count()
    return failed > 0 and failed >= CERTAIN * mask.bit_count()
