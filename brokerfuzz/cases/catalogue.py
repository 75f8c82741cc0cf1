"""Provides the catalogue: a list of cases that follows from the contract alone, without randomness.

The catalogue of the built-in contract is in a file of the package. The catalogue of a changed contract must be generated.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case import Case, clock, compact, confirmed, is_always_correct, tagged_now
from brokerfuzz.cases.catalogue_maker import generate
from brokerfuzz.cases.message_builder import ABSENT, PLAIN, MessagePlan, build
from brokerfuzz.cases.prepared_catalogue import STRENGTH, prepared
from brokerfuzz.contract_names import LABELS
from brokerfuzz.decoder.value_pools import EARLIEST_NOW
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.contract import known_contract, known_message_type
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.verdicts import known_labels


def catalogue(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] = LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
    strength: int = 2,
) -> Iterator[Case]:
    """Yields the cases of the catalogue of a message type, in order. Each twin comes before its invalid cases.

    `now` is the time for cases whose verdict depends on the current time. Without `now`, these cases are omitted, so every verdict
    is correct at every supported time. `strength` is the number of properties whose states are combined: 2 for all pairs, 3 for all
    triples. An object with too many combinations gets a lower strength (see `pairs.strength_at`). Raises `StrengthError` or
    `ClockError` for a wrong `strength` or `now`, and `UnknownNameError` for an unknown message type or verdict.

    >>> from brokerfuzz import catalogue
    >>> [case.label for case in catalogue("offer-creation-request")][:3]
    ['valid', 'valid', 'valid']
    """
    cases = _listed(known_contract(contract), known_message_type(message_type), None if now is None else clock(now), strength)
    labels = known_labels(verdicts)
    return (case for case in cases if case.label in labels)


def plainest(message_type: MessageType, *, contract: Contract | None = None) -> Case:
    """Returns an ordinary message with every property. If a changed contract forbids this message, returns the first valid case of the
    catalogue.
    """
    known = contract or load_contract()
    body = compact(build(known, message_type, MessagePlan()))
    case = confirmed(message_type, body, claim="valid", contract=known)
    return case or next(catalogue(message_type, verdicts=["valid"], contract=known))


def plain_messages(message_type: MessageType, *, contract: Contract | None = None) -> tuple[Case, ...]:
    """Returns several plain messages: the plainest case, a message with the last value of each enumeration, a message without
    optional objects and arrays, and a message with only the required properties. A target that rejects all plain messages
    probably rejects every message.
    """
    known = contract or load_contract()
    plans = (MessagePlan(choose=_last_value), MessagePlan(choose=_no_objects), MessagePlan(full=False))
    bodies = dict.fromkeys(compact(build(known, message_type, plan)) for plan in plans)
    cases = (confirmed(message_type, body, claim="valid", contract=known) for body in bodies)
    plainest_case = plainest(message_type, contract=known)
    return (plainest_case, *(case for case in cases if case is not None and case.body != plainest_case.body))


def _no_objects(path: str, schema: Schema) -> Any:
    return ABSENT if path and {"object", "array"} & set(types_of(schema)) else PLAIN


def _last_value(path: str, schema: Schema) -> Any:
    return schema["enum"][-1] if "enum" in schema else PLAIN


@lru_cache(maxsize=6)
def _listed(contract: Contract, message_type: MessageType, now: datetime | None, strength: int) -> Sequence[Case]:
    if strength == STRENGTH and _has_built_in_catalogue(contract, message_type):
        return prepared(message_type, now)
    cases = generate(contract, message_type, now or EARLIEST_NOW, strength)
    return cases if now is not None else tuple(case for case in cases if tagged_now(case.tags) is None and is_always_correct(case, contract))


def _has_built_in_catalogue(contract: Contract, message_type: MessageType) -> bool:
    """Reference data for other message types does not change the catalogue."""
    if contract.values is not None and not contract.values.used(message_type):
        return contract.original is load_contract()
    return contract is load_contract()
