"""Explains wrong acceptances: what the target does not check. This needs no experiments, because the fault of each case
is known.

A unit is a leniency at a rule, for example "accepts strings for numbers" at `orderMinimum:type`. The explanation that
covers most units comes first: properties that are not read at all, items that are not checked, a leniency at many
rules, a rule. The units that remain are findings of their own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

from brokerfuzz.campaign.causes.conditions import DIFFERS, EQUALS, HAS_VALUE, MISSING
from brokerfuzz.campaign.causes.evidence import Attribute, Evidence, Mask, is_certain, mask_of
from brokerfuzz.campaign.causes.explanation import Explanation, some_of
from brokerfuzz.campaign.causes.leniencies import (
    IGNORES_CASE,
    IGNORES_UNKNOWN,
    Leniency,
    conversions_with_one_cause,
    leniency_of,
)
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.cases.case import Case
from brokerfuzz.pointers import is_within, path_below, steps_of, value_at
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.verdicts import contradiction
from brokerfuzz.wording import listed

MANY_RULES: Final = 10
"""If fewer rules were tested, the cases do not show that a target accepts everything."""
ALMOST: Final = 0.9
EVERYTHING: Final = "accepts (almost) every invalid message"
SEVERAL: Final = 3
"""A leniency at fewer places is no habit of the target, so each place is a finding of its own."""
ENOUGH, FEW = 4, 2
"""Fewer failing cases have attributes in common by chance. If no other case has the attributes, fewer are enough."""
USUAL: Final = 0.8
"""If more than this share of the cases without the attributes fails as well, the attributes explain nothing."""
COVERED: Final = 0.9
"""At least this share of the cases of a unit must have the attributes."""
COUNTEREXAMPLE: Final = 10
"""The number of failing cases that one case outweighs that does not fail."""
_UNUSUAL: Final = re.compile(rb"[^ -\[\]-~]|__|\"[^a-zA-Z\"]*\":")
"""A byte that is not printable ASCII, the backslash of an escape, or a name such as `__proto__` or an empty one."""


class FaultAttribute(NamedTuple):
    """Where a fault is: its `rule` or `condition`, `below` a site, or `nothing` (no value, null or empty) at a site; in
    an `item` of an array, or in a `later item`, counted from 0.
    """

    kind: str
    name: str
    item: int = 0

    def text(self) -> str:
        array = self.name or "arrays"
        match self.kind:
            case "rule":
                return f"{_short(self.name)} is not checked"
            case "condition":
                return f"the rules for {self.name} are not checked"
            case "below":
                return f"{self.name}: nothing is checked"
            case "item":
                return f"{array}: item {self.item + 1} is not checked"
            case _:
                checked = "the first item is" if self.item == 1 else f"the first {self.item} items are"
                return f"{array}: only {checked} checked"


@dataclass(frozen=True)
class _Unit:
    """A leniency at a rule. `leniency` is None for cases with several faults."""

    rule: str
    leniency: Leniency | None
    cases: Mask


@dataclass(frozen=True)
class _Candidate:
    """A possible explanation of several units. `cases` can have this cause, and `key` identifies it in every campaign.
    Of the candidates for equally many units, the one with the highest `simplicity` is used. Without a `text`, it is
    that of the conversions.
    """

    key: tuple[str, ...]
    text: str
    units: frozenset[int]
    cases: Mask
    simplicity: int = 1
    counts_places: bool = False
    checked_items: int = 0


class AcceptanceSearch:
    """Explains all wrong acceptances, except for the `sporadic` ones. Unproven rejections are no evidence that the
    target checks something.
    """

    def __init__(self, evidence: Evidence, sporadic: Mask = 0) -> None:
        self._evidence, self._contract = evidence, evidence.contract
        self._size = len(evidence.sent)
        self._failing = evidence.mask(lambda asked: asked.contradiction == "invalid-accepted") & ~sporadic
        self._concerned = evidence.mask(_could_fail) & ~sporadic
        self._ignoring_unknown = {
            asked.rule
            for asked in evidence.cases(self._failing)
            if asked.rule and leniency_of(asked.case, self._contract) == IGNORES_UNKNOWN
        }
        self._having = self._masks_of_faults()
        self._units = list(self._all_units())

    def explanations(self) -> list[Explanation]:
        if not self._failing:
            return []
        if self._accepts_everything():
            return [self._explanation((EVERYTHING,), EVERYTHING, self._failing, self._concerned)]
        return list(self._greedy())

    def _accepts_everything(self) -> bool:
        invalid = self._evidence.mask(lambda asked: asked.verdict.label == "invalid")
        rules = {asked.rule for asked in self._evidence.cases(invalid)}
        return len(rules) >= MANY_RULES and self._failing.bit_count() >= ALMOST * invalid.bit_count()

    def _greedy(self) -> Iterator[Explanation]:
        """Uses the candidates of most units first, so that few findings remain."""
        candidates = list(self._candidates()) if len(self._units) > 1 else []
        remaining = frozenset(range(len(self._units)))
        while candidates:
            best = max(candidates, key=lambda candidate: self._rank(candidate, remaining))
            covered = best.units & remaining
            if len(covered) < 2:
                break
            yield self._of_units(best, [self._units[index] for index in sorted(covered)])
            remaining -= covered
        for index in sorted(remaining):
            unit = self._units[index]
            key = (unit.rule, unit.leniency.text if unit.leniency else "several faults")
            yield self._explanation(key, "", unit.cases, unit.cases)

    def _of_units(self, candidate: _Candidate, units: Sequence[_Unit]) -> Explanation:
        """A habit that shows at one place only is a mistake at this place."""
        text = candidate.text or _converts(units)
        sites = {_site(unit.rule) for unit in units}
        covered = reduce(or_, (unit.cases for unit in units))
        if len(sites) > 1 or not candidate.counts_places:
            return self._explanation(
                candidate.key, text, covered, candidate.cases, counts_places=candidate.counts_places
            )
        concerned = reduce(or_, (self._having[FaultAttribute("rule", unit.rule)] for unit in units))
        return self._explanation(candidate.key, f"{sites.pop()}: {text}", covered, concerned & candidate.cases)

    def _rank(self, candidate: _Candidate, remaining: frozenset[int]) -> tuple[int, bool, int, int, int]:
        """A case that does not fail speaks against a cause more than one that fails speaks for it. If the same cases
        show that only the first item or the first ten items are checked, the latter claims less.
        """
        failed = (candidate.cases & self._failing).bit_count()
        weight = failed - COUNTEREXAMPLE * (candidate.cases.bit_count() - failed)
        units = len(candidate.units & remaining)
        return units, is_certain(candidate.cases, self._failing), candidate.simplicity, weight, candidate.checked_items

    def _explanation(
        self, key: tuple[str, ...], text: str, covered: Mask, concerned: Mask, *, counts_places: bool = False
    ) -> Explanation:
        cases = self._evidence.cases(covered)
        plainest = min(cases, key=_strangeness)
        rules = list(dict.fromkeys(asked.verdict.broken[0].rule for asked in cases))
        tried = {asked.rule for asked in self._evidence.cases(concerned | covered)} - {None}
        violation = plainest.verdict.broken[0]
        return Explanation(
            text=text or contradiction(violation.rule, violation.at, violation.found, violation.demanded, "accepted"),
            failure=Failure.of(plainest),
            key=key,
            failing=tuple(sorted({entry for asked in cases for entry in _failing_entries(asked)})),
            covered=covered,
            concerned=concerned | covered,
            sites=tuple(dict.fromkeys(rule.partition("/")[2].rpartition(":")[0] for rule in rules)),
            rules=tuple(rules),
            extent=(len(rules), len(tried)) if counts_places else (0, 0),
        )

    # --------------------------------------------------------------------------------------------------------- evidence

    def _mask(self, numbers: Iterable[int]) -> Mask:
        return mask_of(numbers, self._size)

    def _masks_of_faults(self) -> dict[FaultAttribute, Mask]:
        numbers: dict[FaultAttribute, list[int]] = defaultdict(list)
        for number, asked in enumerate(self._evidence.sent):
            if self._concerned >> number & 1:
                for attribute in dict.fromkeys(self._fault_attributes(asked.case)):
                    numbers[attribute].append(number)
        return {attribute: self._mask(cases) for attribute, cases in numbers.items()}

    def _fault_attributes(self, case: Case) -> Iterator[FaultAttribute]:
        for fault in case.faults:
            yield FaultAttribute("rule", fault.rule)
            if condition := fault.rule.partition("@")[2]:
                yield FaultAttribute("condition", condition)
            path = ""
            for step in steps_of(fault.at):
                if step.isdecimal():
                    yield from _in_item(path, int(step))
                    path += "[]"
                else:
                    path = path_below(path, step)
                yield FaultAttribute("below", path)
            if self._nothing_at(fault.at, path, case):
                yield FaultAttribute("nothing", path)

    def _nothing_at(self, pointer: str, path: str, case: Case) -> str:
        """Says that the place of a fault contains no value, null, or an empty array or string."""
        site = self._contract.sites[case.message_type].get(path)
        if site is None:
            return ""
        types = types_of(site.schema)
        try:
            value = value_at(case.value, pointer)
        except (KeyError, IndexError):
            return "missing"
        except (ValueError, TypeError, RecursionError):
            return ""
        if value is None:
            return "null"
        return "empty" if (value == [] and "array" in types) or (value == "" and "string" in types) else ""

    def _all_units(self) -> Iterator[_Unit]:
        units: dict[tuple[str, Leniency | None], list[int]] = defaultdict(list)
        for number, asked in enumerate(self._evidence.sent):
            if self._failing >> number & 1:
                leniency = self._leniency_of(asked.case) if asked.rule else None
                units[asked.rule or asked.verdict.broken[0].rule, leniency].append(number)
        for (rule, leniency), numbers in units.items():
            yield _Unit(rule, leniency, self._mask(numbers))

    def _leniency_of(self, case: Case) -> Leniency:
        leniency = leniency_of(case, self._contract)
        is_part = leniency == IGNORES_CASE and case.faults[0].rule in self._ignoring_unknown
        return IGNORES_UNKNOWN if is_part else leniency

    def _lenient(self) -> dict[Leniency, Mask]:
        """Returns the cases that a reader with each leniency would accept."""
        numbers: dict[Leniency, list[int]] = defaultdict(list)
        for number, asked in enumerate(self._evidence.sent):
            if self._concerned >> number & 1 and asked.rule:
                numbers[self._leniency_of(asked.case)].append(number)
        return {leniency: self._mask(cases) for leniency, cases in numbers.items()}

    def _rules_in(self, cases: Mask) -> int:
        return sum(bool(mask & cases) for attribute, mask in self._having.items() if attribute.kind == "rule")

    def _covered(self, cases: Mask) -> frozenset[int]:
        """Returns the units whose cases are (almost) all among these cases."""
        return frozenset(
            index
            for index, unit in enumerate(self._units)
            if (unit.cases & cases).bit_count() >= COVERED * unit.cases.bit_count()
        )

    def _is_explained_by(self, cases: Mask) -> bool:
        failed = (cases & self._failing).bit_count()
        if failed < (FEW if failed == cases.bit_count() else ENOUGH) or not is_certain(cases, self._failing):
            return False
        failing_without = (self._failing & ~cases).bit_count()
        return failing_without < USUAL * (self._concerned & ~cases).bit_count() or not self._concerned & ~cases

    # ------------------------------------------------------------------------------------------------------- candidates

    def _candidates(self) -> Iterator[_Candidate]:
        lenient = self._lenient()
        unread_sites = self._unread_sites(lenient)
        unread = reduce(or_, (self._having[FaultAttribute("below", site)] for site in unread_sites), 0)
        if unread_sites:
            text = f"{some_of(unread_sites)}: nothing is checked"
            yield _Candidate(("unchecked",), text, self._covered(unread), unread)
        yield from self._habits(lenient, unread | self._unchecked_items(lenient))
        yield from self._sites_with_several_leniencies()
        yield from self._places()

    def _unread_sites(self, lenient: dict[Leniency, Mask]) -> list[str]:
        """Returns the sites at which, and below which, (almost) every fault is accepted: properties that the target
        does not read. A target that reads nearly everything has no explanation for them together.
        """

        unread = sorted(attribute.name for attribute in self._unchecked("below", lenient))
        outermost = [site for site in unread if not any(is_within(site, other) for other in unread if other != site)]
        return outermost if len(outermost) >= SEVERAL else []

    def _unchecked_items(self, lenient: dict[Leniency, Mask]) -> Mask:
        unchecked = self._unchecked("later item", lenient)
        return reduce(or_, (self._having[attribute] for attribute in unchecked), 0)

    def _unchecked(self, kind: str, lenient: dict[Leniency, Mask]) -> list[FaultAttribute]:
        """Returns the attributes of this kind with which (almost) every fault of several kinds is accepted."""
        return [
            attribute
            for attribute, cases in self._having.items()
            if attribute.kind == kind
            and is_certain(cases, self._failing)
            and sum(bool(mask & cases) for mask in lenient.values()) >= SEVERAL
        ]

    def _habits(self, lenient: dict[Leniency, Mask], unread: Mask) -> Iterator[_Candidate]:
        """Yields the leniencies at several places, or at all places that are checked at all. The target does not read
        the places or items of the faults in `unread`, which is another cause.
        """
        units_with: dict[Leniency, set[int]] = defaultdict(set)
        for index in sorted({*range(len(self._units))} - self._covered(unread)):
            if leniency := self._units[index].leniency:
                units_with[leniency].add(index)
        tried = {leniency: lenient.get(leniency, 0) & ~unread for leniency in units_with}
        habits = []
        for leniency, units in units_with.items():
            rules = {self._units[index].rule for index in units}
            if len(units) >= SEVERAL or len(rules) >= self._rules_in(tried[leniency]):
                habits.append(leniency)
                key = ("leniency", leniency.text)
                yield _Candidate(key, leniency.text, frozenset(units), tried[leniency], counts_places=True)
        together = conversions_with_one_cause([habit for habit in habits if habit.found], units_with)
        if together:
            converted = frozenset[int]().union(*(units_with[leniency] for leniency in together))
            cases = reduce(or_, (tried[leniency] for leniency in together))
            yield _Candidate(("conversions",), "", converted, cases, counts_places=True)

    def _sites_with_several_leniencies(self) -> Iterator[_Candidate]:
        units_at: dict[str, list[int]] = defaultdict(list)
        for index, unit in enumerate(self._units):
            if unit.leniency:
                units_at[_site(unit.rule)].append(index)
        for site, indexes in units_at.items():
            units = [self._units[index] for index in indexes]
            rules = dict.fromkeys(unit.rule for unit in units)
            leniencies = {unit.leniency for unit in units}
            if len(units) >= SEVERAL or 1 in (len(rules), len(leniencies)):
                text = f"{site}: {_leniencies_in_words(units)}"
                cases = reduce(or_, (self._having[FaultAttribute("rule", rule)] for rule in rules))
                yield _Candidate(("site", site), text, frozenset(indexes), cases, simplicity=-3)

    def _places(self) -> Iterator[_Candidate]:
        """Yields places of faults at which (almost) every fault is accepted, perhaps only beside something else."""
        partly = []
        for attribute, cases in self._having.items():
            if self._is_explained_by(cases):
                yield self._place(attribute, self._text_of(attribute, cases), cases, -1)
            elif cases & self._failing:
                partly.append((attribute, cases))
        contexts = [(context, self._evidence.having(context)) for context in self._contexts()] if partly else []
        for attribute, cases in partly:
            for context, mask in contexts:
                both = cases & mask
                if both not in (cases, mask) and self._is_explained_by(both):
                    text = f"{self._text_of(attribute, both)} if {_in_words(context)}"
                    yield self._place(attribute, text, both, -2)

    def _text_of(self, attribute: FaultAttribute, cases: Mask) -> str:
        if attribute.kind != "nothing":
            return attribute.text()
        faults = [(asked.case, fault) for asked in self._evidence.cases(cases) for fault in asked.case.faults]
        nothing = {self._nothing_at(fault.at, attribute.name, case) for case, fault in faults} - {""}
        return f"{attribute.name}: accepted if it is {listed(sorted(nothing), 'or')}"

    def _place(self, attribute: FaultAttribute, text: str, cases: Mask, simplicity: int) -> _Candidate:
        return _Candidate((text,), text, self._covered(cases), cases, simplicity, checked_items=attribute.item)

    def _contexts(self) -> Iterator[Attribute]:
        for path, site in self._contract.sites[self._evidence.message_type].items():
            if "enum" in site.schema:
                for value in site.schema["enum"]:
                    yield Attribute(EQUALS.of(value), path)
                    yield Attribute(DIFFERS.of(value), path)
            if site.name and not site.required:
                yield from (Attribute(condition, path) for condition in (HAS_VALUE.of(), MISSING.of(), EQUALS.of(None)))


def _could_fail(asked: CaseAnswers) -> bool:
    """Each fault of a message may be the reason why it was rejected, so several say nothing about one of them."""
    if asked.verdict.label != "invalid":
        return False
    is_proven = asked.answer.kind == "rejected" and asked.why_unproven() is None
    return asked.answer.kind == "accepted" or (is_proven and len(asked.case.faults) < 2)


def _failing_entries(asked: CaseAnswers) -> Iterator[str]:
    """Yields what a baseline compares: the rule, the technique, and whether the fault is in a later item."""
    if not asked.case.faults:
        yield f"accepts {_short(asked.verdict.broken[0].rule)} without a technique"
    for fault in asked.case.faults:
        later = any(step.isdecimal() and int(step) for step in steps_of(fault.at))
        yield f"accepts {_short(fault.rule)} {fault.technique}{' in a later item' if later else ''}"


def _in_item(array: str, index: int) -> Iterator[FaultAttribute]:
    for name in (array, ""):
        yield from (FaultAttribute("later item", name, first) for first in range(1, min(index, 10) + 1))
        if index:
            yield FaultAttribute("item", name, index)


def _leniencies_in_words(units: Sequence[_Unit]) -> str:
    leniencies = dict.fromkeys(unit.leniency for unit in units if unit.leniency)
    if len(leniencies) == 1:
        return next(iter(leniencies)).text
    if all(leniency.found for leniency in leniencies):
        return _converts(units)
    return f"does not always check {some_of(list(dict.fromkeys(_keyword(unit.rule) for unit in units)))}"


def _converts(units: Sequence[_Unit]) -> str:
    """Writes, for example, `accepts null for objects, strings and numbers`, if all conversions have one side."""
    units_with = Counter(unit.leniency for unit in units if unit.leniency)
    conversions = [leniency for leniency, _ in units_with.most_common()]
    found = list(dict.fromkeys(conversion.found for conversion in conversions))
    wanted = list(dict.fromkeys(conversion.wanted for conversion in conversions))
    if 1 in (len(found), len(wanted)):
        return f"accepts {some_of(found)} for {some_of(wanted)}"
    pairs = [f"{conversion.found} for {conversion.wanted}" for conversion in conversions]
    return f"converts values of wrong types: {some_of(pairs)}"


def _in_words(context: Attribute) -> str:
    return str(context.condition).replace("it", context.site or "the message", 1)


def _short(rule: str) -> str:
    return rule.partition("/")[2]


def _site(rule: str) -> str:
    return _short(rule).rpartition(":")[0] or "message"


def _keyword(rule: str) -> str:
    return rule.rpartition(":")[2].partition("@")[0]


def _strangeness(asked: CaseAnswers) -> tuple[bool, bool, int, int, int]:
    """Returns a sort key: people understand ordinary characters and short messages most easily."""
    body, broken = asked.case.body, asked.verdict.broken
    return len(broken) > 1, _UNUSUAL.search(body) is not None, len(broken[0].found), len(body), asked.number
