"""Selects a few cases that cover the same goals as many cases: to minimize a corpus, and as seeds for fuzzers.

The first step keeps a case only if it covers a goal (something to cover, such as a rule) that no earlier case covers.
This step reduces even a very large corpus to at most one case per goal. In the second step, the next case is always the
case that covers the most new goals (see `catalogue_order`). This step stops as soon as all goals are covered.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.catalogue_order import by_cover
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.covering.tally import Tally
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Contract, MessageType

_LARGEST_SEED = 2048
"""The maximum size of a seed, in bytes. A fuzzer runs all seeds and combines them, so large ones slow it down."""


def minimized(cases: Iterable[Case], contract: Contract, now: datetime | None = None) -> Iterator[Case]:
    """Yields a few cases that cover the same goals as all `cases`. The most useful case comes first.

    The goals are the ones that `brokerfuzz coverage` counts: rules, techniques, edges, ambiguities and pairs. `now` is
    the time that counts as the present.
    """
    tallies = {message_type: Tally(contract, message_type, clock(now)) for message_type in contract.message_types}
    kept: dict[MessageType, dict[str, Case]] = {message_type: {} for message_type in contract.message_types}
    for case in cases:
        tally = tallies[case.message_type]
        before = len(tally.first)
        tally.add(case, case.id)
        if len(tally.first) > before:
            kept[case.message_type].update({one.id: one for one in (case.twin, case) if one is not None})
    for message_type, some in kept.items():
        yield from by_cover(list(some.values()), partial(_goals, tallies[message_type]), only_new=True)


def _goals(tally: Tally, case: Case) -> dict[str, int]:
    return dict.fromkeys(map(" ".join, tally.goals_of(case)), 1)


def seeds(cases: Sequence[Case], contract: Contract) -> Iterator[Case]:
    """Yields short messages that together break every rule and have every family, edge and ambiguity."""
    short = [case for case in cases if len(case.body) <= _LARGEST_SEED and not case.headers]
    return by_cover(short, partial(_seed_goals, contract), only_new=True)


def _seed_goals(contract: Contract, case: Case) -> dict[str, int]:
    """A rule or edge is a separate goal at each site. An ambiguity or a family is one goal for all sites."""
    found = [" ".join(goal) for goal in covered(case, contract, pairs=False) if goal.kind in ("edge", "rule")]
    found += [touch.ambiguity for touch in case.verdict.ambiguities]
    return dict.fromkeys([*found, *(family_of(fault.technique) for fault in case.faults)], 1)
