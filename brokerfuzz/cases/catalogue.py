"""The catalogue: a finite, ordered, random-free list of cases that the contract alone determines.

Every rule is broken by every technique that applies, at every placement; every edge and every silence has its cases. They are
merged so that a beginning of the list has its part of each, and of the faults every rule before any rule twice.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import chain, zip_longest

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.edges import EdgeMaker
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract

ALL_LABELS: tuple[Label, ...] = ("valid", "invalid", "unspecified")


def catalogue(
    message_type: MessageType, *, verdicts: Collection[Label] = ALL_LABELS, now: datetime | None = None, contract: Contract | None = None
) -> Iterator[Case]:
    """The cases of a message type's catalogue, in order, each once. A twin comes before the first fault that it belongs to.

    `now` is what the clock rule follows (the present, where it is None); nothing else of the catalogue changes from run to run.
    """
    contract, now = contract or load_contract(), clock(now)
    seen: set[str] = set()
    for case in _in_order(contract, message_type, now):
        for one in (case.twin, case):
            if one is not None and one.id not in seen and one.label in verdicts:
                seen.add(one.id)
                yield one


def _in_order(contract: Contract, message_type: MessageType, now: datetime) -> Iterator[Case]:
    faults, probes = FaultMaker(contract, message_type, now), ProbeMaker(contract, message_type, now)
    by_rule = [faults.of_rule(rule) for rule in contract.rules[message_type]]
    by_silence = [probes.of_silence(silence) for silence in contract.silences]
    yield from _merged([list(EdgeMaker(contract, message_type, now).every()), list(_in_turn(by_rule)), list(_in_turn(by_silence))])


def _in_turn(lists: Sequence[Iterator[Case]]) -> Iterator[Case]:
    """The first of each, then the second of each, ..."""
    return (case for case in chain.from_iterable(zip_longest(*lists)) if case is not None)


def _merged(lists: Sequence[Sequence[Case]]) -> Iterator[Case]:
    """All of the lists, each spread evenly over the whole."""
    spread = [((index + 0.5) / len(cases), number, index) for number, cases in enumerate(lists) for index in range(len(cases))]
    return (lists[number][index] for _, number, index in sorted(spread))
