"""Defines a plan: a short description of cases. Another process can generate the same cases from a plan.

The cases of a plan are divided into shards: first the parts of the catalogue, then random cases. A shard of random
cases depends only on the seed and the number of the shard. The number of a case depends only on the shard and the
position in the shard. So every process gives a case the same number.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from functools import cache
from itertools import count, islice
from typing import Any

from jsonschema_rs import validator_for

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.cases.catalogue import CASE_SETS, ONLY_RANDOM, CaseSet, fixed_cases
from brokerfuzz.cases.random_cases import plausible_cases, random_cases
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import quoted
from brokerfuzz.generation.edge_values import EARLIEST_NOW
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.known_values import KnownValues
from brokerfuzz.shapes import problem_in

STRIDE = 4096
"""The first case of the shard N has the number N × `STRIDE`."""
CATALOGUE_PER_SHARD = 512
RANDOM_PER_SHARD = 1024


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Describes cases of one message type: first the cases of `case_set` that do not depend on the seed, then `count`
    random cases.

    If `count` is None, the random cases do not end. `now` is the time for the time-dependent cases of the catalogue
    (None: no such cases), and for the dates of plausible messages. No other random case depends on this time, so a seed
    gives the same messages on any day. `contract` is the folder of a changed contract. `values` is the text of
    reference data (see `KnownValues`).

    `rules`, `techniques` and `tags` are patterns that include or exclude cases (see `case_filters.selection`).
    """

    message_type: MessageType
    case_set: CaseSet = "full"
    now: datetime | None = None
    seed: int = 0
    count: int | None = 0
    verdicts: tuple[Label, ...] = LABELS
    rules: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    contract: str | None = None
    values: str | None = None

    @property
    def loaded_contract(self) -> Contract:
        """The contract in the folder `contract`, with the reference data in `values`. Raises `ContractError`."""
        return load_contract(self.contract, None if self.values is None else KnownValues(self.values))

    @property
    def total(self) -> int | None:
        """The number of cases, or None if the random cases do not end."""
        return None if self.count is None else len(self.catalogue_cases()) + self.count

    @property
    def is_empty(self) -> bool:
        """True if no case matches the filters. If there are filters, this property generates the catalogue."""
        is_filtered = self.case_set in ONLY_RANDOM or self.chosen or len(self.verdicts) < len(LABELS)
        return bool(is_filtered) and next(self.numbered(), None) is None

    def shards(self) -> Iterator[int]:
        """Yields the numbers of the shards that contain cases."""
        first_random = self._catalogue_shards
        yield from range(first_random)
        if self.count is None:
            yield from count(first_random)
        else:
            yield from range(first_random, first_random + -(-self.count // RANDOM_PER_SHARD))

    def cases(self, shard: int) -> Iterator[tuple[int, Case]]:
        """Returns the cases of a shard with their numbers."""
        cases: Iterable[Case]
        if shard < self._catalogue_shards:
            start = shard * CATALOGUE_PER_SHARD
            cases = self.catalogue_cases()[start : start + CATALOGUE_PER_SHARD]
        else:
            cases = self.random_cases(shard - self._catalogue_shards)
        return enumerate(cases, shard * STRIDE)

    def numbered(self) -> Iterator[tuple[int, Case]]:
        """Yields the cases with their numbers, until a shard has no cases."""
        for shard in self.shards():
            number = None
            for number, case in self.cases(shard):
                yield number, case
            if number is None:
                return

    @property
    def valid_ids(self) -> frozenset[str]:
        """The IDs of the valid messages in the catalogue, which the campaign does not send again as twins."""
        return frozenset(case.id for case in self.catalogue_cases() if case.label == "valid")

    @property
    def left_out_without_time(self) -> int:
        """The number of time-dependent cases that the plan would have with a time."""
        if self.now is not None:
            return 0
        return len(replace(self, now=EARLIEST_NOW).catalogue_cases()) - len(self.catalogue_cases())

    @property
    def first_random_number(self) -> int:
        """All cases of the catalogue have lower numbers than this one."""
        return self._catalogue_shards * STRIDE

    @property
    def _catalogue_shards(self) -> int:
        return -(-len(self.catalogue_cases()) // CATALOGUE_PER_SHARD)

    @property
    def chosen(self) -> Selection:
        return selection(self.loaded_contract, self.rules, self.techniques, self.tags)

    def catalogue_cases(self) -> Sequence[Case]:
        return _catalogue_cases(self.loaded_contract, self)

    def random_cases(self, shard: int) -> Iterator[Case]:
        """Yields the random cases of a shard, without generating the catalogue. If only a finite number of messages is
        possible, the first shard contains them all, and the others are empty.
        """
        if shard and _ends_early(self.loaded_contract, replace(self, count=None)):
            return iter(())
        size = RANDOM_PER_SHARD if self.count is None else min(RANDOM_PER_SHARD, self.count - shard * RANDOM_PER_SHARD)
        return islice(self._endless_cases(shard), size)

    def _endless_cases(self, shard: int) -> Iterator[Case]:
        contract = self.loaded_contract
        if self.case_set == "plausible":
            return plausible_cases(self.message_type, self.seed, shard * RANDOM_PER_SHARD, self.now, contract)
        chosen = self.chosen
        cases = random_cases(
            self.message_type, self.seed, shard=shard, verdicts=self.verdicts,
            rules=chosen.among(contract.rules[self.message_type]),
            techniques=chosen.techniques, contract=contract, wanted=chosen.wants,
        )  # fmt: skip
        return (case for case in chosen.of(cases) if case.label in self.verdicts) if chosen else cases

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "now": self.now and self.now.isoformat()}

    @classmethod
    def of(cls, data: Any) -> "Plan":
        """Creates a plan from a JSON object. Raises `ValueError` if `data` is not a plan."""
        if problem := problem_in(data, _PLAN):
            raise ValueError(f"its plan is wrong: {problem}")
        if data["values"] is not None and not KnownValues(data["values"]).is_well_formed:
            raise ValueError("its plan has reference data of an unknown form")
        return cls(**{**{name: _value(value) for name, value in data.items()}, "now": time_of(data["now"])})


def _value(value: Any) -> Any:
    """Returns the value of a property of a plan in a file. In JSON Schema, 5.0 is an integer."""
    if isinstance(value, list):
        return tuple(value)
    return int(value) if isinstance(value, float) else value


def time_of(text: Any) -> datetime | None:
    """Parses a timestamp with a time zone. Returns None for None, and raises `ValueError` for anything else."""
    if text is None:
        return None
    with suppress(ValueError, TypeError):
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            return time
    raise ValueError(f"{quoted(text)} is not a timestamp with a time zone")


_TEXT = {"type": ["string", "null"]}
_PATTERNS = {"type": "array", "items": {"type": "string"}}
_PLAN = validator_for(
    {
        "type": "object",
        "properties": {
            "message_type": {"type": "string"},
            "seed": {"type": "integer"},
            "count": {"type": ["integer", "null"], "minimum": 0},
            "verdicts": {"type": "array", "minItems": 1, "items": {"enum": LABELS}},
            "case_set": {"enum": CASE_SETS},
            **dict.fromkeys(("rules", "techniques", "tags"), _PATTERNS),
            **dict.fromkeys(("now", "contract", "values"), _TEXT),
        },
        "required": [field.name for field in fields(Plan)],
        "additionalProperties": False,
    }
)
"""The shape of a plan in a file."""


@cache
def _catalogue_cases(contract: Contract, plan: Plan) -> Sequence[Case]:
    chosen = plan.chosen
    rules = frozenset(chosen.rules) if chosen.only_faults and chosen.rules is not None else None
    cases = fixed_cases(plan.case_set, contract, plan.message_type, plan.now, rules)
    return tuple(case for case in chosen.of(cases) if case.label in plan.verdicts)


@cache
def _ends_early(contract: Contract, plan: Plan) -> bool:
    return sum(1 for _ in plan.random_cases(0)) < RANDOM_PER_SHARD
