"""Selects the seeds of fuzzers: few short cases of the catalogue that together break every rule, and have every family
of techniques, edge and ambiguity.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue_order import by_cover
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Contract

_LARGEST_SEED = 2048
"""The maximum size of a seed, in bytes. A fuzzer runs all seeds and combines them, so large ones slow it down."""


def seeds(cases: Sequence[Case], contract: Contract) -> Iterator[Case]:
    short = [case for case in cases if len(case.body) <= _LARGEST_SEED]
    return by_cover(short, partial(_goals, contract), only_new=True)


def _goals(contract: Contract, case: Case) -> dict[str, int]:
    """A rule or edge is a separate goal at each site. An ambiguity or a family is one goal for all sites."""
    found = [" ".join(goal) for goal in covered(case, contract) if goal.kind in ("edge", "rule")]
    found += [touch.ambiguity for touch in case.verdict.ambiguities]
    return dict.fromkeys([*found, *(family_of(fault.technique) for fault in case.faults)], 1)
