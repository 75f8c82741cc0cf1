from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain

from benchmarks.fleet import (
    dropped_rules,
    fragile_readers,
    interactions,
    lenient_readers,
    loosened_rules,
    other_messages,
    partly_checked_rules,
    strict_readers,
    tightened_rules,
)
from benchmarks.fleet.behaviours import judges_by
from benchmarks.fleet.messages import Behaviour
from benchmarks.fleet.mutants import ANYWHERE, Candidate, Kind, Mutant
from benchmarks.fleet.plain_messages import Ground
from brokerfuzz.schemas import Contract, load_contract

STEPS: Mapping[Kind, int] = {"loosened": 5, "coerced": 9, "tightened": 12, "crashing": 14, "misplaced": 6}
"""The step between the sites at which a mutation is tried, for each kind of mutant: 5 means every fifth site. A mutant
with the mutation at all sites is always tried.
"""


def fleet(now: datetime, contract: Contract | None = None, *, whole: bool = False) -> list[Mutant]:
    """Returns the mutants of a contract. A candidate becomes a mutant only if a message proves its bug. With `whole`,
    each mutation is tried at every site instead of only some sites. This gives five times as many mutants.
    """
    ground = Ground(contract or load_contract(), now)
    chosen = every_candidate(ground) if whole else _spread(every_candidate(ground))
    proven = {candidate.name: candidate.proven(ground) for candidate in chosen}
    return [mutant for mutant in proven.values() if mutant is not None]


def conforming(ground: Ground) -> Behaviour:
    """Returns the behaviour of the service without a bug."""
    return judges_by(ground.schema)


def every_candidate(ground: Ground) -> Iterator[Candidate]:
    return chain(
        dropped_rules.candidates(ground),
        loosened_rules.candidates(ground),
        tightened_rules.over_strict(ground),
        tightened_rules.fragile(ground),
        partly_checked_rules.candidates(ground),
        interactions.candidates(ground),
        lenient_readers.candidates(ground),
        other_messages.candidates(ground),
        strict_readers.candidates(ground),
        fragile_readers.candidates(ground),
    )


def _spread(candidates: Iterator[Candidate]) -> Iterator[Candidate]:
    """For each mutation, yields only the candidates at some sites (see `STEPS`). The selected sites differ between
    mutations.
    """
    mutations: dict[tuple[Kind, str], list[Candidate]] = {}
    for candidate in candidates:
        mutations.setdefault((candidate.kind, candidate.mutation), []).append(candidate)
    for number, ((kind, _), of_sites) in enumerate(mutations.items()):
        step, at_one = STEPS.get(kind, 1), [candidate for candidate in of_sites if candidate.where != ANYWHERE]
        yield from at_one[number % min(step, len(at_one)) :: step]
        yield from (candidate for candidate in of_sites if candidate.where == ANYWHERE)
