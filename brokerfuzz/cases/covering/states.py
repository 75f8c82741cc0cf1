"""Determines the states of an object's properties: absent, null, plain, or at an edge. For a boolean or an enumeration,
each possible value is a state. Each pair of states of two properties counts as a goal.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from brokerfuzz.cases.covering.edges import edges, parts_of
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.generation import ABSENT, message
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import join

Pair = tuple[int, int]
"""Two states of properties of the same object. Each state has a number, because there are millions of pairs."""


class States:
    """The states of the properties of all objects of a message type. Use `states` to get a `States` object."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._schema = contract.flat[message_type]
        self._edges = edges(contract, message_type)
        schemas = {path: site.schema for path, site in contract.sites[message_type].items()}
        self._props = {
            path: [(name, join(path, name)) for name in schema.get("properties", ())]
            for path, schema in schemas.items()
        }
        self._flags = {
            path for path, schema in schemas.items() if "enum" in schema or types_of(schema) - {"null"} == {"boolean"}
        }
        self._plain: dict[str, set[str]] = {}
        for path in schemas:
            if path not in self._plain:
                self._store_edges(message(contract, message_type, wishes=wishes_at(contract, message_type, path)))
        self._numbers: dict[tuple[str, str, str], int] = {}

    def _store_edges(self, ordinary: Any) -> None:
        """Stores the edges of ordinary values. A value without other edges has the state `plain`."""
        for path, value in parts_of(self._schema, "", ordinary):
            if value is not ABSENT:
                self._plain.setdefault(path, {"1-items", "2-items"}).update(self._edges.of(path, value))

    def pairs(self, message: Any) -> set[Pair]:
        """Returns the pairs of states in a valid message."""
        found: set[Pair] = set()
        for path, value in _objects_in("", message):
            found.update(combinations(self._of(path, value), 2))
        return found

    def _of(self, path: str, value: Mapping[str, Any]) -> list[int]:
        """Returns the number of the state of each property of an object, including absent properties."""
        props = self._props.get(path, ())
        states = [(path, name, self._state(site, value.get(name, ABSENT))) for name, site in props]
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

    def named(self, pairs: Iterable[Pair]) -> Iterator[tuple[str, str]]:
        """Yields the site of the object and a name, such as `hint:null label:edge`, for each pair."""
        known = list(self._numbers)
        for first, second in pairs:
            (path, one, state), (_, other, other_state) = known[first], known[second]
            yield path, f"{one}:{state} {other}:{other_state}"


def _objects_in(path: str, value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the objects of a message, each with its site."""
    if isinstance(value, dict):
        yield path, value
        for name, prop in value.items():
            yield from _objects_in(join(path, name), prop)
    elif isinstance(value, list):
        for item in value:
            yield from _objects_in(f"{path}[]", item)


@once_per_contract
def states(contract: Contract, message_type: MessageType) -> States:
    return States(contract, message_type)
