"""Splits a plan's cases into blocks. Any process can generate a block without the other blocks.

Blocks of catalogue cases and blocks of random cases have separate numbers. So a process that generates random cases does not need
the size of the catalogue, which can take seconds to compute.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import CATALOGUE_PER_SHARD, RANDOM_PER_SHARD, Plan


@dataclass(frozen=True, slots=True)
class Block:
    """A block of `size` cases of a plan: either random cases or catalogue cases.

    A random block contains fewer cases if the filters leave only a finite number of random cases.
    """

    plan: Plan
    number: int
    is_random: bool
    size: int

    def cases(self) -> Iterator[Case]:
        """Yields the cases in order."""
        if self.is_random:
            return islice(self.plan.random_cases(self.number), self.size)
        return islice(self.plan.catalogue_cases(), self.number * CATALOGUE_PER_SHARD, self.number * CATALOGUE_PER_SHARD + self.size)


def blocks(plans: Iterable[Plan]) -> Iterator[Block]:
    """Yields the blocks of finite plans, in order. Generates the catalogues of the plans to know their sizes."""
    for plan in plans:
        for random, total, most in ((False, len(plan.catalogue_cases()), CATALOGUE_PER_SHARD), (True, plan.count or 0, RANDOM_PER_SHARD)):
            for number, start in enumerate(range(0, total, most)):
                yield Block(plan, number, random, min(most, total - start))
