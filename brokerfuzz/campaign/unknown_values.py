"""Notices that the target knows only certain values of a property, such as the IDs of its products.

Such a target rejects every valid message with this property, and accepts other valid messages. Without reference data
(`--values`), all these rejections would look like findings, and most rejections of invalid messages would be unproven.

    {"number": "A", "offerType": "Email"}                                          accepted
    {"number": "A", …, "productClusters": [{"products": [{"productId": "a"}]}]}    rejected: the site is productClusters[].products[].productId
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from brokerfuzz.campaign.named_properties import named_properties, names_of
from brokerfuzz.campaign.proof import ABOUT_THE_CLIENT
from brokerfuzz.campaign.suspicion import Suspicion
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import read_tree, sites
from brokerfuzz.schemas import Contract
from brokerfuzz.targets import Answer
from brokerfuzz.wording import listed

MOST_MESSAGES = 2000
"""The number of valid messages that are examined."""
_OTHER_REASONS = 10
"""At most one of this number of rejections may have another reason, such as a bug."""


@dataclass
class ValueEvidence:
    """The sites of the strings in accepted and in rejected valid messages. `named` counts how often the rejections name each
    property.
    """

    accepted: set[str] = field(default_factory=set)
    rejected: Counter[frozenset[str]] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    messages: int = 0

    def add(self, case: Case, answer: Answer, contract: Contract) -> None:
        """Records the answer to a valid message."""
        if self.messages >= MOST_MESSAGES or answer.kind not in ("accepted", "rejected") or answer.status in ABOUT_THE_CLIENT:
            return
        self.messages += 1
        if answer.kind == "accepted":
            self.accepted |= strings_in(case.body)
        else:
            self.rejected[strings_in(case.body)] += 1
            self.named.update(named_properties(answer.body, names_of(contract, case.message_type)))

    def absorb(self, other: "ValueEvidence") -> None:
        """Adds the evidence from another part of the campaign."""
        self.accepted |= other.accepted
        self.rejected += other.rejected
        self.named += other.named
        self.messages += other.messages

    def sites(self) -> tuple[str, ...]:
        """Returns the sites at which the target accepted no value, if they explain almost all rejections of valid messages. If
        the target accepted no valid message at all, returns only sites that most rejections name.
        """
        often = {name for name, count in self.named.items() if 2 * count >= self.rejected.total()}
        left, found = dict(self.rejected), list[str]()
        while left:
            coverage = Counter[str]()
            for strings, count in left.items():
                coverage.update({site: count for site in strings - self.accepted if self.accepted or _name(site) in often})
            best = max(coverage, key=lambda site: (coverage[site], _name(site) in often, site), default=None)
            if best is None or 2 * coverage[best] < sum(left.values()):
                break
            found.append(best)
            left = {strings: count for strings, count in left.items() if best not in strings}
        return tuple(sorted(found)) if _OTHER_REASONS * sum(left.values()) <= self.rejected.total() else ()


def strings_in(body: bytes) -> frozenset[str]:
    """Returns the sites of all strings in a message that are not empty."""
    try:
        return frozenset(site for site, value in sites(read_tree(body)) if isinstance(value, str) and value)
    except ValueError:
        return frozenset()


def _name(site: str) -> str:
    return site.removesuffix("[]").rpartition(".")[2]


def merged(suspicions: Iterable[Suspicion], unknown: Collection[str]) -> list[Suspicion]:
    """Merges all contradictions that unknown values explain into one contradiction."""
    kept: list[Suspicion] = []
    first: Suspicion | None = None
    for suspicion in suspicions:
        if suspicion.kind != "valid-rejected" or strings_in(suspicion.case.body).isdisjoint(unknown):
            kept.append(suspicion)
        elif first is None:
            first = suspicion
            kept.append(first)
        else:
            first.merge(suspicion)
    return kept


def advice(unknown: Sequence[str]) -> str:
    """Names the sites whose values the target does not know, and the option that solves this problem."""
    return f"the target accepts no value of {listed(unknown)}: if it knows only certain values, list them with --values FILE"


def file_lines(unknown: Sequence[str]) -> list[str]:
    """Returns the lines of an example file for `--values`, with placeholders as values."""
    return [f'"{site}" = ["VALUE", "VALUE"]' for site in unknown]
