"""Splits the cases of a plan into blocks, which different processes can generate independently.

Blocks of catalogue cases and blocks of random cases are numbered separately. For this reason, a process that generates only random
cases does not need the catalogue, which takes seconds to generate.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import CATALOGUE_PER_SHARD, RANDOM_PER_SHARD, Plan


@dataclass(frozen=True, slots=True)
class Block:
    """A group of up to `size` cases of a plan: either only random cases or only catalogue cases."""

    plan: Plan
    number: int
    is_random: bool
    size: int

    def cases(self) -> Iterator[Case]:
        if self.is_random:
            return islice(self.plan.random_cases(self.number), self.size)
        return islice(self.plan.catalogue_cases(), self.number * CATALOGUE_PER_SHARD, self.number * CATALOGUE_PER_SHARD + self.size)


def blocks(plans: Iterable[Plan]) -> Iterator[Block]:
    """Yields the blocks of all plans, in order. To count the cases, the function generates the catalogues."""
    for plan in plans:
        for random, total, size in ((False, len(plan.catalogue_cases()), CATALOGUE_PER_SHARD), (True, plan.count or 0, RANDOM_PER_SHARD)):
            for number, start in enumerate(range(0, total, size)):
                yield Block(plan, number, random, min(size, total - start))
