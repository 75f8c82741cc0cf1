"""The catalogue: a finite, ordered, random-free list of cases that the contract alone determines.

Every rule is broken by every technique that applies, at every placement and in every setting; every edge is shown, every two states of any two
members of an object meet, every silence is probed. `order` says what comes first.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from brokerfuzz.cases.building import Plan, build
from brokerfuzz.cases.case import Case, clock, compact
from brokerfuzz.cases.controls import ControlMaker
from brokerfuzz.cases.edges import EdgeMaker
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.order import by_cover
from brokerfuzz.cases.pairs import PairMaker
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.requests import RequestMaker
from brokerfuzz.cases.worth import OF_PAIR, worths
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract

ALL_LABELS: tuple[Label, ...] = ("valid", "invalid", "unspecified")


def catalogue(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] = ALL_LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
    strength: int = 2,
) -> Iterator[Case]:
    """The cases of a message type's catalogue, in order, each once. A twin comes before the first fault that it belongs to.

    `now` is what the clock rule follows (the present, where it is None); nothing else of the catalogue changes from run to run. `strength`
    is of how many members every combination of states occurs: 2 for pairs, 3 for triples, as far as they are not too many
    (`pairs.strength_at`). Raises `StrengthError`, `ClockError`.
    """
    cases = _ordered(contract or load_contract(), message_type, clock(now), strength)
    return (case for case in cases if case.label in verdicts)


def plainest(message_type: MessageType, *, now: datetime | None = None, contract: Contract | None = None) -> Case:
    """The first valid case, at once where it is the plain message with every member, which only a changed contract can forbid."""
    known = contract or load_contract()
    body = compact(build(known, message_type, Plan()))
    case = Case.confirmed(message_type, body, claim="valid", now=clock(now), contract=known)
    return case or next(catalogue(message_type, verdicts=["valid"], now=now, contract=known))


@lru_cache(maxsize=6)
def _ordered(contract: Contract, message_type: MessageType, now: datetime, strength: int) -> Sequence[Case]:
    """All cases. The last few catalogues are kept: making one takes seconds."""
    every: dict[str, Case] = {}
    for case in _unordered(contract, message_type, now, strength):
        for one in (case.twin, case):
            if one is not None:
                every.setdefault(one.id, one)
    cases = list(every.values())
    return tuple(by_cover(cases, worths(cases, contract, message_type), OF_PAIR))


def _unordered(contract: Contract, message_type: MessageType, now: datetime, strength: int) -> Iterator[Case]:
    yield from EdgeMaker(contract, message_type, now).every()
    yield from PairMaker(contract, message_type, now, strength).every()
    faults, controls = FaultMaker(contract, message_type, now), ControlMaker(contract, message_type, now)
    for rule in contract.rules[message_type]:
        for case in faults.of_rule(rule):
            yield case
            yield from controls.of_fault(rule, case)
    yield from faults.empty_object()
    probes = ProbeMaker(contract, message_type, now)
    for silence in contract.silences:
        yield from probes.of_silence(silence)
    yield from RequestMaker(contract, message_type, now).every()
