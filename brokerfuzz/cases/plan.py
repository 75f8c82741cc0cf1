"""Defines a plan: a short description of cases. Another process can generate the same cases from a plan.

The cases of a plan are divided into shards: first the parts of the catalogue, then random cases. A shard of random
cases depends only on the seed and the number of the shard. The number of a case depends only on the shard and the
position in the shard. So every process gives a case the same number.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import count, islice
from typing import Any, Literal

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.cases.catalogue import catalogue, essentials
from brokerfuzz.cases.corpus_minimizer import seeds
from brokerfuzz.cases.random_cases import plausible_cases, random_cases
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import quoted
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.known_values import KnownValues
from brokerfuzz.wording import listed

Scope = Literal["whole", "essential", "seeds"]
SCOPES = ("whole", "essential", "seeds")

STRIDE = 4096
"""The first case of the shard N has the number N × `STRIDE`."""
CATALOGUE_PER_SHARD = 512
RANDOM_PER_SHARD = 1024


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Describes cases of one message type: first catalogue cases (unless `only_random` is true), then `count` random
    cases.

    `scope` is the part of the catalogue: `whole`, `essential` or `seeds` (for fuzzers). `large` adds the large
    essential cases. `plausible` means that the random cases are plausible messages, with dates around `now`.

    If `count` is None, the random cases do not end. `now` is the time for the time-dependent cases (None: no such
    cases). Without `random_with_clock`, no random case depends on this time, so a seed gives the same messages on any
    day. `contract` is the folder of a changed contract. `values` is the text of reference data (see `KnownValues`).

    `rules`, `techniques`, `tags` and `sites` are patterns that include or exclude cases (see `case_filters.selection`).
    """

    message_type: MessageType
    now: datetime | None = None
    random_with_clock: bool = True
    seed: int = 0
    count: int | None = 0
    only_random: bool = False
    verdicts: tuple[Label, ...] = LABELS
    rules: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    scope: Scope = "whole"
    large: bool = False
    plausible: bool = False
    contract: str | None = None
    values: str | None = None

    @property
    def demands(self) -> Contract:
        """The contract in the folder `contract`, with the reference data in `values`. Raises `ContractError`."""
        return load_contract(self.contract, None if self.values is None else KnownValues(self.values))

    @property
    def total(self) -> int | None:
        """The number of cases, or None if the random cases do not end."""
        return None if self.count is None else len(self.catalogue_cases()) + self.count

    @property
    def is_empty(self) -> bool:
        """True if no case matches the filters. If there are filters, this property generates the catalogue."""
        is_filtered = self.only_random or self.chosen or len(self.verdicts) < len(LABELS)
        return bool(is_filtered) and next(self.numbered(), None) is None

    def shards(self) -> Iterator[int]:
        """Yields the numbers of the shards that contain cases."""
        catalogue_shards = self._catalogue_shards
        yield from range(catalogue_shards)
        yield from (
            count(catalogue_shards)
            if self.count is None
            else range(catalogue_shards, catalogue_shards + -(-self.count // RANDOM_PER_SHARD))
        )

    def cases(self, shard: int) -> Iterator[tuple[int, Case]]:
        every, start, first = self.catalogue_cases(), shard * CATALOGUE_PER_SHARD, self._catalogue_shards
        found = every[start : start + CATALOGUE_PER_SHARD] if shard < first else self.random_cases(shard - first)
        return enumerate(found, shard * STRIDE)

    def numbered(self) -> Iterator[tuple[int, Case]]:
        """Yields the cases of one shard after another, each with its number. Ends after the first shard without
        cases.
        """
        for shard in self.shards():
            number = None
            for number, case in self.cases(shard):
                yield number, case
            if number is None:
                return

    @property
    def valid_ids(self) -> frozenset[str]:
        """The IDs of the valid messages in the catalogue, which the campaign does not send again as twins."""
        return frozenset(case.id for case in self.catalogue_cases() if case.label == "valid" and not case.headers)

    @property
    def _catalogue_shards(self) -> int:
        return -(-len(self.catalogue_cases()) // CATALOGUE_PER_SHARD)

    @property
    def chosen(self) -> Selection:
        return selection(self.demands, self.rules, self.techniques, self.tags, sites=self.sites)

    def catalogue_cases(self) -> Sequence[Case]:
        return () if self.only_random else _catalogue_cases(self.demands, self)

    def random_cases(self, shard: int) -> Iterator[Case]:
        """Yields the random cases of a shard, without generating the catalogue. If only a finite number of messages is
        possible, the first shard contains them all, and the others are empty.
        """
        if shard and _ends_early(self.demands, replace(self, count=None)):
            return iter(())
        left = RANDOM_PER_SHARD if self.count is None else min(RANDOM_PER_SHARD, self.count - shard * RANDOM_PER_SHARD)
        return islice(self._endless_cases(shard), left)

    def _endless_cases(self, shard: int) -> Iterator[Case]:
        if self.plausible:
            return plausible_cases(self.message_type, self.seed, shard * RANDOM_PER_SHARD, self.now, self.demands)
        chosen, now = self.chosen, self.now if self.random_with_clock else None
        cases = random_cases(
            self.message_type, self.seed, shard=shard, verdicts=self.verdicts,
            rules=chosen.among(self.demands.rules[self.message_type]),
            techniques=chosen.techniques, now=now, contract=self.demands, wanted=chosen.wants,
        )  # fmt: skip
        return (case for case in chosen.of(cases) if case.label in self.verdicts) if chosen else cases

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "now": self.now and self.now.isoformat()}

    @classmethod
    def of(cls, data: Any) -> "Plan":
        """Creates a plan from a JSON object. Raises `ValueError` with a description of the problem if `data` is not a
        plan.
        """
        if not isinstance(data, dict) or data.keys() != _VALID.keys():
            raise ValueError(f"a plan must have exactly the properties {listed(_VALID)}")
        for name, value in data.items():
            if not _VALID[name](value):
                raise ValueError(f"{quoted(value)} is not a valid value for {name}")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**{**values, "now": time_of(values["now"])})


def time_of(text: Any) -> datetime | None:
    """Parses a timestamp with a time zone. Returns None for None, and raises `ValueError` for anything else."""
    if text is None:
        return None
    with suppress(ValueError, TypeError):
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            return time
    raise ValueError(f"{quoted(text)} is not a timestamp with a time zone")


def _is_list_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_whole(value: Any) -> bool:
    return type(value) is int


_VALID: Mapping[str, Callable[[Any], bool]] = {
    "message_type": lambda value: isinstance(value, str),
    "now": lambda value: value is None or isinstance(value, str),
    "random_with_clock": lambda value: isinstance(value, bool),
    "seed": _is_whole,
    "count": lambda value: value is None or (_is_whole(value) and value >= 0),
    "only_random": lambda value: isinstance(value, bool),
    "verdicts": lambda value: isinstance(value, list) and bool(value) and all(label in LABELS for label in value),
    "rules": _is_list_of_strings,
    "techniques": _is_list_of_strings,
    "tags": _is_list_of_strings,
    "sites": _is_list_of_strings,
    "scope": lambda value: value in SCOPES,
    "large": lambda value: isinstance(value, bool),
    "plausible": lambda value: isinstance(value, bool),
    "contract": lambda value: value is None or isinstance(value, str),
    "values": lambda value: value is None or (isinstance(value, str) and KnownValues(value).is_well_formed),
}
"""Maps each property of a plan in a file to a function that decides whether the property's value is valid."""


@once_per_contract
def _catalogue_cases(contract: Contract, plan: Plan) -> Sequence[Case]:
    chosen = plan.chosen
    rules = frozenset(chosen.rules) if chosen.only_faults and chosen.rules is not None else None
    if plan.scope == "essential":
        cases = essentials(plan.message_type, now=plan.now, contract=contract, large=plan.large, rules=rules)
    else:
        cases = catalogue(plan.message_type, now=plan.now, contract=contract, rules=rules)
    if plan.scope == "seeds":
        cases = seeds(tuple(cases), contract)
    return tuple(case for case in chosen.of(cases) if case.label in plan.verdicts)


@once_per_contract
def _ends_early(contract: Contract, plan: Plan) -> bool:
    return sum(1 for _ in plan.random_cases(0)) < RANDOM_PER_SHARD
