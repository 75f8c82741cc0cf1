"""Minimises a corpus: removes the cases that add no coverage.

The first pass keeps a case if the case covers a goal that no earlier case covers. So at most one case per goal remains, even from a
very large corpus. The second pass sorts the remaining cases as in a catalogue. It stops as soon as no further case covers a new
goal.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.catalogue_order import CaseWeight, by_cover
from brokerfuzz.cases.covering.goals import Goal
from brokerfuzz.cases.covering.tally import Tally
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType


def minimized(cases: Iterable[Case], contract: Contract, now: datetime | None = None) -> Iterator[Case]:
    """Yields a small subset of the cases that covers the same goals. The most useful case comes first. A fault's twin comes before
    the fault.

    The goals are those that `brokerfuzz coverage` counts: rules, techniques, edges, ambiguities and pairs of states. `now` is the
    current time for the rule about future times. Raises `ClockError`.
    """
    tallies = {message_type: Tally(contract, message_type, clock(now)) for message_type in MESSAGE_TYPES}
    kept: dict[MessageType, dict[str, Case]] = {message_type: {} for message_type in MESSAGE_TYPES}
    for case in cases:
        tally = tallies[case.message_type]
        before = len(tally.first)
        tally.add(case, case.id)
        if len(tally.first) > before:
            kept[case.message_type].update({one.id: one for one in (case.twin, case) if one is not None})
    for message_type, some in kept.items():
        yield from _cover(list(some.values()), tallies[message_type])


_WEIGHT = 2
"""The weight of each goal. For a fault together with its twin, the weight is divided by two, and the result must be more than 0."""


def _cover(cases: list[Case], tally: Tally) -> Iterator[Case]:
    goals = {case.id: tally.goals_of(case) for case in cases}
    bits = {goal: 1 << number for number, goal in enumerate(tally.goals)}
    pending: dict[str, Case] = {}
    held: set[Goal] = set()
    for case in by_cover(cases, [CaseWeight({}, sum(map(bits.__getitem__, goals[case.id]))) for case in cases], _WEIGHT):
        pending[case.id] = case
        if goals[case.id] <= held:
            continue
        for one in (case.twin, case):
            if one is not None and one.id in pending:
                held |= goals[one.id]
                yield pending.pop(one.id)
