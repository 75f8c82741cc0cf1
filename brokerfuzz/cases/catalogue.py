"""Lists cases that follow from the contract alone, without randomness: every rule broken by every technique, every
edge, nearly every pair of states, and every probe.

There are two scopes. The catalogue varies the position of a fault and the properties around it, and is sorted so that
the first cases find the most bugs. The essential cases (the default corpus) use the smallest messages, sorted by site,
so that a changed contract changes few lines.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any, Final, Literal, get_args

from brokerfuzz.cases.case import Case, is_always_correct, supported_time
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.case_tags import tagged_now
from brokerfuzz.cases.catalogue_order import ordered, seeds
from brokerfuzz.cases.fault_cases import FaultCases
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.pairs import cases_with_pairs
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.valid_cases import ValidCases
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import listed_names
from brokerfuzz.generation import REQUIRED, Setting, Wish, message
from brokerfuzz.generation.edge_values import EARLIEST_NOW
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels

CaseSet = Literal["full", "essential", "large", "seeds", "random", "plausible"]
"""`full` is the whole catalogue, `essential` the default corpus, `large` the default corpus with messages of more than
16 KiB, and `seeds` a part of the catalogue for fuzzers. Random cases can follow these sets. `random` consists only of
random cases, and `plausible` only of plausible valid messages.
"""
CASE_SETS: tuple[CaseSet, ...] = get_args(CaseSet)
ONLY_RANDOM = ("random", "plausible")
"""The sets whose cases all depend on a seed."""
LARGEST_ESSENTIAL = 16 * 1024
"""The maximum size of an essential message, in bytes. Even in base64, such a message fits on a line of 64 KiB."""


def fixed_cases(
    case_set: CaseSet, contract: Contract, message_type: MessageType, now: datetime | None, rules: frozenset[str] | None
) -> Iterable[Case]:
    """Returns the cases of a set that do not depend on a seed. `now` and `rules` work as in `catalogue`."""
    if case_set in ONLY_RANDOM:
        return ()
    if case_set in ("essential", "large"):
        return essentials(message_type, now=now, contract=contract, large=case_set == "large", rules=rules)
    cases = catalogue(message_type, now=now, contract=contract, rules=rules)
    return seeds(cases, contract) if case_set == "seeds" else cases


def catalogue(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] = LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
    rules: Collection[str] | None = None,
) -> Iterator[Case]:
    """Yields the cases of the catalogue of a message type, in order. Each twin comes before its invalid cases.

    `now` is the time for cases whose verdict depends on the current time. Without `now`, these cases are omitted, so
    every verdict is correct at every supported time. With `rules`, only the cases that break these rules are generated,
    which is faster; `*` matches any characters. Raises `ClockError` for a wrong `now`, and `UnknownNameError` for an
    unknown message type, verdict or rule.

    >>> from brokerfuzz import catalogue
    >>> [case.label for case in catalogue("offer-creation-request")][:3]
    ['valid', 'valid', 'valid']
    """
    contract, labels = known_contract(contract), known_labels(verdicts)
    contract.known_message_type(message_type)
    chosen = None if rules is None else frozenset(selection(contract, listed_names("rules", rules)).rules or ())
    timed = () if now is None else _Listing(contract, message_type, supported_time(now), chosen).about_time()
    return (case for case in _distinct([*_timeless(contract, message_type, chosen), *timed]) if case.label in labels)


def essentials(
    message_type: MessageType,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    large: bool = False,
    rules: frozenset[str] | None = None,
) -> Iterator[Case]:
    """Yields the essential cases of a message type. Each twin comes before its invalid cases.

    `now` and `rules` work as in `catalogue`. With `large`, messages of more than `LARGEST_ESSENTIAL` bytes are
    included. Raises `ClockError` for an unsupported `now`, and `UnknownNameError` for an unknown message type.
    """
    used_contract = known_contract(contract)
    used_contract.known_message_type(message_type)
    listing = _Listing(used_contract, message_type, EARLIEST_NOW if now is None else supported_time(now), rules)
    return (
        case
        for case in _distinct(listing.cases(small=True))
        if (large or len(case.body) <= LARGEST_ESSENTIAL) and (now is not None or _is_timeless(case, used_contract))
    )


_MOST_TURNS: Final = 8
"""The number of values of a long enumeration, such as one of countries, that plain messages have."""


def plain_messages(message_type: MessageType, *, contract: Contract | None = None) -> tuple[Case, ...]:
    """Returns several plain messages: an ordinary message with every property, a message with the last value of each
    enumeration, a message without optional objects and arrays, one without other optional values, a message with only
    the required properties, and ordinary ones with the other values of each enumeration. A target that rejects all
    plain messages probably rejects every message.
    """
    used_contract = contract or load_contract()
    injector = FaultInjector(used_contract, message_type, None)
    sites = used_contract.sites[message_type]
    optional = [(path, types_of(site.schema)) for path, site in sites.items() if site.name and not site.required]
    flat = {path: Wish(state="absent") for path, types in optional if {"object", "array"} & types}
    bare = {path: Wish(state="absent") for path, _ in optional if path not in flat}

    def valid_cases(*values: Any) -> list[Case]:
        return [case for value in values if (case := injector.valid(value, ())) is not None]

    with_less = valid_cases(
        message(used_contract, message_type, Setting("last values", turn=-1)),
        message(used_contract, message_type, wishes=flat),
        message(used_contract, message_type, wishes=bare),
        message(used_contract, message_type, REQUIRED),
    )
    most_values = max(len(site.schema.get("enum", ())) for site in sites.values())
    turns = range(1, min(most_values - 1, _MOST_TURNS))
    cases = [
        *valid_cases(message(used_contract, message_type)),
        *sorted(with_less, key=lambda case: -len(case.body)),
        *valid_cases(*(message(used_contract, message_type, Setting("other values", turn=turn)) for turn in turns)),
    ]
    cases_by_id = {case.id: case for case in cases}
    return tuple(cases_by_id.values()) or tuple(catalogue(message_type, verdicts=["valid"], contract=used_contract))[:1]


def plainest(message_type: MessageType, *, contract: Contract | None = None) -> Case:
    """Returns an ordinary message with every property. If a changed contract forbids this message, returns another
    plain message.
    """
    return plain_messages(message_type, contract=contract)[0]


@cache
def _timeless(contract: Contract, message_type: MessageType, rules: frozenset[str] | None) -> Sequence[Case]:
    """Returns the cases whose verdict is the same at every supported time."""
    cases = ordered(_distinct(_Listing(contract, message_type, None, rules).cases()), contract)
    return tuple(case for case in cases if _is_timeless(case, contract))


def _is_timeless(case: Case, contract: Contract) -> bool:
    return tagged_now(case.tags) is None and (contract.is_tested or is_always_correct(case, contract))


def _distinct(cases: Iterable[Case]) -> list[Case]:
    """Returns the cases and their twins, each once."""
    distinct_cases: dict[str, Case] = {}
    for case in cases:
        for listed_case in (case.twin, case):
            if listed_case is not None:
                distinct_cases.setdefault(listed_case.id, listed_case)
    return list(distinct_cases.values())


class _Listing:
    """Lists the cases of a message type. If `now` is None, there are no time-dependent cases. With `rules`, only the
    cases that break these rules are listed.
    """

    def __init__(
        self, contract: Contract, message_type: MessageType, now: datetime | None, rules: frozenset[str] | None
    ) -> None:
        self._contract = contract
        self._message_type: MessageType = message_type
        self._is_whole = rules is None
        self._rules = [rule for rule in contract.rules[message_type] if rules is None or rule.id in rules]
        self._ambiguities = contract.ambiguities if rules is None else ()
        self._valid = ValidCases(contract, message_type, now)
        self._fault_cases = FaultCases(contract, message_type, now)
        self._probes = ProbeMaker(contract, message_type, now)

    def cases(self, *, small: bool = False) -> Iterator[Case]:
        """Yields the cases of the catalogue, or with `small` the essential ones, sorted by site."""
        if self._is_whole:
            yield from self._valid.of_message() if small else self._valid_with_pairs()
        for site in self._contract.sites[self._message_type].values():
            if self._is_whole and small:
                yield from self._valid.of_site(site)
            for rule in self._rules:
                if rule.site == site.path:
                    yield from self._fault_cases.of_rule(rule, small=small)
        if not small:
            yield from self._fault_cases.empty_object()
        for ambiguity in self._ambiguities:
            yield from self._probes.of_ambiguity(ambiguity, small=small)

    def _valid_with_pairs(self) -> Iterator[Case]:
        usual = [*self._valid.of_message(), *self._valid.packed()]
        yield from usual
        yield from self._valid.others(usual)
        yield from cases_with_pairs(self._contract, self._message_type)

    def about_time(self) -> Iterator[Case]:
        """Yields the cases whose verdict is correct only at the time `now`."""
        rules = [rule for rule in self._rules if rule.keyword == NOT_IN_FUTURE]
        ambiguities = [ambiguity for ambiguity in self._ambiguities if ambiguity.kind.timed]
        for case in chain(*map(self._fault_cases.of_rule, rules), *map(self._probes.of_ambiguity, ambiguities)):
            if not _is_timeless(case, self._contract):
                yield case
