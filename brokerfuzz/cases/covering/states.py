"""Determines the states of an object's properties: absent, null, plain, or at an edge. For a boolean or an enumeration,
each possible value is a state.

Each pair of states of two properties counts as a goal.
"""

from collections.abc import Mapping
from typing import Any

from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.generation import message
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import join


class States:
    """The states of the properties of all objects of a message type. Use `states` to get a `States` object."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.edges = edges(contract, message_type)
        self._sites = contract.sites[message_type]
        self._plain: dict[str, set[str]] = {}
        self._store_edges("", message(contract, message_type))
        for path in [path for path in self._sites if path not in self._plain]:
            self._store_edges("", message(contract, message_type, wishes=wishes_at(contract, message_type, path)))

    def _store_edges(self, path: str, value: Any) -> None:
        """Stores the edges in `value`, a part of an ordinary message. A value without any other edges has the state
        `plain`.
        """
        self._plain.setdefault(path, {"1-items", "2-items"}).update(self.edges.of(path, value))
        if isinstance(value, dict):
            for name, item in value.items():
                self._store_edges(join(path, name), item)
        elif isinstance(value, list):
            for item in value:
                self._store_edges(path + "[]", item)

    def of(self, path: str, value: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Returns the state of each property of an object, including absent properties."""
        props = self._sites[path].schema.get("properties", {})
        return [(name, self._state(join(path, name), value[name]) if name in value else "absent") for name in props]

    def _state(self, path: str, value: Any) -> str:
        shown = self.edges.of(path, value)
        if value is None or _is_flag(self._sites[path]):
            return shown[0] if shown else "plain"
        return "edge" if set(shown) - self._plain.get(path, set()) else "plain"


def _is_flag(site: Site) -> bool:
    return "enum" in site.schema or types_of(site.schema) - {"null"} == {"boolean"}


@once_per_contract
def states(contract: Contract, message_type: MessageType) -> States:
    return States(contract, message_type)
