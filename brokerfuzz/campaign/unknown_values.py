"""Detects that the target knows only certain values of a property, such as the IDs of its products.

Such a target rejects every valid message with an unknown value of this property, and accepts other valid messages.
Without reference data (`--values`), these rejections would look like findings. Most rejections of invalid messages
would prove nothing, because an unknown value could be the reason.

    {"number": "A", "offerType": "Email"}                                          accepted {"number": "A", …,
    "productClusters": [{"products": [{"productId": "a"}]}]}    rejected: the site is
    productClusters[].products[].productId

Messages often contain the same small integers, so the target may know some integers of a property. In the next example,
the target probably knows 1 and 10, but not 7:

    "orderMinimum": 10     accepted        "orderMinimum": 7     rejected
    "orderMinimum": 1      accepted        7 is between two accepted values, so a wrong bound is not the reason
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from sys import intern
from typing import Any

import orjson

from brokerfuzz.campaign.journal import BLOCK
from brokerfuzz.campaign.named_properties import named_properties, names_of
from brokerfuzz.campaign.proof import ABOUT_THE_CLIENT
from brokerfuzz.campaign.suspicion import Suspicion
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract
from brokerfuzz.targets import Answer
from brokerfuzz.wording import listed

LAST_NUMBER = 16 * BLOCK
"""Cases with a higher number are not examined. A shard has at most 1,024 cases, so at most 16,384 messages are
examined.
"""
_LONGEST = 16_384
"""The maximum size of a message that is examined, in bytes."""
_OTHER_REASONS = 10
"""Unknown values must explain at least nine of ten rejections. The remaining rejections may have another reason, such
as a bug.
"""
_MOST_SHOWN = 8

Value = tuple[str, int | None]
"""A value in a message: `(site, integer)` for an integer, and `(site, None)` for a non-empty string."""
UnknownValues = Mapping[str, Sequence[int]]
"""The keys are the sites at which the target knows only certain values. Each value contains the integers that the
target accepted at the site.
"""


@dataclass
class ValueEvidence:
    """Collects answers to valid messages: the values of all accepted messages, and the values of each rejected message.
    For each property, `named` counts the rejections whose answers name this property.
    """

    accepted: set[Value] = field(default_factory=set)
    rejected: Counter[frozenset[Value]] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, case: Case, answer: Answer, contract: Contract) -> None:
        if number >= LAST_NUMBER or len(case.body) > _LONGEST or answer.status in ABOUT_THE_CLIENT:
            return
        if answer.kind == "accepted":
            self.accepted |= values_in(case.body)
        elif answer.kind == "rejected":
            self.rejected[values_in(case.body)] += 1
            self.named.update(named_properties(answer.body, names_of(contract, case.message_type)))

    def absorb(self, other: "ValueEvidence") -> None:
        self.accepted |= other.accepted
        self.rejected += other.rejected
        self.named += other.named

    def sites(self) -> UnknownValues:
        """Returns the sites whose values the target probably does not know. Almost all rejected valid messages have an
        unknown value at one of these sites.

        If the target accepted no valid message, a site is returned only if at least half of the rejections name the
        property at this site.
        """
        if not self.rejected:
            return {}
        numbers = _numbers(self.accepted)
        left, found = self._suspects(numbers), list[str]()
        integers = {site for values in self.rejected for site, number in values if number is not None}
        while left:
            coverage = Counter[str]()
            for suspects, count in left:
                coverage.update(dict.fromkeys(suspects, count))
            best = max(
                coverage,
                key=lambda site: (coverage[site], self._is_named(site), site not in integers, site),
                default=None,
            )
            if best is None or 2 * coverage[best] < sum(count for _, count in left):
                break
            found.append(best)
            left = [(suspects, count) for suspects, count in left if best not in suspects]
        is_explained = _OTHER_REASONS * sum(count for _, count in left) <= self.rejected.total()
        return {site: sorted(numbers.get(site, ())) for site in sorted(found)} if is_explained else {}

    def _suspects(self, numbers: Mapping[str, set[int]]) -> list[tuple[set[str], int]]:
        """Groups rejected messages with equal values. For each group, returns the sites whose values may be unknown to
        the target, and the number of messages in the group. `numbers` contains the accepted integers of each site.
        """
        unknown = [(values - self.accepted, count) for values, count in self.rejected.items()]
        gaps = {
            site
            for values, _ in unknown
            for site, number in values
            if number is not None and _is_between(number, numbers.get(site, ()))
        }

        def may_be_unknown(site: str, number: int | None) -> bool:
            if number is not None and site in numbers:
                return site in gaps
            return bool(self.accepted) or self._is_named(site)

        return [({site for site, number in values if may_be_unknown(site, number)}, count) for values, count in unknown]

    def _is_named(self, site: str) -> bool:
        """Returns whether at least half of the rejections name the property at `site`."""
        return 2 * self.named[site.removesuffix("[]").rpartition(".")[2]] >= self.rejected.total()


def _is_between(number: int, accepted: Collection[int]) -> bool:
    return bool(accepted) and min(accepted) < number < max(accepted)


def _numbers(values: Iterable[Value]) -> Mapping[str, set[int]]:
    found = defaultdict[str, set[int]](set)
    for site, number in values:
        if number is not None:
            found[site].add(number)
    return found


def values_in(body: bytes) -> frozenset[Value]:
    """Returns a pair for each integer and each non-empty string in the message (see `Value`)."""
    found: set[Value] = set()
    with suppress(ValueError):
        _collect(orjson.loads(body), "", found)
    return frozenset(found)


def _collect(value: Any, site: str, found: set[Value]) -> None:
    kind = type(value)
    if kind is str:
        if value:
            found.add((site, None))
    elif kind is int:
        found.add((site, value))
    elif kind is dict:
        for name, prop in value.items():
            _collect(prop, intern(f"{site}.{name}" if site else name), found)
    elif kind is list:
        site = intern(f"{site}[]")
        for item in value:
            _collect(item, site, found)


def merged(suspicions: Iterable[Suspicion], unknown: UnknownValues) -> list[Suspicion]:
    """Combines all rejected valid messages that contain unknown values into one contradiction."""
    kept: list[Suspicion] = []
    first: Suspicion | None = None
    for suspicion in suspicions:
        if suspicion.kind != "valid-rejected" or not _contains_unknown(suspicion.case.body, unknown):
            kept.append(suspicion)
        elif first is None:
            first = suspicion
            kept.append(first)
        else:
            first.merge(suspicion)
    return kept


def _contains_unknown(body: bytes, unknown: UnknownValues) -> bool:
    return bool(unknown) and any(site in unknown and number not in unknown[site] for site, number in values_in(body))


def advice(unknown: UnknownValues) -> str:
    """Names the sites at which the target knows only certain values, and recommends the option `--values`."""
    some = [site for site, numbers in unknown.items() if numbers]
    none = [site for site in unknown if site not in some]
    said = ([f"no value of {listed(none)}"] if none else []) + ([f"only some values of {listed(some)}"] if some else [])
    return f"the target accepts {' and '.join(said)}: if it knows only certain values, list them with --values FILE"


def file_lines(unknown: UnknownValues) -> list[str]:
    """Returns the lines of a file for `--values`. The values in these lines are the integers that the target accepted,
    or placeholders.
    """
    return [
        f'"{site}" = {json.dumps(list(numbers[:_MOST_SHOWN]) or ["VALUE", "VALUE"])}'
        for site, numbers in unknown.items()
    ]
