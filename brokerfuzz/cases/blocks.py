"""The cases of plans in blocks, each of which any process makes for itself.

A block is a shard of a plan. It is told by where it lies in the catalogue or among the random cases, not by its number in the plan: so whoever makes
random cases need not know how many the catalogue has, which can take seconds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import DRAWN, SLICE, Plan


@dataclass(frozen=True, slots=True)
class Block:
    """So many cases of a plan, random ones or of its catalogue. There may be fewer random ones, where so little is wanted that it is finite."""

    plan: Plan
    number: int
    is_random: bool
    size: int

    def cases(self) -> Iterator[Case]:
        """The cases, in order."""
        if self.is_random:
            return islice(self.plan.drawn(self.number), self.size)
        return islice(self.plan.listed(), self.number * SLICE, self.number * SLICE + self.size)


def blocks(plans: Iterable[Plan]) -> Iterator[Block]:
    """The blocks of plans that have an end, in order. Makes their catalogues."""
    for plan in plans:
        for random, total, most in ((False, len(plan.listed()), SLICE), (True, plan.count or 0, DRAWN)):
            for number, start in enumerate(range(0, total, most)):
                yield Block(plan, number, random, min(most, total - start))
