"""Combines the states of any two properties of an object: absent, null, plain or at an edge. Some programs fail only if
two properties have certain states.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.covering.goals import Goal, of_pair, states_in
from brokerfuzz.generation import RandomSource, node_of
from brokerfuzz.schemas import Contract, MessageType, check
from brokerfuzz.schemas.contract import once_per_contract

_DRAWN, _SEED = 1350, 51
"""The number of random messages, and their seed. For the built-in contract, they contain every pair of states that
valid messages can have: 20,000 messages of other seeds contain no further pair.
"""


Pair = tuple[int, int]


def messages_with_pairs(contract: Contract, message_type: MessageType) -> Sequence[bytes]:
    """Returns valid messages that together contain every pair of states of the random messages. No message can be left
    out.
    """
    drawn = _drawn(contract, message_type)
    counts = Counter(pair for pairs in drawn.pairs.values() for pair in pairs)
    kept = dict(drawn.pairs)
    for body, pairs in sorted(drawn.pairs.items(), key=lambda one: len(one[1])):
        if all(counts[pair] > 1 for pair in pairs):
            counts.subtract(pairs)
            del kept[body]
    return tuple(kept)


def possible_pairs(contract: Contract, message_type: MessageType) -> frozenset[Goal]:
    """Returns the pairs of states that valid messages can have."""
    drawn = _drawn(contract, message_type)
    return frozenset(drawn.goal(*pair) for pair in set().union(*drawn.pairs.values()))


@once_per_contract
def _drawn(contract: Contract, message_type: MessageType) -> "_Drawn":
    return _Drawn(contract, message_type)


class _Drawn:
    """Random messages that each add a pair of states, and their pairs. Each state has a number, because there are
    millions of pairs.
    """

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._numbers: dict[tuple[str, str, str], int] = {}
        self.pairs: dict[bytes, set[Pair]] = {}
        source, node, seen = RandomSource(_SEED), node_of(contract, message_type), set[Pair]()
        for _ in range(_DRAWN):
            message = node.draw(source)
            pairs = self._pairs(contract, message_type, message)
            if not pairs <= seen and check(message_type, body := compact(message), contract=contract).label == "valid":
                self.pairs[body] = pairs
                seen |= pairs

    def _pairs(self, contract: Contract, message_type: MessageType, message: Any) -> set[Pair]:
        found: set[Pair] = set()
        for path, states in states_in(contract, message_type, message):
            numbers = [self._numbers.setdefault((path, name, state), len(self._numbers)) for name, state in states]
            found.update(combinations(numbers, 2))
        return found

    def goal(self, one: int, other: int) -> Goal:
        path, *first = self._states[one]
        return of_pair(path, [first, self._states[other][1:]])

    @cached_property
    def _states(self) -> Sequence[tuple[str, str, str]]:
        return list(self._numbers)
