"""Sorts the catalogue so that the first cases find the most bugs, and selects seeds for fuzzers from it.

A goal is something that a case can show first, such as a broken rule. The next case is always the one whose new goals
have the highest total weight. An invalid case needs its twin, so the two are added together, and share the weight.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import PAIRS
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.pairs import cases_with_pairs
from brokerfuzz.cases.techniques import TECHNIQUES, family_of
from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.rule import JSON_RULE

Goals = dict[str, int]
"""Maps the names of goals to their weights."""

_RULE, _TECHNIQUE, _FAMILY, _VARIATION = 60, 24, 12, 2
"""Most programs that do not check a rule lack the check completely, so a case for each rule comes first. Then each rule
is broken in different ways (families of techniques), and finally in different surroundings. Each pair of states counts
1, so valid cases with many new pairs come early: they have many edges, too.
"""
_FIRST = {"edge:complete": 2_000_000, "edge:only-required": 1_000_000}
"""The first two cases are a complete message, and one with only the required properties."""


_LARGEST_SEED = 2048
"""The maximum size of a seed, in bytes. A fuzzer runs all seeds and combines them, so large ones slow it down."""


def ordered(cases: Sequence[Case], contract: Contract) -> Iterator[Case]:
    """Sorts the cases by their goals. Each twin comes before its cases. Cases with the same weight keep their order."""
    return _Cover(cases, {case.id: _goals(case, contract) for case in cases}).ordered()


def seeds(cases: Iterable[Case], contract: Contract) -> Iterator[Case]:
    """Selects few short cases that together break every rule, and have every family, edge and ambiguity."""
    short = [case for case in cases if len(case.body) <= _LARGEST_SEED]
    return _Cover(short, {case.id: _goals_of_seed(case, contract) for case in short}).ordered(only_new=True)


def _goals_of_seed(case: Case, contract: Contract) -> Goals:
    """A rule or edge is a separate goal at each site. An ambiguity or a family is one goal for all sites."""
    goals = [" ".join(goal) for goal in covered(case, contract) if goal.kind in ("edge", "rule")]
    goals += [touch.ambiguity for touch in case.verdict.ambiguities]
    return dict.fromkeys([*goals, *(family_of(fault.technique) for fault in case.faults)], 1)


def _goals(case: Case, contract: Contract) -> Goals:
    goals = {tag: _FIRST.get(tag, _VARIATION) for tag in case.tags}
    if PAIRS in case.tags:
        goals[case.id] = cases_with_pairs(contract, case.message_type)[case]
    for touch in case.verdict.ambiguities if case.label == "unspecified" else ():
        goals[touch.ambiguity] = _FAMILY
    for fault in case.faults:
        goals |= _of_fault(fault.rule, fault.technique, case, contract)
    return goals


def _of_fault(rule_id: str, name: str, case: Case, contract: Contract) -> Goals:
    """A lenient parser accepts the same wrong values at all sites of a type. So a technique counts only once for each
    type, and slips in JSON count little.
    """
    rule, technique = contract.rule(rule_id), TECHNIQUES[name]
    types = " ".join(sorted(types_of(contract.sites[case.message_type][rule.site].schema)))
    syntax = rule.keyword == JSON_RULE
    goals = {
        rule_id: _RULE,
        f"{rule_id} {technique.family}": _FAMILY,
        f"{name} at {types}": _VARIATION if syntax else 2 * _VARIATION,
    }
    if not syntax:
        goals |= {name: _TECHNIQUE, **{f"{rule_id} {tag}": _FAMILY for tag in case.tags}}
    return goals


class _Cover:
    """`goals` maps the IDs of the cases to their goals."""

    def __init__(self, cases: Sequence[Case], goals: Mapping[str, Goals]) -> None:
        self._cases = cases
        self._goals = goals
        self._gains = {case_id: sum(weights.values()) for case_id, weights in goals.items()}
        """The total weight of the goals of each case that no case before it has."""
        self._with_goal: defaultdict[str, list[str]] = defaultdict(list)
        for case_id, goals_of_case in goals.items():
            for goal in goals_of_case:
                self._with_goal[goal].append(case_id)
        self._yielded: set[str] = set()
        self._faults_of: defaultdict[str, list[int]] = defaultdict(list)
        for number, case in enumerate(cases):
            if case.twin is not None:
                self._faults_of[case.twin.id].append(number)

    def ordered(self, *, only_new: bool = False) -> Iterator[Case]:
        """With `only_new`, cases without a new goal are omitted."""
        self._queue = [(-self._gain(case), number) for number, case in enumerate(self._cases)]
        heapify(self._queue)
        while self._queue:
            before, number = heappop(self._queue)
            case = self._cases[number]
            if case.id in self._yielded:
                continue
            now = (-self._gain(case), number)
            if now > (before, number) and self._queue and now > self._queue[0]:
                heappush(self._queue, now)  # since the last look, other cases have covered some of its goals
                continue
            if only_new and not now[0]:
                return
            if case.twin is not None and case.twin.id not in self._yielded:
                yield self._taken(case.twin)
            yield self._taken(case)

    def _taken(self, case: Case) -> Case:
        self._yielded.add(case.id)
        for goal in self._goals.get(case.id, ()):
            for case_id in self._with_goal.pop(goal, ()):
                self._gains[case_id] -= self._goals[case_id][goal]
        for number in self._faults_of.get(case.id, ()):  # its cases no longer share their weight with their twin
            heappush(self._queue, (-self._gain(self._cases[number]), number))
        return case

    def _gain(self, case: Case) -> float:
        gain = self._gains[case.id]
        if case.twin is None or case.twin.id in self._yielded:
            return gain
        return (gain + self._gains.get(case.twin.id, 0)) / 2
