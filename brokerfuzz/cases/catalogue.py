"""The catalogue: a finite, ordered, random-free list of cases that the contract alone determines. That of our own contract comes prepared, others are
made.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from brokerfuzz.cases.case import Case, clock, compact
from brokerfuzz.cases.catalogue_maker import made
from brokerfuzz.cases.message_builder import MessagePlan, build
from brokerfuzz.cases.prepared_catalogue import STRENGTH, prepared
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.verdicts import known_labels


def catalogue(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] = LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
    strength: int = 2,
) -> Iterator[Case]:
    """The cases of a message type's catalogue, in order, each once. A twin comes before the first fault that it belongs to.

    `now` is what the clock rule follows (the present, where it is None); nothing else of the catalogue changes from run to run. `strength`
    is of how many properties every combination of states occurs: 2 for pairs, 3 for triples, as far as they are not too many
    (`pairs.strength_at`). Raises `StrengthError`, `ClockError`, and `UnknownNameError` for a verdict that is none.
    """
    cases = _listed(contract or load_contract(), message_type, clock(now), strength)
    labels = known_labels(verdicts)
    return (case for case in cases if case.label in labels)


def plainest(message_type: MessageType, *, now: datetime | None = None, contract: Contract | None = None) -> Case:
    """The first valid case, at once where it is the plain message with every property, which only a changed contract can forbid."""
    known = contract or load_contract()
    body = compact(build(known, message_type, MessagePlan()))
    case = Case.confirmed(message_type, body, claim="valid", now=clock(now), contract=known)
    return case or next(catalogue(message_type, verdicts=["valid"], now=now, contract=known))


@lru_cache(maxsize=6)
def _listed(contract: Contract, message_type: MessageType, now: datetime, strength: int) -> Sequence[Case]:
    """All cases. The last few catalogues are kept: making one takes seconds."""
    if contract is load_contract() and strength == STRENGTH:
        return prepared(message_type, now)
    return made(contract, message_type, now, strength)
