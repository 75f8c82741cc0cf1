"""Splits the cases of a plan into blocks, which different processes can generate independently.

Catalogue cases and random cases have separate block numbers. So a process can generate random cases without the
catalogue, which takes seconds to generate.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import CATALOGUE_PER_SHARD, RANDOM_PER_SHARD, Plan


@dataclass(frozen=True, slots=True)
class Block:
    """Up to `size` cases of a plan: either only random cases or only catalogue cases."""

    plan: Plan
    number: int
    is_random: bool
    size: int

    def cases(self) -> Iterator[Case]:
        if self.is_random:
            return islice(self.plan.random_cases(self.number), self.size)
        return islice(
            self.plan.catalogue_cases(),
            self.number * CATALOGUE_PER_SHARD,
            self.number * CATALOGUE_PER_SHARD + self.size,
        )


def blocks(plans: Iterable[Plan]) -> Iterator[Block]:
    """Splits the cases of each plan into blocks. To count the cases, this function generates all catalogues."""
    for plan in plans:
        for random, total, size in (
            (False, len(plan.catalogue_cases()), CATALOGUE_PER_SHARD),
            (True, plan.count or 0, RANDOM_PER_SHARD),
        ):
            for number, start in enumerate(range(0, total, size)):
                yield Block(plan, number, random, min(size, total - start))
