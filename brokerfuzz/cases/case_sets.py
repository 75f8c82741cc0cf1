"""Names the sets of cases that a plan can begin with, and generates those that do not depend on a seed."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Literal, get_args

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, essentials
from brokerfuzz.cases.catalogue_order import by_cover
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Contract, MessageType

CaseSet = Literal["full", "essential", "large", "seeds", "random", "plausible"]
"""`full` is the whole catalogue, `essential` the default corpus, `large` the default corpus with messages of more than
16 KiB, and `seeds` a part of the catalogue for fuzzers. Random cases can follow these sets. `random` consists only of
random cases, and `plausible` only of plausible valid messages.
"""
CASE_SETS: tuple[CaseSet, ...] = get_args(CaseSet)
ONLY_RANDOM = ("random", "plausible")
"""The sets whose cases all depend on a seed."""


def fixed_cases(
    case_set: CaseSet, contract: Contract, message_type: MessageType, now: datetime | None, rules: frozenset[str] | None
) -> Iterable[Case]:
    """Returns the cases that do not depend on a seed. `now` and `rules` work as in `catalogue`."""
    if case_set in ONLY_RANDOM:
        return ()
    if case_set in ("essential", "large"):
        return essentials(message_type, now=now, contract=contract, large=case_set == "large", rules=rules)
    cases = catalogue(message_type, now=now, contract=contract, rules=rules)
    return _seeds(tuple(cases), contract) if case_set == "seeds" else cases


_LARGEST_SEED = 2048
"""The maximum size of a seed, in bytes. A fuzzer runs all seeds and combines them, so large ones slow it down."""


def _seeds(cases: Sequence[Case], contract: Contract) -> Iterator[Case]:
    """Selects few short cases that together break every rule, and have every family, edge and ambiguity."""
    short = [case for case in cases if len(case.body) <= _LARGEST_SEED]
    return by_cover(short, partial(_goals, contract), only_new=True)


def _goals(contract: Contract, case: Case) -> dict[str, int]:
    """A rule or edge is a separate goal at each site. An ambiguity or a family is one goal for all sites."""
    goals = [" ".join(goal) for goal in covered(case, contract) if goal.kind in ("edge", "rule")]
    goals += [touch.ambiguity for touch in case.verdict.ambiguities]
    return dict.fromkeys([*goals, *(family_of(fault.technique) for fault in case.faults)], 1)
