"""Generates the catalogue of a message type.

The invalid cases break every rule with every technique, and at several positions in arrays. The valid cases contain every edge (an
unusual valid value), and combine the states of any two properties (absent, null, plain or at an edge). Each ambiguity has
unspecified cases. `catalogue_order` sorts the cases.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue_order import by_cover
from brokerfuzz.cases.controls import ControlMaker
from brokerfuzz.cases.edges import EdgeMaker
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.pairs import PairMaker
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.requests import RequestMaker
from brokerfuzz.cases.weights import OF_PAIR, case_weights
from brokerfuzz.schemas import Ambiguity, Contract, MessageType, Rule


def generate(contract: Contract, message_type: MessageType, now: datetime, strength: int) -> Sequence[Case]:
    """Returns all cases of the catalogue, sorted and without duplicates. Generating a catalogue takes several seconds."""
    every: dict[str, Case] = {}
    for case in _unordered(contract, message_type, now, strength):
        for one in (case.twin, case):
            if one is not None:
                every.setdefault(one.id, one)
    cases = list(every.values())
    return tuple(by_cover(cases, case_weights(cases, contract, message_type), OF_PAIR))


def _unordered(contract: Contract, message_type: MessageType, now: datetime, strength: int) -> Iterator[Case]:
    yield from EdgeMaker(contract, message_type, now).every()
    yield from PairMaker(contract, message_type, now, strength).every()
    yield from faults_of(contract, message_type, now, contract.rules[message_type])
    yield from FaultMaker(contract, message_type, now).empty_object()
    yield from probes_of(contract, message_type, now, contract.ambiguities)
    yield from RequestMaker(contract, message_type, now).every()


def faults_of(contract: Contract, message_type: MessageType, now: datetime, rules: Iterable[Rule]) -> Iterator[Case]:
    """Yields the cases that break these rules. Each case is followed by its controls: the same message, but with a different
    value for the condition of the rule (see `controls`).
    """
    faults, controls = FaultMaker(contract, message_type, now), ControlMaker(contract, message_type, now)
    for rule in rules:
        for case in faults.of_rule(rule):
            yield case
            yield from controls.of_fault(rule, case)


def probes_of(contract: Contract, message_type: MessageType, now: datetime, ambiguities: Iterable[Ambiguity]) -> Iterator[Case]:
    probes = ProbeMaker(contract, message_type, now)
    for ambiguity in ambiguities:
        yield from probes.of_ambiguity(ambiguity)
