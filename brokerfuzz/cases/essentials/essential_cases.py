"""Generates all essential cases of a message type (see the package `essentials`)."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from brokerfuzz.cases.case import Case, clock, is_always_correct, tagged_now
from brokerfuzz.cases.essentials.edge_cases import EssentialEdges
from brokerfuzz.cases.essentials.fault_cases import faults_of_rule
from brokerfuzz.cases.essentials.probe_cases import probes_of_ambiguity
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.requests import RequestMaker
from brokerfuzz.decoder.value_pools import EARLIEST_NOW
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.contract import known_contract, known_message_type

LARGEST = 16 * 1024
"""The maximum size of an essential message, in bytes. Even in base64, such a message fits on a line of 64 KiB."""


def essentials(message_type: MessageType, *, now: datetime | None = None, contract: Contract | None = None, large: bool = False) -> Iterator[Case]:
    """Yields the essential cases of a message type. Each twin comes before its invalid cases.

    `now` is the time for the time-dependent cases (None: no such cases). With `large`, messages of more than `LARGEST` bytes are
    included. Raises `ClockError` for an unsupported `now`, and `UnknownNameError` for an unknown message type.
    """
    cases = _all(known_contract(contract), known_message_type(message_type), None if now is None else clock(now))
    return (case for case in cases if large or len(case.body) <= LARGEST)


@lru_cache(maxsize=6)
def _all(contract: Contract, message_type: MessageType, now: datetime | None) -> Sequence[Case]:
    every: dict[str, Case] = {}
    for case in _in_order(contract, message_type, now or EARLIEST_NOW):
        if now is not None or _has_one_verdict(case, contract):
            every |= {one.id: one for one in (case.twin, case) if one is not None and one.id not in every}
    return tuple(every.values())


def _has_one_verdict(case: Case, contract: Contract) -> bool:
    """Returns whether the verdict of the case is the same at every supported time (2001 to 9900)."""
    return tagged_now(case.tags) is None and (contract is load_contract() or is_always_correct(case, contract))


def _in_order(contract: Contract, message_type: MessageType, now: datetime) -> Iterator[Case]:
    edges, faults = EssentialEdges(contract, message_type, now), FaultMaker(contract, message_type, now)
    yield from edges.of_message()
    for site in contract.sites[message_type].values():
        yield from edges.of_site(site)
        for rule in contract.rules[message_type]:
            if rule.site == site.path:
                yield from faults_of_rule(faults, rule)
    probes = ProbeMaker(contract, message_type, now)
    for ambiguity in contract.ambiguities:
        yield from probes_of_ambiguity(probes, ambiguity)
    yield from RequestMaker(contract, message_type, now, full=False).every()
