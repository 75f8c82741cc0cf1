"""Knows which of the sent cases have an attribute, and which of them failed.

An attribute is a condition at a site, or at any site. A cause is proven by experiments with one message; the evidence
of all cases then says how far it reaches: to one property or to all, to one apostrophe or to all quotes.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar

from brokerfuzz.campaign.causes.conditions import Condition
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.generation import ABSENT
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.rule import JSON_RULE

CERTAIN: Final = 0.95
"""At least this share of the cases with an attribute must fail. Some cases fail in a different way."""

Mask = int
"""A set of cases: bit `i` stands for case `i`."""


@dataclass(frozen=True, slots=True)
class Items:
    """The items of an array in which a condition must hold: from `first` to `last`, counted from 0. None is the end."""

    array: str
    first: int
    last: int | None

    def __str__(self) -> str:
        if self.first == self.last:
            items = f"item {self.first + 1}"
        elif self.last is None:
            items = f"item {self.first + 1} or later"
        else:
            items = f"the first {self.last + 1} items"
        return f"in {items} of {self.array or 'the message'}"

    def contain(self, index: int) -> bool:
        return self.first <= index and (self.last is None or index <= self.last)


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that a case has: a condition at a site (None: at any site), perhaps only in certain items."""

    condition: Condition
    site: str | None
    items: Items | None = None

    @property
    def key(self) -> str:
        """Identifies the attribute in every campaign."""
        where = "any" if self.site is None else self.site
        return " ".join(filter(None, (f"{where}:", str(self.condition), str(self.items or ""))))


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write values, as a regular expression for a message whose strings are reduced to their escapes."""

    text: str
    pattern: re.Pattern[bytes]

    def holds(self, asked: CaseAnswers) -> bool:
        return self.pattern.search(_without_strings(asked.case.body)) is not None

    def __str__(self) -> str:
        return f"there is {self.text}"

    @property
    def key(self) -> str:
        return f"notation: {self.text}"


@dataclass(frozen=True, slots=True)
class Broken:
    """The message breaks a rule, any rule with a keyword, or any rule."""

    rule: str = ""
    keyword: str = ""

    def holds(self, asked: CaseAnswers) -> bool:
        broken = [violation.rule for violation in asked.verdict.broken]
        if self.rule:
            return self.rule in broken
        return any(keyword_of(rule) == self.keyword or not self.keyword for rule in broken)

    def __str__(self) -> str:
        if JSON_RULE in (self.keyword, keyword_of(self.rule)):
            return "the message is not JSON"
        if self.rule:
            return f"it breaks {self.rule.partition('/')[2].rpartition(':')[2]}"
        return f"a value breaks {self.keyword}" if self.keyword else "the message is invalid"

    @property
    def key(self) -> str:
        return f"breaks {self.rule or self.keyword or 'any rule'}"


@dataclass(frozen=True, slots=True)
class LargerThan:
    """The message has more bytes than a target, or a proxy before it, accepts."""

    size: int

    def holds(self, asked: CaseAnswers) -> bool:
        return len(asked.case.body) > self.size

    def __str__(self) -> str:
        return f"it has more than {self.size:,} bytes"

    @property
    def key(self) -> str:
        return "too many bytes"


@dataclass(frozen=True, slots=True)
class Valid:
    """The target accepts no message, or only one."""

    key = "every valid message"

    def holds(self, asked: CaseAnswers) -> bool:
        return asked.verdict.label == "valid"

    def __str__(self) -> str:
        return "it is valid"


def keyword_of(rule: str) -> str:
    return rule.rpartition(":")[2].partition("@")[0]


NOTATIONS: Final = tuple(
    Notation(text, re.compile(pattern))
    for text, pattern in (
        ("an exponent", rb"[0-9][eE]"),
        ("an exponent with a plus", rb"[0-9][eE]\+"),
        ("a negative exponent", rb"[0-9][eE]-"),
        ("the number -0", rb"-0(?:\.0*)?(?![0-9.eE])"),
        ("a fraction that ends with 0", rb"\.[0-9]*0(?![0-9eE])"),
        ("white space between values", rb"\s"),
        ("a line break between values", rb"[\r\n]"),
        (r"an escape such as \u0041", rb"\\u"),
        (r"an escape such as \n", rb"\\[bfnrt]"),
        *((f"an array nested {depth:,} levels deep", rb"(?:\[\s*){%d}" % depth) for depth in (10_000, 1000, 100)),
    )
)
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\.")


def notations_of(body: bytes) -> list[Notation]:
    written = _without_strings(body)
    return [notation for notation in NOTATIONS if notation.pattern.search(written)]


@lru_cache(maxsize=16_384)
def _without_strings(body: bytes) -> bytes:
    return _STRING.sub(lambda string: b"".join(_ESCAPE.findall(string[0])), body)


OfMessage = Notation | Broken | LargerThan | Valid
"""Attributes of whole messages."""
Attributes = tuple[Attribute | OfMessage, ...]
"""Attributes that a case has together."""


_Fact = TypeVar("_Fact", bound=Hashable)


class Evidence:
    """The cases of one message type that were sent, with their answers."""

    def __init__(self, sent: Sequence[CaseAnswers], contract: Contract, message_type: MessageType) -> None:
        self.sent, self.contract = sent, contract
        self.message_type: MessageType = message_type
        self._masks: dict[Attribute | OfMessage, Mask] = {}

    def mask(self, holds: Callable[[CaseAnswers], bool]) -> Mask:
        return mask_of((number for number, asked in enumerate(self.sent) if holds(asked)), len(self.sent))

    def index(self, facts: Callable[[CaseAnswers], Iterable[_Fact]], among: Mask) -> dict[_Fact, Mask]:
        """Returns the cases with each fact, of some cases."""
        numbers: dict[_Fact, list[int]] = defaultdict(list)
        for number, asked in enumerate(self.sent):
            if among >> number & 1:
                for fact in dict.fromkeys(facts(asked)):
                    numbers[fact].append(number)
        return {fact: mask_of(cases, len(self.sent)) for fact, cases in numbers.items()}

    def having(self, attribute: Attribute | OfMessage) -> Mask:
        """Returns the cases that have the attribute."""
        if attribute not in self._masks:
            self._masks[attribute] = self._having(attribute)
        return self._masks[attribute]

    def cases(self, mask: Mask) -> list[CaseAnswers]:
        return [asked for number, asked in enumerate(self.sent) if mask >> number & 1]

    def most_items(self, site: str, cases: Mask) -> int:
        """Returns the largest number of items that an array has in these cases."""
        values = self._values.get(site, {}).items()
        counts = [count for (kind, count), numbers in values if kind is list and any(cases >> n & 1 for n in numbers)]
        return max(counts, default=0)

    def _having(self, attribute: Attribute | OfMessage) -> Mask:
        if isinstance(attribute, OfMessage):
            return self.mask(attribute.holds)
        if attribute.items is None:
            return mask_of(self._numbers(attribute), len(self.sent))
        anywhere = self.having(Attribute(attribute.condition, attribute.site))
        numbers = (number for number, asked in enumerate(self.sent) if anywhere >> number & 1)
        return mask_of((n for n in numbers if self._has_in_items(self.sent[n], attribute)), len(self.sent))

    def _numbers(self, attribute: Attribute) -> Iterator[int]:
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


def mask_of(cases: Iterable[int], size: int) -> Mask:
    bits = bytearray(size // 8 + 1)
    for case in cases:
        bits[case // 8] |= 1 << case % 8
    return int.from_bytes(bits, "little")


def is_certain(mask: Mask, failing: Mask) -> bool:
    """Returns whether (almost) every case of a set fails."""
    failed = (mask & failing).bit_count()
    return failed > 0 and failed >= CERTAIN * mask.bit_count()
