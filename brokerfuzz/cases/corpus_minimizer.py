"""Cases without those that can be spared: what they cover together, fewer cover as well.

First the cases are passed one at a time, and those are kept that cover what none before them did: there are no more of them than there are goals,
however many cases pass. Of these the one that adds most is taken again and again, as in a catalogue, until the rest adds nothing.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.catalogue_order import Worth, by_cover
from brokerfuzz.cases.covering.goals import Goal
from brokerfuzz.cases.covering.tally import Tally
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType


def needed(cases: Iterable[Case], contract: Contract, now: datetime | None = None) -> Iterator[Case]:
    """As few of the cases as cover what all cover, those that add most first, a fault's twin before it.

    What there is to cover is what `brokerfuzz coverage` counts: rules, techniques, edges, ambiguities and pairs of states. `now` is what the
    techniques of the clock rule follow. Raises `ClockError`.
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


_WORTH = 2
"""Of each goal: a fault that brings its twin along counts half, and that is still something."""


def _cover(cases: list[Case], tally: Tally) -> Iterator[Case]:
    goals = {case.id: tally.goals_of(case) for case in cases}
    bits = {goal: 1 << number for number, goal in enumerate(tally.goals)}
    leaning: dict[str, Case] = {}
    held: set[Goal] = set()
    for case in by_cover(cases, [Worth({}, sum(map(bits.__getitem__, goals[case.id]))) for case in cases], _WORTH):
        leaning[case.id] = case
        if goals[case.id] <= held:
            continue
        for one in (case.twin, case):
            if one is not None and one.id in leaning:
                held |= goals[one.id]
                yield leaning.pop(one.id)
