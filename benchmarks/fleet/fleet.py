"""The whole fleet, or a part of it that has some of everything."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain, count

from benchmarks.fleet import dropped, interactions, loosened, misplaced, readers, tightened
from benchmarks.fleet.ground import Ground
from benchmarks.fleet.mutants import Candidate, Kind, Mutant
from brokerfuzz.schemas import Contract, load_contract

STEPS: Mapping[Kind, int] = {"loosened": 5, "coerced": 11, "tightened": 17, "crashing": 19, "misplaced": 5}
"""Of these kinds, every so-many-th candidate of one site is taken, and all that are of several sites at once.

They are mutations times sites: steps that no table's length is a multiple of take all mutations, and all sites.
"""


def fleet(now: datetime, contract: Contract | None = None, *, whole: bool = False) -> list[Mutant]:
    """The mutants of a contract, each proven to be one by a message; candidates of no effect are left out.

    `whole` takes every mutation at every site: five times as many.
    """
    ground = Ground(contract or load_contract(), now)
    chosen = every_candidate(ground) if whole else _spread(every_candidate(ground))
    proven = {candidate.name: candidate.proven(ground) for candidate in chosen}
    return [mutant for mutant in proven.values() if mutant is not None]


def every_candidate(ground: Ground) -> Iterator[Candidate]:
    """The candidates of every kind."""
    return chain(
        dropped.candidates(ground),
        loosened.candidates(ground),
        tightened.over_strict(ground),
        tightened.fragile(ground),
        misplaced.candidates(ground),
        interactions.candidates(ground),
        readers.candidates(ground),
    )


def _spread(candidates: Iterator[Candidate]) -> Iterator[Candidate]:
    numbers = {kind: count() for kind in STEPS}
    for candidate in candidates:
        if candidate.kind not in STEPS or candidate.name.endswith(" anywhere") or next(numbers[candidate.kind]) % STEPS[candidate.kind] == 0:
            yield candidate
