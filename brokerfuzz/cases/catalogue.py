"""Lists cases that follow from the contract alone, without randomness: every rule broken by every technique, every
edge, every pair of states, and every probe.

There are two scopes. The catalogue varies the position of a fault and the properties around it, and is sorted so that
the first cases find the most bugs. The essential cases (the default corpus) use the smallest messages, sorted by site,
so that a changed contract changes few lines.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from brokerfuzz.cases.case import Case, clock, is_always_correct, tagged_now
from brokerfuzz.cases.catalogue_order import ordered
from brokerfuzz.cases.fault_cases import FaultCases
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.pairs import messages_with_pairs
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.requests import header_cases
from brokerfuzz.cases.valid_cases import ValidCases
from brokerfuzz.contract_names import LABELS
from brokerfuzz.generation import REQUIRED, SMALLEST, Setting, Wish, message
from brokerfuzz.generation.edge_values import EARLIEST_NOW
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, load_contract
from brokerfuzz.schemas.contract import known_message_type, once_per_contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels

LARGEST = 16 * 1024
"""The maximum size of an essential message, in bytes. Even in base64, such a message fits on a line of 64 KiB."""


def catalogue(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] = LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
    rules: frozenset[str] | None = None,
) -> Iterator[Case]:
    """Yields the cases of the catalogue of a message type, in order. Each twin comes before its invalid cases.

    `now` is the time for cases whose verdict depends on the current time. Without `now`, these cases are omitted, so
    every verdict is correct at every supported time. With `rules`, only the cases that break these rules are generated,
    which is faster. Raises `ClockError` for a wrong `now`, and `UnknownNameError` for an unknown message type or
    verdict.

    >>> from brokerfuzz import catalogue
    >>> [case.label for case in catalogue("offer-creation-request")][:3]
    ['valid', 'valid', 'valid']
    """
    contract, message_type, labels = known_contract(contract), known_message_type(message_type), known_labels(verdicts)
    timed = () if now is None else _timed(contract, message_type, clock(now), rules)
    return (case for case in _distinct([*_timeless(contract, message_type, rules), *timed]) if case.label in labels)


def essentials(
    message_type: MessageType,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    large: bool = False,
    rules: frozenset[str] | None = None,
) -> Iterator[Case]:
    """Yields the essential cases of a message type. Each twin comes before its invalid cases.

    `now` and `rules` work as in `catalogue`. With `large`, messages of more than `LARGEST` bytes are included. Raises
    `ClockError` for an unsupported `now`, and `UnknownNameError` for an unknown message type.
    """
    cases = _essentials(
        known_contract(contract), known_message_type(message_type), None if now is None else clock(now), rules
    )
    return (case for case in cases if large or len(case.body) <= LARGEST)


def plain_messages(message_type: MessageType, *, contract: Contract | None = None) -> tuple[Case, ...]:
    """Returns several plain messages: an ordinary message with every property, a message with the last value of each
    enumeration, a message without optional objects and arrays, and a message with only the required properties. A
    target that rejects all plain messages probably rejects every message.
    """
    known = contract or load_contract()
    faults = Faults(known, message_type, None)
    optional = [
        (path, types_of(site.schema))
        for path, site in known.sites[message_type].items()
        if site.name and not site.required
    ]
    flat = {path: Wish(state="absent") for path, types in optional if {"object", "array"} & types}
    messages = (
        message(known, message_type),
        message(known, message_type, Setting("last values", turn=-1)),
        message(known, message_type, wishes=flat),
        message(known, message_type, REQUIRED),
    )
    found = {case.id: case for one in messages if (case := faults.valid(one, ())) is not None}
    if not found:
        return tuple(catalogue(message_type, verdicts=["valid"], contract=known))[:1]
    ordinary, *others = found.values()
    return (ordinary, *sorted(others, key=lambda case: -len(case.body)))


def plainest(message_type: MessageType, *, contract: Contract | None = None) -> Case:
    """Returns an ordinary message with every property. If a changed contract forbids this message, returns another
    plain message.
    """
    return plain_messages(message_type, contract=contract)[0]


@once_per_contract
def _timeless(contract: Contract, message_type: MessageType, rules: frozenset[str] | None) -> Sequence[Case]:
    """Returns the cases whose verdict is the same at every supported time."""
    return tuple(
        case
        for case in ordered(_distinct(_every(contract, message_type, None, rules)), contract)
        if _is_timeless(case, contract)
    )


def _timed(
    contract: Contract, message_type: MessageType, now: datetime, rules: frozenset[str] | None
) -> Sequence[Case]:
    """Returns the cases whose verdict is correct only at the time `now`, and their twins."""
    cases = (case for case in _about_time(contract, message_type, now, rules) if not _is_timeless(case, contract))
    return _distinct(cases)


def _essentials(
    contract: Contract, message_type: MessageType, now: datetime | None, rules: frozenset[str] | None
) -> Sequence[Case]:
    cases = _distinct(_small(contract, message_type, now or EARLIEST_NOW, rules))
    return tuple(cases if now is not None else (case for case in cases if _is_timeless(case, contract)))


def _is_timeless(case: Case, contract: Contract) -> bool:
    return tagged_now(case.tags) is None and (contract is load_contract() or is_always_correct(case, contract))


def _distinct(cases: Iterable[Case]) -> list[Case]:
    """Returns the cases and their twins, each once."""
    every: dict[str, Case] = {}
    for case in cases:
        for one in (case.twin, case):
            if one is not None:
                every.setdefault(one.id, one)
    return list(every.values())


def _every(
    contract: Contract, message_type: MessageType, now: datetime | None, rules: frozenset[str] | None
) -> Iterator[Case]:
    faults = FaultCases(contract, message_type, now)
    if rules is None:
        yield from _valid(contract, message_type, now)
    for rule in _chosen(contract, message_type, rules):
        yield from faults.of_rule(rule)
    yield from faults.empty_object()
    if rules is None:
        yield from _probes(contract, message_type, now)
        yield from header_cases(contract, message_type, now)


def _valid(contract: Contract, message_type: MessageType, now: datetime | None) -> Iterator[Case]:
    valid = ValidCases(contract, message_type, now)
    usual = [*valid.of_message(), *valid.packed()]
    yield from usual
    yield from valid.others(usual)
    for body in messages_with_pairs(contract, message_type):
        yield Case.judged(message_type, body, claim="valid", tags=("pairs",), now=now, contract=contract)


def _chosen(contract: Contract, message_type: MessageType, rules: frozenset[str] | None) -> list[Rule]:
    return [rule for rule in contract.rules[message_type] if rules is None or rule.id in rules]


def _probes(contract: Contract, message_type: MessageType, now: datetime | None) -> Iterator[Case]:
    probes = ProbeMaker(contract, message_type, now)
    for ambiguity in contract.ambiguities:
        yield from probes.of_ambiguity(ambiguity)


def _about_time(
    contract: Contract, message_type: MessageType, now: datetime, rules: frozenset[str] | None
) -> Iterator[Case]:
    faults = FaultCases(contract, message_type, now)
    for rule in _chosen(contract, message_type, rules):
        if rule.keyword == NOT_IN_FUTURE:
            yield from faults.of_rule(rule)
    if rules is None:
        yield from _probes(contract, message_type, now)


def _small(
    contract: Contract, message_type: MessageType, now: datetime, rules: frozenset[str] | None
) -> Iterator[Case]:
    valid, faults = ValidCases(contract, message_type, now), FaultCases(contract, message_type, now)
    chosen = _chosen(contract, message_type, rules)
    if rules is None:
        yield from valid.of_message()
    for site in contract.sites[message_type].values():
        if rules is None:
            yield from valid.of_site(site)
        for rule in chosen:
            if rule.site == site.path:
                yield from faults.small(rule)
    if rules is None:
        probes = ProbeMaker(contract, message_type, now)
        for ambiguity in contract.ambiguities:
            yield from probes.small(ambiguity)
        yield from header_cases(contract, message_type, now, SMALLEST)
