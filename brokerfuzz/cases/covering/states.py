"""Determines the states of an object's properties: absent, null, plain, or at an edge. For a boolean or an enumeration,
each possible value is a state.

Each pair of states of two properties counts as a goal.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.generation import message
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.flattening import composed_keywords_of, types_of
from brokerfuzz.schemas.sites import join

StatesOf = Mapping[str, Sequence[str]]
"""Maps each property of an object to its possible states."""


class States:
    """The possible states of the properties of all objects of a message type. Use `states` to get a `States` object."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self.message_type: MessageType = message_type
        self.edges = edges(contract, message_type)
        self.sites = contract.sites[message_type]
        self._plain: dict[str, set[str]] = {}
        self._store_edges("", message(contract, message_type))
        for path in [path for path in self.sites if path not in self._plain]:
            self._store_edges("", message(contract, message_type, wishes=wishes_at(contract, message_type, path)))
        self._at: dict[str, StatesOf] = {}
        self.objects = [path for path, site in self.sites.items() if len(site.schema.get("properties", {})) > 1]

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

    def at(self, path: str) -> StatesOf:
        """Maps each property of the object at a site to its possible states."""
        if path not in self._at:
            props = self.sites[path].schema.get("properties", {})
            self._at[path] = {name: self._of_property(self.sites[join(path, name)]) for name in props}
        return self._at[path]

    def _of_property(self, site: Site) -> list[str]:
        found = self.edges.at(site)
        if _is_flag(site):
            return found
        missing = [state for state in ("absent", "null") if state in found]
        beyond = set(found) - set(missing) - self._plain.get(site.path, set())
        return [*missing, "plain", *(["edge"] if beyond and not composed_keywords_of(site.schema) else [])]

    def of(self, path: str, value: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Returns the state of each property of an object, including absent properties."""
        props = self.sites[path].schema.get("properties", {})
        return [(name, self.state(join(path, name), value[name]) if name in value else "absent") for name in props]

    def state(self, path: str, value: Any) -> str:
        shown = self.edges.of(path, value)
        if value is None or _is_flag(self.sites[path]):
            return shown[0] if shown else "plain"
        return "edge" if set(shown) - self._plain.get(path, set()) else "plain"


def _is_flag(site: Site) -> bool:
    return "enum" in site.schema or types_of(site.schema) - {"null"} == {"boolean"}


@once_per_contract
def states(contract: Contract, message_type: MessageType) -> States:
    return States(contract, message_type)
