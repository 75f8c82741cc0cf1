"""A plan: a short description of cases that can be saved, sent to another process, and used to generate the same cases there.

A plan's cases are divided into shards: first the parts of the catalogue, then random cases. A shard of random cases depends only on
the seed and its own number. The number of a case is the number of its shard times `STRIDE`, plus its position in the shard. So a
case has the same number in every process and every run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from itertools import count, islice
from typing import Any

from brokerfuzz.cases.case import Case, is_always_correct
from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.minimal_catalogue import minimal
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract

STRIDE = 4096
"""The difference between the numbers of the first cases of two consecutive shards."""
CATALOGUE_PER_SHARD = 512
"""The number of catalogue cases in each shard."""
RANDOM_PER_SHARD = 1024
"""The number of random cases in each shard."""
MOST_EXCLUDED = 5000
"""A shard ends after this many random cases in a row that the filters exclude."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Cases of one message type: first the catalogue cases (none if `only_random` is true), then `count` random cases from `seed`.
    If `count` is None, the random cases never end.

    `now` is the time for which the cases about the clock are made. If `now` is None, there are none of these cases. `contract` is
    the folder of a changed contract. `rules`, `techniques`, `tags` and `sites` are patterns that include or exclude cases: see
    `case_filters.selection`. `minimal` keeps only the smallest set of the selected catalogue cases that breaks each rule with each
    technique.
    """

    message_type: MessageType
    now: datetime | None = None
    seed: int = 0
    count: int | None = 0
    only_random: bool = False
    strength: int = 2
    verdicts: tuple[Label, ...] = LABELS
    rules: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    minimal: bool = False
    contract: str | None = None

    @property
    def demands(self) -> Contract:
        """The contract. Raises `ContractError`."""
        return load_contract(self.contract)

    @property
    def total(self) -> int | None:
        """The number of cases, or None if the cases never end."""
        return None if self.count is None else len(self.catalogue_cases()) + self.count

    def shards(self) -> Iterator[int]:
        """Yields the numbers of the shards that have cases, in order."""
        catalogue_shards = self._catalogue_shards
        yield from range(catalogue_shards)
        yield from count(catalogue_shards) if self.count is None else range(catalogue_shards, catalogue_shards + -(-self.count // RANDOM_PER_SHARD))

    def cases(self, shard: int) -> Iterator[tuple[int, Case]]:
        """Yields the cases of a shard with their numbers, in order."""
        found = (
            islice(self.catalogue_cases(), shard * CATALOGUE_PER_SHARD, (shard + 1) * CATALOGUE_PER_SHARD)
            if shard < self._catalogue_shards
            else self.random_cases(shard - self._catalogue_shards)
        )
        return enumerate(found, shard * STRIDE)

    def numbered(self) -> Iterator[tuple[int, Case]]:
        """Yields all cases with their numbers, in order. Stops at the first empty shard: the filters then leave no further random cases."""
        for shard in self.shards():
            number = None
            for number, case in self.cases(shard):
                yield number, case
            if number is None:
                return

    @property
    def _catalogue_shards(self) -> int:
        return -(-len(self.catalogue_cases()) // CATALOGUE_PER_SHARD)

    @property
    def chosen(self) -> Selection:
        """The filter for cases. Raises `UnknownNameError`."""
        return selection(self.demands, self.rules, self.techniques, self.tags, sites=self.sites)

    def catalogue_cases(self) -> Sequence[Case]:
        """Returns the cases of the catalogue."""
        return () if self.only_random else _catalogue_cases(self)

    def random_cases(self, shard: int) -> Iterator[Case]:
        """Yields the random cases of a shard, numbered from 0. Does not generate the catalogue."""
        from brokerfuzz.cases.steering import steered_cases

        chosen = self.chosen
        left = RANDOM_PER_SHARD if self.count is None else min(RANDOM_PER_SHARD, self.count - shard * RANDOM_PER_SHARD)
        cases = steered_cases(
            self.message_type, self.seed, shard=shard, verdicts=self.verdicts, rules=chosen.among(self.demands.rules[self.message_type]),
            techniques=chosen.names(), now=self.now, contract=self.demands, strength=self.strength,
        )  # fmt: skip
        if self.now is None and self.contract is not None:  # a changed contract can have a rule about the clock at any place
            cases = (case for case in cases if is_always_correct(case, self.demands))
        found = (case for case in chosen.of(_until_hopeless(cases, chosen)) if case.label in self.verdicts) if chosen else cases
        return islice(found, left)

    def data(self) -> dict[str, Any]:
        """Returns the plan as JSON data."""
        return {**asdict(self), "now": self.now and self.now.isoformat()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Plan":
        """Returns the plan that `data` describes. Raises `TypeError`, `ValueError` or `KeyError` if it is invalid."""
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        return cls(**{**values, "now": data["now"] and datetime.fromisoformat(data["now"])})


@lru_cache(maxsize=4)
def _catalogue_cases(plan: Plan) -> Sequence[Case]:
    """Returns the catalogue cases that a plan selects."""
    cases = plan.chosen.of(catalogue(plan.message_type, now=plan.now, contract=plan.demands, strength=plan.strength))
    found = (case for case, _ in minimal(cases)) if plan.minimal else cases
    return tuple(case for case in found if case.label in plan.verdicts)


def _until_hopeless(cases: Iterable[Case], chosen: Selection) -> Iterator[Case]:
    """Yields the cases that the filter includes. Stops after many excluded cases in a row, because the filter may match no case at
    all.
    """
    excluded = 0
    for case in cases:
        yield case
        excluded = 0 if chosen.wants(case) else excluded + 1
        if excluded == MOST_EXCLUDED:
            return
