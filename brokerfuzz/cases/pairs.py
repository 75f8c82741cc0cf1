"""Combines the states of any two properties of an object: absent, null, plain or at an edge. Some programs fail only if
two properties have certain states.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.covering.states import Pair, states
from brokerfuzz.generation import RandomSource, SiteChoices, State, node_of
from brokerfuzz.schemas import Contract, MessageType, check
from brokerfuzz.schemas.contract import once_per_contract

_DRAWN, _SEED = 550, 5
"""The number of random messages, and their seed. For the built-in contract, they contain every pair of states that
valid messages can have: 20,000 messages of other seeds contain no further pair.
"""
_SIZES = (0, 0, 1, 1, 2, 11)


class _EvenSource(RandomSource):
    """Chooses each state and each size of an array about equally often, so that few messages contain all pairs."""

    def state(self, choices: SiteChoices, /) -> State:
        state: State = self.choose(tuple(dict.fromkeys(choices.states)))
        return state

    def plain(self, choices: SiteChoices, /) -> Any:
        return choices.realistic[0] if choices.realistic else choices.plain

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        return range(min(max(self.choose(_SIZES), low), high))


def messages_with_pairs(contract: Contract, message_type: MessageType) -> Sequence[bytes]:
    """Returns valid messages that together contain every pair of states of the random messages."""
    return tuple(_drawn(contract, message_type))


def possible_pairs(contract: Contract, message_type: MessageType) -> set[Pair]:
    """Returns the pairs of states that valid messages can have."""
    return set().union(*_drawn(contract, message_type).values())


@once_per_contract
def _drawn(contract: Contract, message_type: MessageType) -> Mapping[bytes, set[Pair]]:
    """Returns random messages that each add a pair of states, and the pairs that they add."""
    found, seen = dict[bytes, set[Pair]](), set[Pair]()
    source, node = _EvenSource(_SEED), node_of(contract, message_type)
    for _ in range(_DRAWN):
        message = node.draw(source)
        new = states(contract, message_type).pairs(message) - seen
        if new and check(message_type, body := compact(message), contract=contract).label == "valid":
            found[body] = new
            seen |= new
    return found
