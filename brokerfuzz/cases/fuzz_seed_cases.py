"""Selects seeds for fuzzers from the catalogue: short messages that together break every rule and contain every edge.

A fuzzer runs all seeds and combines them, so too many seeds slow the fuzzer down.
"""

from collections.abc import Iterator, Sequence

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue_order import by_cover
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Contract

ENOUGH = 150
"""After `ENOUGH` seeds, a case is omitted if all its new goals are techniques."""
_LARGEST = 2048
"""The maximum size of a seed, in bytes."""
_IMPORTANT = 1000
"""The weight of a rule, an edge, an ambiguity or a family of techniques. The weight of a technique is 2."""


def seeds(cases: Sequence[Case], contract: Contract) -> Iterator[Case]:
    """Yields the seeds. The next case is always the one whose new goals have the highest total weight. Cases that cover
    no new goal are omitted.
    """
    short = [case for case in cases if len(case.body) <= _LARGEST and not case.headers]
    goals = {case.id: _goals(case, contract) for case in short}
    seen: set[str] = set()
    count = 0
    for case in by_cover(short, lambda case: goals[case.id]):
        new = [weight for name, weight in goals.get(case.id, {}).items() if name not in seen]
        if _IMPORTANT in new or (new and count < ENOUGH):
            seen.update(goals[case.id])
            count += 1
            yield case


def _goals(case: Case, contract: Contract) -> dict[str, int]:
    """Maps the name of each goal that a case covers to the weight of the goal. A rule or edge is a separate goal at
    each site. A technique or ambiguity is one goal for all sites.
    """
    if case.label == "valid":
        return {f"{goal.site} {goal.name}": _IMPORTANT for goal in covered(case, contract) if goal.kind == "edge"}
    found = dict.fromkeys((touch.ambiguity for touch in case.verdict.ambiguities), _IMPORTANT)
    found |= {
        name: _IMPORTANT for fault in case.faults for name in (fault.rule, f"family {family_of(fault.technique)}")
    }
    return found | {fault.technique: 2 for fault in case.faults}
