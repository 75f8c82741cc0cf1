"""Which cases are fired or written, said so briefly that it can be written down and sent to another process, and be made again there.

Cases come in shards: slices of the catalogue, then random cases, each shard by itself from the seed and its own number. A case's number is
its shard's times `STRIDE` and its place in the shard; so a case has the same number in whatever process, and whenever, it is made.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from itertools import count, islice
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.minimal_catalogue import minimal
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract

STRIDE = 4096
"""The numbers of a shard."""
SLICE = 512
"""Cases of the catalogue a shard."""
DRAWN = 1024
"""Random cases a shard."""
IN_VAIN = 5000
"""Random cases in a row that are not wanted, after which a shard ends."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Cases of one message type: the catalogue's (not `only_random`), then `count` random ones from a `seed`, or None for no end of them.

    `now` is the time that they are made against, `contract` the folder of a changed one. `rules`, `techniques`, `tags` and `sites` are patterns
    of what is wanted, or of what is not: see `selecting.selection`. `minimal` keeps only the smallest set of the catalogue's wanted cases that
    breaks each rule by each technique.
    """

    message_type: MessageType
    now: datetime
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
        """How many cases there are; None for no end."""
        return None if self.count is None else len(self.listed()) + self.count

    def shards(self) -> Iterator[int]:
        """The numbers of the shards that have cases, in order."""
        slices = self._slices
        yield from range(slices)
        yield from count(slices) if self.count is None else range(slices, slices + -(-self.count // DRAWN))

    def cases(self, shard: int) -> Iterator[tuple[int, Case]]:
        """The cases of a shard with their numbers, in order."""
        found = islice(self.listed(), shard * SLICE, (shard + 1) * SLICE) if shard < self._slices else self.drawn(shard - self._slices)
        return enumerate(found, shard * STRIDE)

    def numbered(self) -> Iterator[tuple[int, Case]]:
        """All cases with their numbers, in order, as long as a shard has any: what is wanted may be so little that nothing new can be drawn."""
        for shard in self.shards():
            number = None
            for number, case in self.cases(shard):
                yield number, case
            if number is None:
                return

    @property
    def _slices(self) -> int:
        return -(-len(self.listed()) // SLICE)

    @property
    def chosen(self) -> Selection:
        """Which cases are wanted. Raises `UnknownNameError`."""
        return selection(self.demands, self.rules, self.techniques, self.tags, sites=self.sites)

    def listed(self) -> Sequence[Case]:
        """The catalogue's cases."""
        return () if self.only_random else _listed(self)

    def drawn(self, shard: int) -> Iterator[Case]:
        """The random cases of a shard, the first of which is 0 here; no catalogue is made for them."""
        from brokerfuzz.cases.steering import steered_cases

        chosen = self.chosen
        left = DRAWN if self.count is None else min(DRAWN, self.count - shard * DRAWN)
        cases = steered_cases(
            self.message_type, self.seed, shard=shard, verdicts=self.verdicts, rules=chosen.among(self.demands.rules[self.message_type]),
            techniques=chosen.names(), now=self.now, contract=self.demands, strength=self.strength,
        )  # fmt: skip
        found = (case for case in chosen.of(_hopeful(cases, chosen)) if case.label in self.verdicts) if chosen else cases
        return islice(found, left)

    def data(self) -> dict[str, Any]:
        """The plan as JSON."""
        return {**asdict(self), "now": self.now.isoformat()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Plan":
        """The plan that `data` gave. Raises `TypeError`, `ValueError` or `KeyError` for what is none."""
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        return cls(**{**values, "now": datetime.fromisoformat(data["now"])})


@lru_cache(maxsize=4)
def _listed(plan: Plan) -> Sequence[Case]:
    """The catalogue's cases that a plan wants."""
    cases = plan.chosen.of(catalogue(plan.message_type, now=plan.now, contract=plan.demands, strength=plan.strength))
    found = (case for case, _ in minimal(cases)) if plan.minimal else cases
    return tuple(case for case in found if case.label in plan.verdicts)


def _hopeful(cases: Iterable[Case], chosen: Selection) -> Iterator[Case]:
    """The cases, to where so many in a row are not wanted that no more are to be hoped for: nothing may have the tag."""
    in_vain = 0
    for case in cases:
        yield case
        in_vain = 0 if chosen.wants(case) else in_vain + 1
        if in_vain == IN_VAIN:
            return
