"""Names the sets of cases that a plan can begin with, and generates those that do not depend on a seed."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, get_args

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, essentials
from brokerfuzz.cases.fuzz_seeds import seeds
from brokerfuzz.schemas import Contract, MessageType

CaseSet = Literal["full", "essential", "large", "seeds", "random", "plausible"]
"""`full` is the whole catalogue, `essential` the default corpus, `large` the default corpus with messages of more than
16 KiB, and `seeds` a part of the catalogue for fuzzers. Random cases can follow these sets. `random` consists only of
random cases, and `plausible` only of plausible valid messages.
"""
CASE_SETS: tuple[CaseSet, ...] = get_args(CaseSet)
ONLY_RANDOM = ("random", "plausible")
"""The sets whose cases all depend on a seed."""


def fixed_cases(
    case_set: CaseSet, contract: Contract, message_type: MessageType, now: datetime | None, rules: frozenset[str] | None
) -> Iterable[Case]:
    """Returns the cases that do not depend on a seed. `now` and `rules` work as in `catalogue`."""
    if case_set in ONLY_RANDOM:
        return ()
    if case_set in ("essential", "large"):
        return essentials(message_type, now=now, contract=contract, large=case_set == "large", rules=rules)
    cases = catalogue(message_type, now=now, contract=contract, rules=rules)
    return seeds(tuple(cases), contract) if case_set == "seeds" else cases
