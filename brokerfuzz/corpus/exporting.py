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
        first = 0
        for plan in self.plans:
            catalogue = plan.catalogue_cases()
            chosen = _part(len(catalogue), start - first, stop - first)
            yield from _renewed(catalogue[chosen.start : chosen.stop], plan, self.fresh)
            first += len(catalogue)
            random_count = plan.count or 0
            yield from self._random_cases(plan, _part(random_count, start - first, stop - first))
            first += random_count

    def _random_cases(self, plan: Plan, numbers: range) -> Iterator[Case]:
        """Any process can generate a block of random cases from its number."""
        if not numbers:
            return
        blocks = range(numbers[0] // RANDOM_PER_SHARD, numbers[-1] // RANDOM_PER_SHARD + 1)
        block = partial(_block, plan, self.fresh)
        cases_of_blocks = self.workers.map(block, blocks) if self.workers else map(block, blocks)
        for number, cases in zip(blocks, cases_of_blocks, strict=True):
            if not cases:  # hardly any case matches the filters
                return
            first = number * RANDOM_PER_SHARD
            chosen = _part(len(cases), numbers.start - first, numbers.stop - first)
            yield from cases[chosen.start : chosen.stop]


def _part(size: int, start: int, stop: int) -> range:
    """Returns the numbers from `start` to `stop` - 1 of so many cases. Both can be outside."""
    return range(size)[max(start, 0) : max(stop, 0)]


@lru_cache(maxsize=1)
def _block(plan: Plan, fresh: str | None, number: int) -> list[Case]:
    """The last block is kept, because the next shard may begin in it."""
    return list(_renewed(plan.random_cases(number), plan, fresh))


def _renewed(cases: Iterable[Case], plan: Plan, fresh: str | None) -> Iterable[Case]:
    return cases if fresh is None else (renewed(case, fresh, plan.loaded_contract) for case in cases)
