"""Explains wrong acceptances: what the target does not check. This needs no experiments, because the fault of each case
is known.

A unit is a habit at a rule, for example "accepts strings for numbers" at `orderMinimum:type`. The explanation that
covers most units comes first: properties that are not read at all, items that are not checked, a habit at many rules, a
rule. The units that remain are findings of their own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from brokerfuzz.campaign.causes.attributes import Attribute
from brokerfuzz.campaign.causes.conditions import DIFFERS, EQUALS, HAS_VALUE, MISSING
from brokerfuzz.campaign.causes.evidence import COUNTEREXAMPLE, Evidence, TrialSet, is_certain, union
from brokerfuzz.campaign.causes.explanation import MOST_NAMED, Explanation
from brokerfuzz.campaign.causes.leniencies import (
    IGNORES_CASE,
    IGNORES_UNKNOWN,
    Habit,
    UncheckedPlace,
    arrays_with_later_item,
    conversions_in_words,
    conversions_with_one_cause,
    habit_of,
    missing_null_or_empty,
    unchecked_places_of,
)
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.pointers import is_within
from brokerfuzz.schemas.rule import JSON_RULE, parts_of_id, short_id
from brokerfuzz.schemas.verdicts import contradiction
from brokerfuzz.wording import listed

MANY_RULES: Final = 10
"""If fewer rules were tested, the cases do not show that a target accepts everything."""
ALMOST: Final = 0.9
EVERYTHING: Final = "accepts (almost) every invalid message"
SEVERAL: Final = 3
"""A habit at fewer places is no habit of the target, so each place is a finding of its own."""
ENOUGH, FEW = 4, 2
"""Fewer failing cases have a place in common by chance. If no other case has it, fewer are enough."""
USUAL: Final = 0.8
"""If more than this share of the cases at other places fails as well, the place explains nothing."""
FEW_PLACES: Final = 0.25
"""A target that accepts every type at more than this share of the places converts values."""
COVERED: Final = 0.9
"""At least this share of the cases of a unit must belong to its explanation."""
_UNUSUAL: Final = re.compile(rb"[^ -\[\]-~]|__|\"[^a-zA-Z\"]*\":")
"""A byte that is not printable ASCII, the backslash of an escape, or a name such as `__proto__` or an empty one."""


@dataclass(frozen=True, eq=False)
class _Unit:
    """A habit at a rule. `habit` is None for cases with several faults."""

    rule: str
    habit: Habit | None
    cases: TrialSet

    @property
    def site(self) -> str:
        return parts_of_id(self.rule).site or "message"


@dataclass(frozen=True)
class _Candidate:
    """A possible explanation of several units. `cases` can have this cause, and `key` identifies it in every campaign.
    Of the candidates for equally many units, the one with the highest `simplicity` is used. Without a `text`, it is
    that of the conversions. `is_everywhere` is true for a habit that shows at all places, and at more than one.
    """

    key: tuple[str, ...]
    text: str
    units: frozenset[_Unit]
    cases: TrialSet
    simplicity: int = 1
    is_habit: bool = False
    is_everywhere: bool = False
    checked_items: int = 0


class AcceptanceSearch:
    """Explains all wrong acceptances, except for the `sporadic` ones. Unproven rejections are no evidence that the
    target checks something.
    """

    def __init__(self, evidence: Evidence, sporadic: TrialSet = 0) -> None:
        self._evidence, self._contract = evidence, evidence.contract
        self._failing = evidence.where(lambda trial: trial.contradiction == "invalid-accepted") & ~sporadic
        self._concerned = evidence.where(_could_fail) & ~sporadic
        self._ignoring_unknown = {
            trial.rule
            for trial in evidence.trials_in(self._failing)
            if trial.rule and habit_of(trial.case, self._contract) == IGNORES_UNKNOWN
        }
        units = evidence.trials_by(self._rule_and_habit, self._failing)
        self._units = [_Unit(rule, habit, cases) for (rule, habit), cases in units.items()]

    def explanations(self) -> list[Explanation]:
        if not self._failing:
            return []
        if self._accepts_everything():
            return [self._explanation((EVERYTHING,), EVERYTHING, self._failing, self._concerned)]
        return list(self._greedy())

    def _accepts_everything(self) -> bool:
        invalid = self._evidence.where(lambda trial: trial.verdict.label == "invalid")
        rules = {trial.rule for trial in self._evidence.trials_in(invalid)}
        return len(rules) >= MANY_RULES and self._failing.bit_count() >= ALMOST * invalid.bit_count()

    def _greedy(self) -> Iterator[Explanation]:
        """Uses the candidates of most units first, so that few findings remain."""
        candidates = list(self._candidates()) if len(self._units) > 1 else []
        remaining = frozenset(self._units)
        while candidates:
            best = max(candidates, key=lambda candidate: self._rank(candidate, remaining))
            covered = best.units & remaining
            if len(covered) < 2:
                break
            yield self._explanation_of(best, [unit for unit in self._units if unit in covered])
            remaining -= covered
        for unit in [unit for unit in self._units if unit in remaining]:
            key = (unit.rule, unit.habit.text if unit.habit else "several faults")
            yield self._explanation(key, self._slips_in_words(unit), unit.cases, unit.cases)

    def _slips_in_words(self, unit: _Unit) -> str:
        """Says what a lenient parser accepts. Of all other units, one value says enough."""
        if parts_of_id(unit.rule).keyword != JSON_RULE:
            return ""
        techniques = {fault.technique for trial in self._evidence.trials_in(unit.cases) for fault in trial.case.faults}
        return f"message: accepts text that is not JSON ({listed(sorted(techniques), most=MOST_NAMED)})"

    def _explanation_of(self, candidate: _Candidate, units: Sequence[_Unit]) -> Explanation:
        """A habit that shows at one place only, or at two of many, is a mistake at these places."""
        text = candidate.text or conversions_in_words(unit.habit for unit in units if unit.habit)
        sites = {unit.site for unit in units}
        covered = union(unit.cases for unit in units)
        if not candidate.is_habit:
            names_items = candidate.checked_items > 0
            return self._explanation(candidate.key, text, covered, candidate.cases, names_items=names_items)
        rules = {unit.rule for unit in units}
        if len(sites) > MOST_NAMED or (len(sites) > 1 and len(rules) == self._tried_rules(candidate.cases)):
            return self._explanation(candidate.key, text, covered, candidate.cases, is_habit=True)
        tried = candidate.cases & self._with_rules(rules)
        return self._explanation(candidate.key, f"{listed(sorted(sites))}: {text}", covered, tried)

    def _rank(self, candidate: _Candidate, remaining: frozenset[_Unit]) -> tuple[int, bool, int, int, int]:
        """A case that does not fail speaks against a cause more than one that fails speaks for it. If the same cases
        show that only the first item or the first ten items are checked, the latter claims less.
        """
        failed = (candidate.cases & self._failing).bit_count()
        weight = failed - COUNTEREXAMPLE * (candidate.cases.bit_count() - failed)
        units = len(candidate.units & remaining)
        return units, is_certain(candidate.cases, self._failing), candidate.simplicity, weight, candidate.checked_items

    def _explanation(
        self,
        key: tuple[str, ...],
        text: str,
        covered: TrialSet,
        tried: TrialSet,
        *,
        is_habit: bool = False,
        names_items: bool = False,
    ) -> Explanation:
        cases = self._evidence.trials_in(covered)
        plainest = min(self._evidence.trials_in(covered & tried) or cases, key=_strangeness)
        rules = list(dict.fromkeys(trial.verdict.broken[0].rule for trial in cases))
        tried_rules = {trial.rule for trial in self._evidence.trials_in(tried | covered)} - {None}
        violation = plainest.verdict.broken[0]
        text = text or contradiction(violation.rule, violation.at, violation.found, violation.demanded, "accepted")
        if not names_items and self._is_checked_in_first_items(covered, rules):
            text = text.replace(":", " in a later item:", 1)
        return Explanation(
            text=text,
            failure=Failure.of(plainest),
            key=key,
            failing=tuple(sorted({entry for trial in cases for entry in _failing_entries(trial)})),
            covered=covered,
            tried=tried | covered,
            sites=tuple(dict.fromkeys(parts_of_id(rule).site for rule in rules)),
            rules=tuple(rules),
            extent=(len(rules), len(tried_rules)) if is_habit else (0, 0),
        )

    # --------------------------------------------------------------------------------------------------------- evidence

    @cached_property
    def _habits(self) -> dict[Habit, TrialSet]:
        return self._evidence.trials_by(self._habits_of, self._concerned)

    @cached_property
    def _places(self) -> dict[UncheckedPlace, TrialSet]:
        return self._evidence.trials_by(self._places_of, self._concerned)

    def _habits_of(self, trial: Trial) -> Iterator[Habit]:
        """A message with several faults shows no habit."""
        if len(trial.case.faults) == 1:
            habit = habit_of(trial.case, self._contract)
            is_part = habit == IGNORES_CASE and trial.rule in self._ignoring_unknown
            yield IGNORES_UNKNOWN if is_part else habit

    def _places_of(self, trial: Trial) -> Iterator[UncheckedPlace]:
        return unchecked_places_of(trial.case, self._contract)

    def _tried_rules(self, cases: TrialSet) -> int:
        return sum(bool(cases & with_rule) for with_rule in self._of_kind("rule").values())

    def _is_checked_in_first_items(self, covered: TrialSet, rules: Sequence[str]) -> bool:
        """Returns whether these cases have their faults in later items of an array, and its first item is checked."""
        tried = self._with_rules(rules) & self._concerned
        return any(
            not covered & ~in_later_items and tried & ~in_later_items and not tried & ~in_later_items & self._failing
            for in_later_items in self._in_later_items.values()
        )

    @cached_property
    def _in_later_items(self) -> dict[str, TrialSet]:
        return self._evidence.trials_by(
            lambda trial: [array for fault in trial.case.faults for array in arrays_with_later_item(fault)],
            self._concerned,
        )

    def _rule_and_habit(self, trial: Trial) -> Iterator[tuple[str, Habit | None]]:
        yield trial.rule or trial.verdict.broken[0].rule, next(self._habits_of(trial), None)

    def _of_kind(self, kind: str) -> dict[UncheckedPlace, TrialSet]:
        return {place: cases for place, cases in self._places.items() if place.kind == kind}

    def _with_rules(self, rules: Iterable[str]) -> TrialSet:
        cases_of = {place.name: cases for place, cases in self._of_kind("rule").items()}
        return union(cases_of[rule] for rule in rules)

    def _certain(self, kind: str) -> dict[UncheckedPlace, TrialSet]:
        """Returns the places of this kind at which (almost) every fault is accepted, whatever the habit."""
        habits = self._habits.values()
        return {
            place: cases
            for place, cases in self._of_kind(kind).items()
            if is_certain(cases, self._failing) and sum(bool(cases & habit) for habit in habits) >= SEVERAL
        }

    def _units_within(self, cases: TrialSet) -> frozenset[_Unit]:
        """Returns the units whose cases are (almost) all among these cases."""
        return frozenset(
            unit for unit in self._units if (unit.cases & cases).bit_count() >= COVERED * unit.cases.bit_count()
        )

    def _explains(self, cases: TrialSet) -> bool:
        """Returns whether (almost) all of these cases fail, but not most of the others."""
        failed = (cases & self._failing).bit_count()
        if failed < (FEW if failed == cases.bit_count() else ENOUGH) or not is_certain(cases, self._failing):
            return False
        other_cases = self._concerned & ~cases
        return not other_cases or (other_cases & self._failing).bit_count() < USUAL * other_cases.bit_count()

    # ------------------------------------------------------------------------------------------------------- candidates

    def _candidates(self) -> Iterator[_Candidate]:
        """The target does not read some properties and items at all, which is no habit."""
        unread = _outermost(self._certain("below"))
        cases = union(unread.values()) if len(unread) >= SEVERAL else 0
        if cases:
            text = f"{listed(sorted(site.name for site in unread), most=MOST_NAMED)}: nothing is checked"
            yield _Candidate(("unchecked",), text, self._units_within(cases), cases)
        type_faults = _about_types(self._of_kind("rule"))
        unchecked = _about_types(self._certain("rule"))
        are_few = len(unchecked) < FEW_PLACES * len(type_faults)
        unchecked_types = union(unchecked) if are_few else 0
        if are_few and len(unchecked) > 1:
            units = self._units_within(unchecked_types)
            text = "does not check types"
            yield _Candidate(("unchecked types",), text, units, union(type_faults), simplicity=2, is_habit=True)
        unread_items = union(self._certain("later items").values())
        habits = list(self._habits_at_several_places(cases | unread_items | unchecked_types))
        yield from habits
        everywhere = frozenset[_Unit]().union(*(habit.units for habit in habits if habit.is_everywhere))
        yield from self._sites_with_several_habits(everywhere)
        yield from self._unchecked_places()

    def _habits_at_several_places(self, unread: TrialSet) -> Iterator[_Candidate]:
        """Yields the habits at several places, or at all places that are checked at all."""
        read_units = frozenset(self._units) - self._units_within(unread)
        tried = {habit: cases & ~unread for habit, cases in self._habits.items()}
        units_with = {habit: frozenset(unit for unit in read_units if unit.habit == habit) for habit in tried}
        habits = []
        for habit, units in units_with.items():
            rules = {unit.rule for unit in units}
            tried_rules = self._tried_rules(tried[habit])
            if units and (len(units) >= SEVERAL or len(rules) >= tried_rules):
                habits.append(habit)
                is_everywhere = len(rules) >= tried_rules and len({unit.site for unit in units}) > 1
                key = "leniency", habit.text
                yield _Candidate(key, habit.text, units, tried[habit], is_habit=True, is_everywhere=is_everywhere)
        shown = [habit for habit, units in units_with.items() if units]
        together = conversions_with_one_cause([habit for habit in habits if habit.accepted], shown)
        if together:
            converted = frozenset[_Unit]().union(*(units_with[habit] for habit in together))
            yield _Candidate(("conversions",), "", converted, union(tried[habit] for habit in together), is_habit=True)

    def _sites_with_several_habits(self, everywhere: frozenset[_Unit]) -> Iterator[_Candidate]:
        """A habit that shows `everywhere` is a finding of its own, whatever else a site does not check."""
        units_at: dict[str, list[_Unit]] = defaultdict(list)
        for unit in self._units:
            if unit.habit and unit not in everywhere:
                units_at[unit.site].append(unit)
        for site, units in units_at.items():
            rules = {unit.rule for unit in units}
            habits = {unit.habit for unit in units}
            if len(units) >= SEVERAL or len(rules) == 1 or len(habits) == 1:
                text = f"{site}: {_habits_in_words(units)}"
                yield _Candidate(("site", site), text, frozenset(units), self._with_rules(rules), simplicity=-3)

    def _unchecked_places(self) -> Iterator[_Candidate]:
        """Yields places of faults at which (almost) every fault is accepted, perhaps only beside something else."""
        partly = {}
        for place, cases in self._places.items():
            if self._explains(cases):
                yield self._place(self._text_of(place, cases), place, cases, -1)
            elif cases & self._failing:
                partly[place] = cases
        contexts = {context: self._evidence.having(context) for context in self._contexts()} if partly else {}
        for place, cases in partly.items():
            for context, with_context in contexts.items():
                both = cases & with_context
                if both not in (cases, with_context) and self._explains(both):
                    text = f"{self._text_of(place, both)} if {context.clause(with_subject=True)}"
                    candidate = self._place(text, place, both, -2)
                    units = frozenset(unit for unit in candidate.units if not unit.cases & ~both)
                    yield replace(candidate, units=units)

    def _text_of(self, place: UncheckedPlace, cases: TrialSet) -> str:
        if place.kind != "without value":
            return place.text
        faults = [(trial.case, fault) for trial in self._evidence.trials_in(cases) for fault in trial.case.faults]
        absences = {missing_null_or_empty(place.name, fault, case, self._contract) for case, fault in faults} - {""}
        return f"{place.name}: accepted if it is {listed(sorted(absences), 'or')}"

    def _place(self, text: str, place: UncheckedPlace, cases: TrialSet, simplicity: int) -> _Candidate:
        units = self._units_within(cases)
        return _Candidate((text,), text, units, cases, simplicity, checked_items=place.checked_items)

    def _contexts(self) -> Iterator[Attribute]:
        for path, site in self._contract.sites[self._evidence.message_type].items():
            for value in site.schema.get("enum", ()):
                yield Attribute(EQUALS.of(value), path)
                yield Attribute(DIFFERS.of(value), path)
            if site.name and not site.required:
                yield from (Attribute(condition, path) for condition in (HAS_VALUE.of(), MISSING.of(), EQUALS.of(None)))


def _about_types(rules: dict[UncheckedPlace, TrialSet]) -> list[TrialSet]:
    return [cases for rule, cases in rules.items() if rule.name.endswith(":type")]


def _outermost(places: dict[UncheckedPlace, TrialSet]) -> dict[UncheckedPlace, TrialSet]:
    names = [place.name for place in places]
    return {
        place: cases
        for place, cases in places.items()
        if not any(is_within(place.name, name) for name in names if name != place.name)
    }


def _could_fail(trial: Trial) -> bool:
    """Each fault of a message may be the reason why it was rejected, so several say nothing about one of them."""
    if trial.verdict.label != "invalid":
        return False
    is_proven = trial.answer.kind == "rejected" and trial.why_unproven() is None
    return trial.answer.kind == "accepted" or (is_proven and len(trial.case.faults) < 2)


def _failing_entries(trial: Trial) -> Iterator[str]:
    """Yields what a baseline compares: the rule, the technique, and whether the fault is in a later item."""
    if not trial.case.faults:
        yield f"accepts {short_id(trial.verdict.broken[0].rule)} without a technique"
    for fault in trial.case.faults:
        where = " in a later item" if arrays_with_later_item(fault) else ""
        yield f"accepts {short_id(fault.rule)} {fault.technique}{where}"


def _habits_in_words(units: Sequence[_Unit]) -> str:
    habits = [unit.habit for unit in units if unit.habit]
    if len(set(habits)) == 1:
        return habits[0].text
    if all(habit.accepted for habit in habits):
        return conversions_in_words(habits)
    keywords = dict.fromkeys(parts_of_id(unit.rule).keyword for unit in units)
    return f"does not always check {listed(keywords, most=MOST_NAMED)}"


def _strangeness(trial: Trial) -> tuple[bool, bool, int, int, int]:
    """Returns a sort key: people understand ordinary characters and short messages most easily."""
    body, broken = trial.case.body, trial.verdict.broken
    return len(broken) > 1, _UNUSUAL.search(body) is not None, len(broken[0].found), len(body), trial.number
