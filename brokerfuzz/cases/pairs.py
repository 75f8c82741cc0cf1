"""Combines the states of any two properties of an object: absent, null, plain or at an edge. Some programs fail only if
two properties have certain states.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.covering.states import Pair, states
from brokerfuzz.generation import RandomSource, node_of
from brokerfuzz.schemas import Contract, MessageType, check
from brokerfuzz.schemas.contract import once_per_contract

_DRAWN, _SEED = 1350, 51
"""The number of random messages, and their seed. For the built-in contract, they contain every pair of states that
valid messages can have: 20,000 messages of other seeds contain no further pair.
"""


def messages_with_pairs(contract: Contract, message_type: MessageType) -> Sequence[bytes]:
    """Returns valid messages that together contain every pair of states of the random messages. No message can be left
    out.
    """
    pairs_of = _drawn(contract, message_type)
    counts = Counter(pair for pairs in pairs_of.values() for pair in pairs)
    kept = dict(pairs_of)
    for body, pairs in sorted(pairs_of.items(), key=lambda one: len(one[1])):
        if all(counts[pair] > 1 for pair in pairs):
            counts.subtract(pairs)
            del kept[body]
    return tuple(kept)


def possible_pairs(contract: Contract, message_type: MessageType) -> set[Pair]:
    """Returns the pairs of states that valid messages can have."""
    return set().union(*_drawn(contract, message_type).values())


@once_per_contract
def _drawn(contract: Contract, message_type: MessageType) -> Mapping[bytes, set[Pair]]:
    """Returns random messages that each add a pair of states, and their pairs."""
    found, seen = dict[bytes, set[Pair]](), set[Pair]()
    source, node = RandomSource(_SEED), node_of(contract, message_type)
    for _ in range(_DRAWN):
        message = node.draw(source)
        pairs = states(contract, message_type).pairs(message)
        if not pairs <= seen and check(message_type, body := compact(message), contract=contract).label == "valid":
            found[body] = pairs
            seen |= pairs
    return found
