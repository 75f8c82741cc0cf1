"""Combines the states of any two properties of an object: absent, null, plain or at an edge. For a boolean or an
enumeration, each possible value is a state. Some programs fail only if two properties have certain states.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.covering.edges import edges, parts_of
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.generation import ABSENT, PropertyState, RandomSource, SiteChoices, message, node_of
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.flattening import types_of

_SEED, _IN_VAIN = 5, 10
"""The seed of the random messages, which end after this number of messages in a row without a new pair. Those of offers
in the built-in contract contain 99.8 % of the pairs of states that messages of any seed have.
"""
_MOST = 550
"""The maximum number of random messages."""
_SIZES = (0, 0, 1, 1, 2, 11)

Pair = tuple[int, int]
"""Two states of properties of the same object. Each state has a number, because a message has hundreds of pairs."""


class _EvenSource(RandomSource):
    """Chooses each state and each size of an array about equally often, so that few messages contain all pairs."""

    def state(self, choices: SiteChoices, /) -> PropertyState:
        state: PropertyState = self.choose(tuple(dict.fromkeys(choices.states)))
        return state

    def plain(self, choices: SiteChoices, /) -> Any:
        value = choices.realistic[0] if choices.realistic else choices.plain
        return self.identifier(value) if choices.is_identifier else value

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        return range(min(max(self.choose(_SIZES), low), high))


@once_per_contract
def cases_with_pairs(contract: Contract, message_type: MessageType) -> Mapping[Case, int]:
    """Returns valid random cases, and how many pairs of states each has that the cases before it do not have."""
    cases: dict[Case, int] = {}
    seen: set[Pair] = set()
    source = _EvenSource(_SEED)
    node = node_of(contract, message_type)
    states = States(contract, message_type)
    last_new = 0
    for number in range(_MOST):
        if number - last_new > _IN_VAIN:
            break
        drawn = node.draw(source)
        new = states.pairs(drawn) - seen
        if not new:
            continue
        case = Case.judged(message_type, compact(drawn), tags=("pairs",), contract=contract)
        if case.label == "valid":
            cases[case] = len(new)
            seen |= new
            last_new = number
    return cases


class States:
    """The states of the properties of all objects of a message type."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._root = contract.sites[message_type][""]
        self._edges = edges(contract, message_type)
        schemas = {path: site.schema for path, site in contract.sites[message_type].items()}
        self._props = {
            path: [(name, prop.path) for name, prop in site.properties.items()]
            for path, site in contract.sites[message_type].items()
        }
        self._flags = {
            path for path, schema in schemas.items() if "enum" in schema or types_of(schema) - {"null"} == {"boolean"}
        }
        self._plain: dict[str, set[str]] = {}
        for path in schemas:
            if path not in self._plain:
                self._store_edges(message(contract, message_type, wishes=wishes_at(contract, message_type, path)))
        self._numbers: dict[tuple[str, str], int] = {}

    def _store_edges(self, ordinary: Any) -> None:
        """Stores the edges of ordinary values. A value without other edges has the state `plain`."""
        for path, value in parts_of(self._root, ordinary):
            if value is not ABSENT:
                self._plain.setdefault(path, {"1-items", "2-items"}).update(self._edges.of(path, value))

    def pairs(self, message: Any) -> set[Pair]:
        """Returns the pairs of states in a valid message."""
        pairs_of_states: set[Pair] = set()
        for site, _, value in self._root.walk(message):
            if isinstance(value, dict):
                pairs_of_states.update(combinations(self._of(site.path, value), 2))
        return pairs_of_states

    def _of(self, path: str, value: Mapping[str, Any]) -> list[int]:
        """Returns the number of the state of each property of an object, including absent properties."""
        states = [(site, self._state(site, value.get(name, ABSENT))) for name, site in self._props.get(path, ())]
        return [self._numbers.setdefault(state, len(self._numbers)) for state in states]

    def _state(self, site: str, value: Any) -> str:
        if value is ABSENT:
            return "absent"
        if value is None:
            return "null"
        shown = self._edges.of(site, value)
        if site in self._flags:
            return next(shown, "plain")
        plain = self._plain.get(site, ())
        return "edge" if any(edge not in plain for edge in shown) else "plain"
