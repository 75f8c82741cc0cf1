"""Combines the findings of a campaign into headlines, one for each cause.

A finding is a contradiction at one place. If (almost) every case with an attribute fails, this attribute explains all
findings whose cases have it (see `common_attributes`). The other accepted messages have a headline for each leniency
(see `conversions`) that occurs at several places. Every other finding is a headline of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from operator import or_
from typing import Final, TypeVar

from brokerfuzz.campaign.case_attributes import (
    Attribute,
    attributes_of,
    attributes_of_answer,
    fault_attributes_of,
)
from brokerfuzz.campaign.common_attributes import Mask, common_attributes, covers, is_certain, mask_of
from brokerfuzz.campaign.contradictions import IN_WORDS, FindingKind
from brokerfuzz.campaign.conversions import Leniency, leniency_of, one_habit
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.headline_words import converts, in_words, narrowed, nothing_checked_in, sometimes_unchecked
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.wording import counted

_Kind = TypeVar("_Kind", Attribute, Leniency)

SEVERAL: Final = 3
"""A leniency at fewer places is no habit of the target, so each place is a headline of its own."""
COUNTEREXAMPLE: Final = 10
"""The number of failing cases that one case outweighs that does not fail."""
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


def _concerned(kind: FindingKind, sent: Iterable[CaseAnswers]) -> Iterator[CaseAnswers]:
    labels = _LABELS.get(kind)
    if labels is None:
        return iter(sent)
    return (one for one in sent if one.verdict.label in labels and one.answer.kind in ("accepted", "rejected"))


@dataclass(frozen=True)
class _Group:
    """Findings with the same leniency at the same rule, or a single finding of another kind, and its cases."""

    leniency: Leniency | None
    findings: Sequence[Finding]
    cases: Mask

    @property
    def rule(self) -> str:
        return self.findings[0].case.faults[0].rule


@dataclass(frozen=True)
class _Cause:
    """A possible headline for several groups. `cases` can have this cause, and `key` identifies it in every campaign.
    Of the causes of equally many groups, the one with the highest `simplicity` is used.
    """

    key: tuple[str, ...]
    text: str
    groups: frozenset[int]
    cases: Mask
    simplicity: int = 1
    is_general: bool = False
    names_place: bool = True


class _Grouping:
    """Groups the findings of one kind. `sent` are the cases that can show this kind of finding."""

    def __init__(
        self, kind: FindingKind, findings: Sequence[Finding], sent: Sequence[CaseAnswers], contract: Contract
    ) -> None:
        self._kind: FindingKind = kind
        self._sent, self._contract, self._message_type = sent, contract, findings[0].message_type
        self._index = {one.number: index for index, one in enumerate(sent)}
        self._failing = self._mask(one.number for one in sent if one.contradiction == kind)
        self._having = self._masks(self._attributes)
        self._lenient = self._masks(self._leniencies)
        """The cases that a reader with a leniency would accept. Other kinds of findings have none."""
        self._groups = list(self._grouped(findings))

    def headlines(self) -> Iterator[Headline]:
        """Uses the causes of most groups first, so that few headlines remain."""
        causes = list(self._causes()) if len(self._groups) > 1 else []
        left = frozenset(range(len(self._groups)))
        while causes:
            best = max(causes, key=lambda one: (len(one.groups & left), one.simplicity, self._evidence(one)))
            covered = best.groups & left
            if len(covered) < 2:
                break
            yield self._headline(best, [one for index in sorted(covered) for one in self._groups[index].findings])
            left -= covered
        for index in sorted(left):
            yield self._of_group(self._groups[index])

    def _of_group(self, group: _Group) -> Headline:
        first, some = group.findings[0], tuple(sorted(group.findings, key=_strangeness))
        key = (group.rule, group.leniency.text) if group.leniency else first.identity
        count = sum(finding.count for finding in some)
        name = first.name if len(some) == 1 else self._name(key)
        return Headline(self._kind, first.claim(), some, count, count, name)

    def _headline(self, cause: _Cause, findings: Iterable[Finding]) -> Headline:
        some = tuple(sorted(findings, key=_strangeness))
        places = 0 if cause.names_place else len({finding.case.faults[0].rule for finding in some})
        tried = 0 if cause.names_place else max(places, self._places(cause.cases))
        failed, sent, name = self._failed(cause), cause.cases.bit_count(), self._name(cause.key)
        return Headline(self._kind, cause.text, some, failed, sent, name, places, tried, cause.is_general)

    def _evidence(self, cause: _Cause) -> int:
        """A case that does not fail speaks against a cause more than one that fails speaks for it."""
        failed = self._failed(cause)
        return failed - COUNTEREXAMPLE * (cause.cases.bit_count() - failed)

    def _failed(self, cause: _Cause) -> int:
        return (cause.cases & self._failing).bit_count()

    def _name(self, key: Iterable[str]) -> str:
        parts = [self._kind, self._message_type, *key]
        return sha256("\n".join(parts).encode(errors="backslashreplace")).hexdigest()[:8]

    # ------------------------------------------------------------------------------------------------ sets of cases

    def _mask(self, numbers: Iterable[int]) -> Mask:
        return mask_of((self._index[number] for number in numbers if number in self._index), len(self._sent))

    def _masks(self, kinds_of: Callable[[CaseAnswers], Iterable[_Kind]]) -> dict[_Kind, Mask]:
        found: dict[_Kind, list[int]] = defaultdict(list)
        for one in self._sent:
            for kind in set(kinds_of(one)):
                found[kind].append(one.number)
        return {kind: self._mask(numbers) for kind, numbers in found.items()}

    def _attributes(self, one: CaseAnswers) -> Iterator[Attribute]:
        of_case = fault_attributes_of if self._kind == "invalid-accepted" else attributes_of
        yield from of_case(one.case, self._contract)
        yield from attributes_of_answer(one.answer)

    def _leniencies(self, one: CaseAnswers | Finding) -> list[Leniency]:
        is_about_a_rule = self._kind == "invalid-accepted" and len(one.case.faults) == 1
        return [leniency_of(one.case, self._contract)] if is_about_a_rule else []

    def _places(self, cases: Mask) -> int:
        """The number of rules that the cases break."""
        return sum(bool(mask & cases) for attribute, mask in self._having.items() if attribute.kind == "rule")

    def _grouped(self, findings: Iterable[Finding]) -> Iterator[_Group]:
        groups: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
        for finding in findings:
            leniency = [one.text for one in self._leniencies(finding)]
            groups[(finding.case.faults[0].rule, *leniency) if leniency else finding.identity].append(finding)
        for some in groups.values():
            leniency_or_none = next(iter(self._leniencies(some[0])), None)
            yield _Group(leniency_or_none, some, self._mask(number for one in some for number in one.numbers))

    # --------------------------------------------------------------------------------------------------------- causes

    def _causes(self) -> Iterator[_Cause]:
        if self._lenient:
            unchecked = self._unchecked_sites()
            unread = reduce(or_, (self._having[Attribute("below", site)] for site in unchecked), 0)
            if unchecked:
                yield _Cause(("unchecked",), nothing_checked_in(unchecked), self._covered(unread), unread)
            yield from self._habits(unread)
            yield from self._rules()
        for attributes, cases in common_attributes(self._failing, self._having, len(self._sent)):
            if covered := frozenset(i for i in self._covered(cases) if _agrees(self._groups[i].findings, attributes)):
                key = tuple(" ".join(attribute) for attribute in attributes)
                reasons = [self._groups[index].findings[0].answer.reason for index in sorted(covered)]
                text = in_words(self._kind, attributes, reasons)
                yield _Cause(key, text, covered, cases, simplicity=-len(attributes), is_general=True)

    def _covered(self, cases: Mask) -> frozenset[int]:
        """Returns the groups whose cases are (almost) all among these cases."""
        return frozenset(index for index, group in enumerate(self._groups) if covers(cases, group.cases))

    def _unchecked_sites(self) -> list[str]:
        """Returns the sites at which, and below which, (almost) every fault is accepted: properties that the target
        does not read. A target that reads nearly everything has no headline for them together.
        """
        found = sorted(
            attribute.site
            for attribute, cases in self._having.items()
            if attribute.kind == "below" and is_certain(cases, self._failing) and self._varieties(cases) >= SEVERAL
        )
        outermost = [site for site in found if not any(is_below(other, site) for other in found if other != site)]
        return outermost if len(outermost) >= SEVERAL else []

    def _varieties(self, cases: Mask) -> int:
        return sum(bool(mask & cases) for mask in self._lenient.values())

    def _habits(self, unread: Mask) -> Iterator[_Cause]:
        """Yields the leniencies at several places, or at all places that are checked at all. The target does not read
        the places of the faults in `unread`, which is another cause.
        """
        found: dict[Leniency, set[int]] = defaultdict(set)
        for index in sorted({*range(len(self._groups))} - self._covered(unread)):
            if leniency := self._groups[index].leniency:
                found[leniency].add(index)
        tried = {leniency: self._lenient[leniency] & ~unread for leniency in found}
        habits = []
        for leniency, groups in found.items():
            rules = {self._groups[index].rule for index in groups}
            if len(groups) >= SEVERAL or len(rules) >= self._places(tried[leniency]):
                habits.append(leniency)
                text = f"{leniency.text}{self._narrowed(tried[leniency])}"
                yield _Cause(("leniency", leniency.text), text, frozenset(groups), tried[leniency], names_place=False)
        if some := one_habit([one for one in habits if one.found], found):
            some.sort(key=lambda one: -len(found[one]))
            groups, cases = set().union(*(found[one] for one in some)), reduce(or_, (tried[one] for one in some))
            text = converts(some)
            yield _Cause(("conversions",), text, frozenset(groups), cases, names_place=False)

    def _narrowed(self, tried: Mask) -> str:
        cases = [one for index, one in enumerate(self._sent) if tried >> index & 1]
        accepted = [one.case.faults[0].technique for one in cases if one.answer.kind == "accepted"]
        return narrowed(Counter(accepted), {one.case.faults[0].technique for one in cases})

    def _rules(self) -> Iterator[_Cause]:
        """Yields the rules that are not checked in several ways."""
        for attribute, cases in self._having.items():
            groups = frozenset(i for i, one in enumerate(self._groups) if one.leniency and one.rule == attribute.site)
            if attribute.kind == "rule" and len(groups) > 1:
                yield _Cause(
                    ("rule", attribute.site), sometimes_unchecked(attribute.site), groups, cases, simplicity=-3
                )


def is_below(site: str, path: str) -> bool:
    """Returns whether a path is the site or inside it."""
    return path == site or path.startswith((f"{site}.", f"{site}[]"))


def _agrees(findings: Iterable[Finding], attributes: Iterable[Attribute]) -> bool:
    """Returns False if the proven causes of the findings are at other sites than the attributes: messages with one
    unusual property often have others, too.
    """
    causes = [site_of(place) for finding in findings for place in finding.places]
    sites = [one.site for one in attributes if one.site and one.kind not in {"rule", "condition"}]
    return not causes or all(
        any(not cause or is_below(site, cause) or is_below(cause, site) for cause in causes) for site in sites
    )


def _strangeness(finding: Finding) -> tuple[bool, bool, int]:
    """Returns a sort key: people understand ordinary characters and short messages most easily."""
    return finding.flaky, _UNUSUAL.search(finding.body) is not None, len(finding.body)
