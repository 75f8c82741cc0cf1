"""The catalogue: a finite, ordered list of cases that depends only on the contract, without randomness.

The catalogue of our own contract is prepared in advance. Catalogues of changed contracts are generated.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from brokerfuzz.cases.case import Case, clock, compact
from brokerfuzz.cases.catalogue_maker import generate
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
    """Yields the cases of a message type's catalogue, in order, each once. A twin comes before the first fault that uses it.

    `now` is the time for rules about the future (None: the current time). The other cases of the catalogue are always the same.
    `strength` is 2 to combine every two properties of an object in all their states (absent, null, ...), 3 to combine every three
    properties. For an object with too many combinations, brokerfuzz lowers the strength (`pairs.strength_at`). Raises
    `StrengthError`, `ClockError`, or `UnknownNameError` for an unknown verdict.
    """
    cases = _listed(contract or load_contract(), message_type, clock(now), strength)
    labels = known_labels(verdicts)
    return (case for case in cases if case.label in labels)


def plainest(message_type: MessageType, *, now: datetime | None = None, contract: Contract | None = None) -> Case:
    """Returns the first valid case.

    Usually this is the plain message with every property, which is fast to build. Only a changed contract can forbid it.
    """
    known = contract or load_contract()
    body = compact(build(known, message_type, MessagePlan()))
    case = Case.confirmed(message_type, body, claim="valid", now=clock(now), contract=known)
    return case or next(catalogue(message_type, verdicts=["valid"], now=now, contract=known))


@lru_cache(maxsize=6)
def _listed(contract: Contract, message_type: MessageType, now: datetime, strength: int) -> Sequence[Case]:
    """Returns all cases. The function caches the last few catalogues, because it takes seconds to generate one."""
    if contract is load_contract() and strength == STRENGTH:
        return prepared(message_type, now)
    return generate(contract, message_type, now, strength)
