"""Generates random valid cases with realistic values, for demonstrations and load tests."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from brokerfuzz.cases.case import Case, compact, confirmed, is_always_correct
from brokerfuzz.cases.random_messages import valid_messages
from brokerfuzz.schemas import Contract, MessageType

_MOST_REPEATED = 5000
"""After `_MOST_REPEATED` repeated messages in a row, no further cases are generated."""


class _Cases:
    """All plausible cases of a seed in order, without duplicates. To return a part of the cases, `part` must first
    generate all earlier cases. So it keeps the rest of the cases for the part that follows. Every caller has its own
    iterator, because several callers may alternate.
    """

    def __init__(self, contract: Contract, message_type: MessageType, seed: int) -> None:
        self._contract, self._seed = contract, seed
        self._message_type: MessageType = message_type
        self._rest: dict[int, Iterator[Case]] = {}

    def part(self, start: int, size: int) -> Iterator[Case]:
        every = self._rest.pop(start, None) or islice(self._generated(), start, None)
        yield from islice(every, size)
        self._rest = {start + size: every}

    def _generated(self) -> Iterator[Case]:
        seen, repeated = set[str](), 0
        for message in valid_messages(self._message_type, self._seed, plausible=True, contract=self._contract):
            body, tags = compact(message), ("random", "plausible")
            case = confirmed(self._message_type, body, claim="valid", tags=tags, contract=self._contract)
            repeated = 0 if case is not None and case.id not in seen else repeated + 1
            if case is not None and not repeated and is_always_correct(case, self._contract):
                seen.add(case.id)
                yield case
            if repeated == _MOST_REPEATED:
                return


@lru_cache(maxsize=4)
def _cases(contract: Contract, message_type: MessageType, seed: int) -> _Cases:
    return _Cases(contract, message_type, seed)


def plausible_cases(
    contract: Contract, message_type: MessageType, seed: int, *, start: int, size: int
) -> Iterator[Case]:
    """Yields `size` cases of a seed, from the position `start`. The iterator ends early if the contract allows too few
    different messages.
    """
    return _cases(contract, message_type, seed).part(start, size)
