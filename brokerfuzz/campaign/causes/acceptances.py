"""Explains wrong acceptances: what the target does not check. This needs no experiments, because the fault of each case
is known.

A slip is a habit at a rule, for example "accepts strings for numbers" at `orderMinimum:type`. The candidate that covers
most slips explains them: properties that are not read at all, items that are not checked, a habit at many rules, a
rule. Then the candidate that covers most of the others, and so on. Slips that remain are findings of their own.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
from brokerfuzz.schemas.verdicts import place_of, wrong_answer
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
"""At least this share of the cases of a slip must belong to its explanation."""
_UNUSUAL: Final = re.compile(rb"[^ -\[\]-~]|__|\"[^a-zA-Z\"]*\":")
"""A byte that is not printable ASCII, the backslash of an escape, or a name such as `__proto__` or an empty one."""


@dataclass(frozen=True, eq=False)
class _Slip:
    """A habit at a rule, and the wrong acceptances that show it. `habit` is None for cases with several faults."""

    rule: str
    habit: Habit | None
    trials: TrialSet

    @property
    def site(self) -> str:
        return parts_of_id(self.rule).site or "message"


@dataclass(frozen=True)
class _Candidate:
    """A possible explanation of several slips: a `statement` about a `place` (empty if there is none). `tried` are the
    trials that can have this cause, and `key` identifies it in every campaign. Of candidates for equally many slips,
    the one with the highest `simplicity` is used. If later items of an array are not checked, `checked_items` is the
    number of those that are.

    The place of a habit, and the statement about conversions, depend on the slips that other candidates leave.
    """

    key: tuple[str, ...]
    place: str
    statement: str
    slips: frozenset[_Slip]
    tried: TrialSet
    simplicity: int = 1
    is_habit: bool = False
    checked_items: int = 0


class AcceptanceSearch:
    """Explains all wrong acceptances, except for the `sporadic` ones. Unproven rejections are no evidence that the
    target checks something. `failure_of` returns the failure of a trial.
    """

    def __init__(
        self, evidence: Evidence, sporadic: TrialSet = 0, failure_of: Callable[[Trial], Failure] = Failure.of
    ) -> None:
        self._evidence, self._contract, self._failure_of = evidence, evidence.contract, failure_of
        self._failing = evidence.where(lambda trial: trial.contradiction == "invalid-accepted") & ~sporadic
        self._concerned = evidence.where(_could_fail) & ~sporadic
        self._ignoring_unknown = {
            trial.rule
            for trial in evidence.trials_in(self._failing)
            if trial.rule and habit_of(trial.case, self._contract) == IGNORES_UNKNOWN
        }
        slips = evidence.trials_by(
            lambda trial: [(trial.rule or trial.verdict.broken[0].rule, self._habit_of(trial))], self._failing
        )
        self._slips = [_Slip(rule, habit, trials) for (rule, habit), trials in slips.items()]

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
        """Uses the candidates of most slips first, so that few findings remain."""
        candidates = list(self._candidates()) if len(self._slips) > 1 else []
        remaining = frozenset(self._slips)
        while candidates:
            best = max(candidates, key=lambda candidate: self._rank(candidate, remaining))
            covered = best.slips & remaining
            if len(covered) < 2:
                break
            yield self._explanation_of(best, [slip for slip in self._slips if slip in covered])
            remaining -= covered
        yield from (self._explanation_of_slip(slip) for slip in self._slips if slip in remaining)

    def _rank(self, candidate: _Candidate, remaining: frozenset[_Slip]) -> tuple[int, bool, int, int, int]:
        """A case that does not fail speaks against a cause more than one that fails speaks for it. If the same cases
        show that only the first item or the first ten items are checked, the latter claims less.
        """
        failed = (candidate.tried & self._failing).bit_count()
        weight = failed - COUNTEREXAMPLE * (candidate.tried.bit_count() - failed)
        slips = len(candidate.slips & remaining)
        return slips, is_certain(candidate.tried, self._failing), candidate.simplicity, weight, candidate.checked_items

    # ---------------------------------------------------------------------------------------------------- explanations

    def _explanation_of(self, candidate: _Candidate, slips: Sequence[_Slip]) -> Explanation:
        """A habit that shows at one place only, or at two of many, is a mistake at these places."""
        place, tried = candidate.place, candidate.tried
        statement = candidate.statement or conversions_in_words(slip.habit for slip in slips if slip.habit)
        covered = union(slip.trials for slip in slips)
        sites = {slip.site for slip in slips}
        is_general = candidate.is_habit and (len(sites) > MOST_NAMED or self._shows_everywhere(slips, tried))
        if candidate.is_habit and not is_general:
            place = listed(sorted(sites))
            tried &= self._with_rules(slip.rule for slip in slips)
        if place and not candidate.checked_items:
            place = self._in_later_items(place, covered)
        text = f"{place}: {statement}" if place else statement
        return self._explanation(candidate.key, text, covered, tried, is_general=is_general)

    def _explanation_of_slip(self, slip: _Slip) -> Explanation:
        """One value says enough, except about a lenient parser."""
        key = slip.rule, slip.habit.text if slip.habit else "several faults"
        violation = self._plainest(slip.trials).verdict.broken[0]
        place, statement = place_of(violation), wrong_answer(violation, "accepted")
        if parts_of_id(slip.rule).keyword == JSON_RULE:
            faults = [fault for trial in self._evidence.trials_in(slip.trials) for fault in trial.case.faults]
            techniques = sorted({fault.technique for fault in faults})
            statement = f"accepts text that is not JSON ({listed(techniques, most=MOST_NAMED)})"
        text = f"{self._in_later_items(place, slip.trials)}: {statement}"
        return self._explanation(key, text, slip.trials, slip.trials)

    def _explanation(
        self, key: tuple[str, ...], text: str, covered: TrialSet, tried: TrialSet, *, is_general: bool = False
    ) -> Explanation:
        trials = self._evidence.trials_in(covered)
        rules = self._rules_of(covered)
        tried_rules = {trial.rule for trial in self._evidence.trials_in(tried | covered)} - {None}
        return Explanation(
            text=text,
            failure=self._failure_of(self._plainest(covered & tried or covered)),
            key=key,
            failing=tuple(sorted({entry for trial in trials for entry in _failing_entries(trial)})),
            covered=covered,
            tried=tried | covered,
            sites=tuple(dict.fromkeys(parts_of_id(rule).site for rule in rules)),
            rules=tuple(rules),
            extent=(len(rules), len(tried_rules)) if is_general else (0, 0),
        )

    def _plainest(self, trials: TrialSet) -> Trial:
        return min(self._evidence.trials_in(trials), key=_strangeness)

    def _rules_of(self, trials: TrialSet) -> list[str]:
        return list(dict.fromkeys(trial.verdict.broken[0].rule for trial in self._evidence.trials_in(trials)))

    def _in_later_items(self, place: str, covered: TrialSet) -> str:
        """Adds to a place that these faults are in later items of an array, and that its first item is checked."""
        tried = self._with_rules(self._rules_of(covered)) & self._concerned
        is_later = any(
            not covered & ~later and tried & ~later and not tried & ~later & self._failing
            for later in self._with_later_items.values()
        )
        return f"{place} in a later item" if is_later else place

    # -------------------------------------------------------------------------------------------------------- evidence

    @cached_property
    def _habits(self) -> dict[Habit, TrialSet]:
        trials_with = self._evidence.trials_by(lambda trial: [self._habit_of(trial)], self._concerned)
        return {habit: trials for habit, trials in trials_with.items() if habit is not None}

    @cached_property
    def _places(self) -> dict[UncheckedPlace, TrialSet]:
        return self._evidence.trials_by(lambda trial: unchecked_places_of(trial.case, self._contract), self._concerned)

    @cached_property
    def _with_later_items(self) -> dict[str, TrialSet]:
        """Maps each array to the trials with a fault in one of its items after the first."""
        return self._evidence.trials_by(
            lambda trial: [array for fault in trial.case.faults for array in arrays_with_later_item(fault)],
            self._concerned,
        )

    def _habit_of(self, trial: Trial) -> Habit | None:
        """A message with several faults shows no habit."""
        if trial.rule is None:
            return None
        habit = habit_of(trial.case, self._contract)
        return IGNORES_UNKNOWN if habit == IGNORES_CASE and trial.rule in self._ignoring_unknown else habit

    def _of_kind(self, kind: str) -> dict[UncheckedPlace, TrialSet]:
        return {place: trials for place, trials in self._places.items() if place.kind == kind}

    def _with_rules(self, rules: Iterable[str]) -> TrialSet:
        trials_with = {place.name: trials for place, trials in self._of_kind("rule").items()}
        return union(trials_with[rule] for rule in rules)

    def _shows_at_all_rules(self, slips: Iterable[_Slip], tried: TrialSet) -> bool:
        """Returns whether a habit shows at all rules at which it was tried."""
        tried_rules = sum(bool(tried & with_rule) for with_rule in self._of_kind("rule").values())
        return len({slip.rule for slip in slips}) >= tried_rules

    def _shows_everywhere(self, slips: Iterable[_Slip], tried: TrialSet) -> bool:
        return len({slip.site for slip in slips}) > 1 and self._shows_at_all_rules(slips, tried)

    def _certain(self, kind: str) -> dict[UncheckedPlace, TrialSet]:
        """Returns the places of this kind at which (almost) every fault is accepted, whatever the habit."""
        habits = self._habits.values()
        return {
            place: trials
            for place, trials in self._of_kind(kind).items()
            if is_certain(trials, self._failing) and sum(bool(trials & habit) for habit in habits) >= SEVERAL
        }

    def _slips_within(self, trials: TrialSet) -> frozenset[_Slip]:
        """Returns the slips whose trials are (almost) all among these."""
        return frozenset(
            slip for slip in self._slips if (slip.trials & trials).bit_count() >= COVERED * slip.trials.bit_count()
        )

    def _explains(self, trials: TrialSet) -> bool:
        """Returns whether (almost) all of these trials fail, but not most of the others."""
        failed = (trials & self._failing).bit_count()
        if failed < (FEW if failed == trials.bit_count() else ENOUGH) or not is_certain(trials, self._failing):
            return False
        others = self._concerned & ~trials
        return not others or (others & self._failing).bit_count() < USUAL * others.bit_count()

    # ------------------------------------------------------------------------------------------------------ candidates

    def _candidates(self) -> Iterator[_Candidate]:
        """What the target does not read, and types that it does not check, show no habit."""
        unread_sites = _outermost(self._certain("below"))
        if len(unread_sites) < SEVERAL:
            unread_sites = {}
        type_rules, unchecked_types = _about_types(self._of_kind("rule")), _about_types(self._certain("rule"))
        if len(unchecked_types) >= FEW_PLACES * len(type_rules):
            unchecked_types = []
        if unread_sites:
            place = listed(sorted(site.name for site in unread_sites), most=MOST_NAMED)
            tried = union(unread_sites.values())
            yield _Candidate(("unchecked",), place, "nothing is checked", self._slips_within(tried), tried)
        if len(unchecked_types) > 1:
            statement = "does not check types"
            slips = self._slips_within(union(unchecked_types))
            tried = union(type_rules)
            yield _Candidate(("unchecked types",), "", statement, slips, tried, simplicity=2, is_habit=True)
        unread_items = self._certain("later items").values()
        yield from self._habits_outside(union([*unread_sites.values(), *unread_items, *unchecked_types]))
        yield from self._unchecked_places()

    def _habits_outside(self, unread: TrialSet) -> Iterator[_Candidate]:
        """Yields the habits at several places, or at all places that are read, and the sites with several habits."""
        read_slips = frozenset(self._slips) - self._slips_within(unread)
        slips_with = {habit: frozenset(slip for slip in read_slips if slip.habit == habit) for habit in self._habits}
        tried = {habit: trials & ~unread for habit, trials in self._habits.items()}
        shown = [habit for habit, slips in slips_with.items() if slips]
        habits = [
            habit
            for habit in shown
            if len(slips_with[habit]) >= SEVERAL or self._shows_at_all_rules(slips_with[habit], tried[habit])
        ]
        for habit in habits:
            key = "leniency", habit.text
            yield _Candidate(key, "", habit.text, slips_with[habit], tried[habit], is_habit=True)
        conversions = conversions_with_one_cause([habit for habit in habits if habit.accepted], shown)
        if conversions:
            converted = frozenset[_Slip]().union(*(slips_with[habit] for habit in conversions))
            tried_conversions = union(tried[habit] for habit in conversions)
            yield _Candidate(("conversions",), "", "", converted, tried_conversions, is_habit=True)
        everywhere = [slips_with[habit] for habit in habits if self._shows_everywhere(slips_with[habit], tried[habit])]
        yield from self._sites_with_several_habits(frozenset[_Slip]().union(*everywhere))

    def _sites_with_several_habits(self, everywhere: frozenset[_Slip]) -> Iterator[_Candidate]:
        """A habit that shows `everywhere` is a finding of its own, whatever else a site does not check."""
        slips_at: dict[str, list[_Slip]] = defaultdict(list)
        for slip in self._slips:
            if slip.habit and slip not in everywhere:
                slips_at[slip.site].append(slip)
        for site, slips in slips_at.items():
            rules = {slip.rule for slip in slips}
            habits = {slip.habit for slip in slips}
            if len(slips) >= SEVERAL or len(rules) == 1 or len(habits) == 1:
                statement = _habits_in_words(slips)
                yield _Candidate(
                    ("site", site), site, statement, frozenset(slips), self._with_rules(rules), simplicity=-3
                )

    def _unchecked_places(self) -> Iterator[_Candidate]:
        """Yields places of faults at which (almost) every fault is accepted, perhaps only beside something else."""
        partly = {}
        for place, trials in self._places.items():
            if self._explains(trials):
                yield self._unchecked(place, trials)
            elif trials & self._failing:
                partly[place] = trials
        contexts = {context: self._evidence.having(context) for context in self._contexts()} if partly else {}
        for place, trials in partly.items():
            for context, with_context in contexts.items():
                both = trials & with_context
                if both not in (trials, with_context) and self._explains(both):
                    yield self._unchecked(place, both, context)

    def _unchecked(self, place: UncheckedPlace, trials: TrialSet, context: Attribute | None = None) -> _Candidate:
        statement = place.statement
        if place.kind in ("without value", "missing or null"):
            faults = [(trial.case, fault) for trial in self._evidence.trials_in(trials) for fault in trial.case.faults]
            absences = {missing_null_or_empty(place.name, fault, case, self._contract) for case, fault in faults} - {""}
            statement = f"accepted if it is {listed(sorted(absences), 'or')}"
        slips = self._slips_within(trials)
        simplicity = -1
        if context is not None:
            statement += f" if {context.clause(with_subject=True)}"
            slips = frozenset(slip for slip in slips if not slip.trials & ~trials)
            simplicity = -2
        key = place.site, statement
        return _Candidate(key, place.site, statement, slips, trials, simplicity, checked_items=place.checked_items)

    def _contexts(self) -> Iterator[Attribute]:
        for path, site in self._contract.sites[self._evidence.message_type].items():
            for value in site.schema.get("enum", ()):
                yield Attribute(EQUALS.of(value), path)
                yield Attribute(DIFFERS.of(value), path)
            if site.name and not site.required:
                yield from (Attribute(condition, path) for condition in (HAS_VALUE.of(), MISSING.of(), EQUALS.of(None)))


def _about_types(rules: dict[UncheckedPlace, TrialSet]) -> list[TrialSet]:
    return [trials for rule, trials in rules.items() if rule.name.endswith(":type")]


def _outermost(places: dict[UncheckedPlace, TrialSet]) -> dict[UncheckedPlace, TrialSet]:
    names = [place.name for place in places]
    return {
        place: trials
        for place, trials in places.items()
        if not any(is_within(place.name, name) for name in names if name != place.name)
    }


def _could_fail(trial: Trial) -> bool:
    """Each fault of a message may be the reason why it was rejected, so several say nothing about one of them."""
    if trial.verdict.label != "invalid" or trial.is_unproven:
        return False
    return trial.answer.kind == "accepted" or (trial.answer.kind == "rejected" and len(trial.case.faults) < 2)


def _failing_entries(trial: Trial) -> Iterator[str]:
    """Yields what a baseline compares: the rule, the technique, and whether the fault is in a later item."""
    if not trial.case.faults:
        yield f"accepts {short_id(trial.verdict.broken[0].rule)} without a technique"
    for fault in trial.case.faults:
        where = " in a later item" if arrays_with_later_item(fault) else ""
        yield f"accepts {short_id(fault.rule)} {fault.technique}{where}"


def _habits_in_words(slips: Sequence[_Slip]) -> str:
    habits = [slip.habit for slip in slips if slip.habit]
    if len(set(habits)) == 1:
        return habits[0].text
    if all(habit.accepted for habit in habits):
        return conversions_in_words(habits)
    keywords = dict.fromkeys(parts_of_id(slip.rule).keyword for slip in slips)
    return f"does not always check {listed(keywords, most=MOST_NAMED)}"


def _strangeness(trial: Trial) -> tuple[bool, bool, int, int, int]:
    """Returns a sort key: people understand ordinary characters and short messages most easily."""
    body, broken = trial.case.body, trial.verdict.broken
    return len(broken) > 1, _UNUSUAL.search(body) is not None, len(broken[0].found), len(body), trial.number
