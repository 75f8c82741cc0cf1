"""Generates the cases of an export. Workers may generate the random cases, which are the same as without workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import renewed
from brokerfuzz.cases.plan import RANDOM_PER_SHARD, Plan
from brokerfuzz.corpus.writing import NOTHING
from brokerfuzz.errors import CorpusError
from brokerfuzz.workers import Workers


@dataclass(frozen=True)
class Export:
    """The cases of several plans. `fresh` names the properties that have a different value in each case, with commas
    between them.
    """

    plans: tuple[Plan, ...]
    workers: Workers | None = None
    fresh: str | None = None

    @property
    def total(self) -> int:
        """The number of cases. If few random cases match the filters, there are fewer. Raises `CorpusError` if there is
        no case.
        """
        total = sum(plan.total or 0 for plan in self.plans)
        if not total:
            raise CorpusError(NOTHING)
        return total

    def cases(self, start: int, stop: int) -> Iterator[Case]:
        """Yields the cases with the numbers from `start` to `stop` - 1."""
        before = 0
        for plan in self.plans:
            catalogue = plan.catalogue_cases()
            yield from _renewed(catalogue[max(start - before, 0) : max(stop - before, 0)], plan, self.fresh)
            before += len(catalogue)
            yield from self._random_cases(plan, max(start - before, 0), max(stop - before, 0))
            before += plan.count or 0

    def _random_cases(self, plan: Plan, start: int, stop: int) -> Iterator[Case]:
        """Any process can generate a block of random cases from its number."""
        stop = min(stop, plan.count or 0)
        blocks = range(start // RANDOM_PER_SHARD, -(-stop // RANDOM_PER_SHARD))
        block = partial(_block, plan, self.fresh)
        cases_of_blocks = self.workers.map(block, blocks) if self.workers else map(block, blocks)
        for number, cases in zip(blocks, cases_of_blocks, strict=True):
            if not cases:  # hardly any case matches the filters
                return
            first = number * RANDOM_PER_SHARD
            yield from cases[max(start - first, 0) : stop - first]


@lru_cache(maxsize=1)
def _block(plan: Plan, fresh: str | None, number: int) -> list[Case]:
    """The last block is kept, because the next shard may begin in it."""
    return list(_renewed(plan.random_cases(number), plan, fresh))


def _renewed(cases: Iterable[Case], plan: Plan, fresh: str | None) -> Iterable[Case]:
    return cases if fresh is None else (renewed(case, fresh, plan.demands) for case in cases)
