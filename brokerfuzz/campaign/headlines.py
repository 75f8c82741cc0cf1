"""Combines the findings of a campaign into headlines, one for each cause.

A finding is a contradiction at one place. If (almost) every case with an attribute fails, this attribute explains all
findings whose cases have it (see `common_attributes`). The other accepted messages have a headline for each leniency
(see `conversions`) that occurs at several places. Every other finding is a headline of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from brokerfuzz.campaign.case_attributes import (
    Attribute,
    attributes_of,
    attributes_of_answer,
    fault_attributes_of,
    of_faults,
)
from brokerfuzz.campaign.common_attributes import CERTAIN, ENOUGH, common_attributes, mask_of
from brokerfuzz.campaign.contradictions import IN_WORDS, FindingKind
from brokerfuzz.campaign.conversions import Leniency, leniency_of
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.headline_words import converts, in_words, nothing_checked_in, sometimes_unchecked
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.wording import counted

SEVERAL: Final = 3
"""A leniency at fewer places is no habit of the target, so each place is a headline of its own."""
FEW_TECHNIQUES: Final = 0.2
"""The share of the techniques of a leniency that must be accepted. With fewer, an example says more."""
_UNUSUAL: Final = re.compile(rb"[^ -\[\]-~]|__")
"""A byte that is not printable ASCII, the backslash of an escape, or a name such as `__proto__`."""
_LABELS: Final[Mapping[FindingKind, tuple[Label, ...]]] = {
    "invalid-accepted": ("invalid",),
    "valid-rejected": ("valid",),
}
"""The verdicts of the cases that can show a kind of finding, if it is not every case."""


@dataclass(frozen=True)
class Headline:
    """One cause. `text` says what the target does wrong, and `findings` shows where, the plainest finding first.

    `failed` of the `sent` cases that can have this cause show it. `places` is the number of rules or places at which
    the target does it, and `tried` is the number of rules at which it could. Both are 0 if the text names the place.
    `name` consists of eight hexadecimal digits, which stay the same as long as the cause does. A single finding gives
    its name to its headline. `is_general` is true if (almost) all cases with certain attributes show it, so a further
    finding with these attributes has the same cause.
    """

    kind: FindingKind
    text: str
    findings: tuple[Finding, ...]
    failed: int
    sent: int
    name: str
    places: int = 0
    tried: int = 0
    is_general: bool = False

    @property
    def known(self) -> bool:
        """True if the baseline contains all findings."""
        return all(finding.known for finding in self.findings)

    @property
    def extent(self) -> str:
        """How often it occurs, for example `at 14 of 16 places, 313 cases`."""
        cases = f"{self.failed:,} of {counted(self.sent, 'case')}" if self.failed < self.sent else ""
        cases = cases or counted(self.failed, "case")
        return f"at {self.places} of {counted(self.tried, 'place')}, {cases}" if self.places else cases

    def sentence(self) -> str:
        if len(self.findings) == 1:
            return self.findings[0].sentence()
        return f"{self.text} ({self.extent})"


def headlines_of(findings: Sequence[Finding], sent: Sequence[CaseAnswers], contract: Contract) -> tuple[Headline, ...]:
    """Returns the headlines of all findings, the most important ones first. Each finding belongs to one headline."""
    by_kind: dict[tuple[FindingKind, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_kind[finding.kind, finding.message_type].append(finding)
    found = [
        headline
        for (kind, _), some in by_kind.items()
        for headline in _Grouping(kind, some, list(_concerned(kind, sent)), contract).headlines()
    ]
    order = list(IN_WORDS)
    return tuple(sorted(found, key=lambda one: (order.index(one.kind), -one.failed)))


def problems_of(suspicions: Iterable[Finding], contract: Contract) -> list[str]:
    """Says in a few words what a target did wrong so far, the most frequent problems first. The causes are not known
    yet.
    """
    counts: Counter[str] = Counter()
    for one in suspicions:
        if one.kind == "invalid-accepted" and len(one.case.faults) == 1:
            counts[leniency_of(one.case, contract).text] += one.count
        else:
            counts[f"{IN_WORDS[one.kind]} ({one.answer.reason})"] += one.count
    return [text for text, _ in counts.most_common()]


def _concerned(kind: FindingKind, sent: Iterable[CaseAnswers]) -> Iterator[CaseAnswers]:
    labels = _LABELS.get(kind)
    if labels is None:
        return iter(sent)
    return (one for one in sent if one.verdict.label in labels and one.answer.kind in ("accepted", "rejected"))


@dataclass
class _PartialHeadline:
    """Findings with the same leniency at the same rule, or a single finding of another kind."""

    leniency: Leniency | None
    findings: list[Finding] = field(default_factory=list)

    @property
    def numbers(self) -> set[int]:
        return {number for finding in self.findings for number in finding.numbers}

    @property
    def rule(self) -> str:
        return self.findings[0].case.faults[0].rule

    @property
    def paths(self) -> list[str]:
        """The paths of the faults of the first case."""
        return _paths(self.findings[0].case)


@dataclass(frozen=True)
class _Cause:
    """A possible headline for several groups. `key` identifies it in every campaign."""

    key: tuple[str, ...]
    text: str
    groups: frozenset[int]
    failed: int = 0
    sent: int = 0
    tried: int = 0
    simplicity: int = 0
    is_general: bool = False


class _Grouping:
    """Groups the findings of one kind. `sent` are the cases that can show this kind of finding."""

    def __init__(
        self, kind: FindingKind, findings: Sequence[Finding], sent: Sequence[CaseAnswers], contract: Contract
    ) -> None:
        self._kind: FindingKind = kind
        self._findings, self._sent, self._contract = findings, sent, contract
        self._leniencies: dict[str, Leniency | None] = {}
        self._index = {one.number: index for index, one in enumerate(sent)}
        self._groups = list(self._found())

    def headlines(self) -> Iterator[Headline]:
        """Uses the causes of most groups first, so that few headlines remain."""
        causes = list(self._causes()) if len(self._groups) > 1 else []
        left = set(range(len(self._groups)))
        while causes:
            best = max(causes, key=lambda cause: (len(cause.groups & left), cause.simplicity, cause.failed))
            covered = best.groups & left
            if len(covered) < 2:
                break
            yield self._headline(
                best, [finding for index in sorted(covered) for finding in self._groups[index].findings]
            )
            left -= covered
        for index in sorted(left):
            group = self._groups[index]
            key = (group.rule, group.leniency.text) if group.leniency else group.findings[0].identity
            yield self._headline(_Cause(key, group.findings[0].claim(), frozenset()), group.findings)

    def _headline(self, cause: _Cause, findings: Iterable[Finding]) -> Headline:
        some = tuple(sorted(findings, key=_strangeness))
        failed = cause.failed or sum(finding.count for finding in some)
        places = len({rule for finding in some for rule in _rules(finding)}) if cause.tried else 0
        name = some[0].name if len(some) == 1 else self._name(cause.key)
        sent, tried = max(failed, cause.sent), max(places, cause.tried) if places else 0
        return Headline(self._kind, cause.text, some, failed, sent, name, places, tried, cause.is_general)

    def _name(self, key: Iterable[str]) -> str:
        parts = [self._kind, self._findings[0].message_type, *key]
        return sha256("\n".join(parts).encode(errors="backslashreplace")).hexdigest()[:8]

    # --------------------------------------------------------------------------------------------------------- groups

    def _found(self) -> Iterator[_PartialHeadline]:
        by_rule: dict[tuple[Leniency, str], _PartialHeadline] = {}
        for finding in self._findings:
            leniency = self._leniency(finding.case) if self._kind == "invalid-accepted" else None
            if leniency is None:
                yield _PartialHeadline(None, [finding])
            else:
                key = leniency, finding.case.faults[0].rule
                by_rule.setdefault(key, _PartialHeadline(leniency)).findings.append(finding)
        yield from by_rule.values()

    def _leniency(self, case: Case) -> Leniency | None:
        if case.id not in self._leniencies:
            self._leniencies[case.id] = leniency_of(case, self._contract) if len(case.faults) == 1 else None
        return self._leniencies[case.id]

    # --------------------------------------------------------------------------------------------------------- causes

    def _causes(self) -> Iterator[_Cause]:
        if self._kind == "invalid-accepted":
            unchecked = self._unchecked_sites()
            covered = frozenset(i for i, group in enumerate(self._groups) if _is_in(unchecked, group.paths))
            if unchecked:
                yield _Cause(("unchecked",), nothing_checked_in(unchecked), covered, simplicity=1)
            yield from self._habits(unchecked, covered)
            yield from self._rules()
        masks = [self._mask(group.numbers) for group in self._groups]
        for one in common_attributes(masks, self._failing(), self._having(), len(self._sent)):
            key = tuple(" ".join(attribute) for attribute in one.attributes)
            text = in_words(self._kind, one.attributes, self._groups[one.groups[0]].findings[0].answer.reason)
            simplicity = -len(one.attributes)
            yield _Cause(key, text, frozenset(one.groups), one.failed, one.sent, simplicity=simplicity, is_general=True)

    def _habits(self, unchecked: Sequence[str], covered: frozenset[int]) -> Iterator[_Cause]:
        """Yields the leniencies at several places, or at all places that are checked at all. The groups in `covered`
        are those of unchecked sites, which have another cause.
        """
        found: dict[Leniency, set[int]] = defaultdict(set)
        for index, group in enumerate(self._groups):
            if group.leniency is not None and index not in covered:
                found[group.leniency].add(index)
        tried: dict[Leniency, list[CaseAnswers]] = defaultdict(list)
        for one in self._sent:
            leniency = self._leniency(one.case)
            if leniency is not None and leniency in found and not _is_in(unchecked, _paths(one.case)):
                tried[leniency].append(one)
        habits = {
            leniency: groups
            for leniency, groups in found.items()
            if len(groups) >= SEVERAL or {self._groups[index].rule for index in groups} >= _rules_of(tried[leniency])
        }
        for leniency, groups in habits.items():
            text = f"{leniency.text}{_narrowed(tried[leniency])}"
            yield self._habit(("leniency", leniency.text), text, groups, tried[leniency])
        if sum(bool(one.conversion) for one in habits) >= SEVERAL:
            some = [one for one in found if one.conversion and (one in habits or not one.is_of_null)]
            some.sort(key=lambda one: -len(found[one]))
            every = [case for one in some for case in tried[one]]
            text = converts([one.conversion for one in some])
            yield self._habit(("conversions",), text, set().union(*(found[one] for one in some)), every)

    def _habit(self, key: tuple[str, ...], text: str, groups: Iterable[int], tried: Sequence[CaseAnswers]) -> _Cause:
        places = len(_rules_of(tried))
        return _Cause(key, text, frozenset(groups), sent=len(tried), tried=places, simplicity=1)

    def _rules(self) -> Iterator[_Cause]:
        """Yields the rules that are not checked in several ways."""
        ways: dict[str, set[int]] = defaultdict(set)
        for index, group in enumerate(self._groups):
            if group.leniency is not None:
                ways[group.rule].add(index)
        for rule, groups in ways.items():
            sent = sum(one.case.faults[0].rule == rule for one in self._sent if len(one.case.faults) == 1)
            yield _Cause(("rule", rule), sometimes_unchecked(rule), frozenset(groups), 0, sent, simplicity=-3)

    def _unchecked_sites(self) -> list[str]:
        """Returns the sites at which, and below which, (almost) every fault is accepted: properties that the target
        does not read. A target that reads nearly everything has no headline for them together.
        """
        sites = self._contract.sites[self._findings[0].message_type]
        tried: dict[str, list[CaseAnswers]] = defaultdict(list)
        for one in self._sent:
            for site in {attribute.site for attribute in of_faults(one.case, sites) if attribute.kind == "below"}:
                tried[site].append(one)
        found = sorted(site for site, some in tried.items() if self._is_unchecked(some))
        outermost = [site for site in found if not any(is_below(other, site) for other in found if other != site)]
        return outermost if len(outermost) >= SEVERAL else []

    def _is_unchecked(self, tried: Sequence[CaseAnswers]) -> bool:
        accepted = sum(one.answer.kind == "accepted" for one in tried)
        varieties = {self._leniency(one.case) for one in tried}
        return accepted >= max(ENOUGH, CERTAIN * len(tried)) and len(varieties) >= SEVERAL

    # ------------------------------------------------------------------------------------------------------ attributes

    def _mask(self, numbers: Iterable[int]) -> int:
        return mask_of((self._index[number] for number in numbers if number in self._index), len(self._sent))

    def _failing(self) -> int:
        failing = (one.number for one in self._sent if one.contradiction == self._kind)
        return self._mask(failing)

    def _having(self) -> dict[Attribute, int]:
        attributes: Callable[[Case, Contract], Iterator[Attribute]] = (
            fault_attributes_of if self._kind == "invalid-accepted" else attributes_of
        )
        cases: dict[Attribute, list[int]] = defaultdict(list)
        for index, one in enumerate(self._sent):
            for attribute in {*attributes(one.case, self._contract), *attributes_of_answer(one.answer)}:
                cases[attribute].append(index)
        return {attribute: mask_of(some, len(self._sent)) for attribute, some in cases.items()}


def is_below(site: str, path: str) -> bool:
    """Returns whether a path is the site or inside it."""
    return path == site or path.startswith((f"{site}.", f"{site}[]"))


def _is_in(sites: Iterable[str], paths: Sequence[str]) -> bool:
    return any(is_below(site, path) for site in sites for path in paths)


def _paths(case: Case) -> list[str]:
    return [site_of(fault.at) for fault in case.faults]


def _rules_of(tried: Iterable[CaseAnswers]) -> set[str]:
    return {one.case.faults[0].rule for one in tried}


def _narrowed(tried: Sequence[CaseAnswers]) -> str:
    """Returns an example of what is accepted, if a target accepts only what very few techniques generate: one that
    reads names in any case rejects all other unknown properties.
    """
    accepted = Counter(one.case.faults[0].technique for one in tried if one.answer.kind == "accepted")
    every = {one.case.faults[0].technique for one in tried}
    (technique, _), *_ = accepted.most_common(1)
    if len(accepted) > FEW_TECHNIQUES * len(every) or technique not in TECHNIQUES:  # a corpus may name others
        return ""
    text = TECHNIQUES[technique].text
    return f", only such as: {text[0].lower()}{text[1:].rstrip('.')}"


def _rules(finding: Finding) -> list[str]:
    return [fault.rule for fault in finding.case.faults]


def _strangeness(finding: Finding) -> tuple[bool, bool, int]:
    """Returns a sort key: people understand ordinary characters and short messages most easily."""
    return finding.flaky, _UNUSUAL.search(finding.body) is not None, len(finding.body)
