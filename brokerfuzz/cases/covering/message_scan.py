"""Finds the edges (unusual values) in a valid message, and the states of its properties (absent, null, plain, ...).

A message with 36 properties has 630 pairs of states. The pairs are stored as the bits of one integer, which needs less memory
than 630 tuples.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple, cast

from brokerfuzz.cases.covering.goals import Goal
from brokerfuzz.cases.covering.states import States, StatesOf
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

_SHORT = 256
"""The maximum length of a string whose edges are cached, in characters."""


class ObjectStates:
    """The possible states of the properties of an object. In a bit mask of states, each bit stands for one property in one state."""

    def __init__(self, path: str, states_of: StatesOf, first: int) -> None:
        """Gives a number to each pair of states. `first` is the number of the first pair."""
        self.path = path
        self.ordered = [(name, state) for name, of in states_of.items() for state in of]
        self.bits: Mapping[tuple[str, str], int] = {one: 1 << rank for rank, one in enumerate(self.ordered)}
        self.count, self._first = len(states_of), first
        self.behind = first + len(self.ordered) ** 2

    def pairs(self, held: int) -> int:
        """Converts `held`, a bit mask of states, to a bit mask of all pairs of these states."""
        found = 0
        for rank in ranks(held):
            found |= held >> rank + 1 << self._first + rank * len(self.ordered)
        return found


class ScannedMessage(NamedTuple):
    """The result of scanning a message: its edges, and the states of the properties of each object."""

    edges: set[Goal]
    held: list[tuple[ObjectStates, int]]

    @property
    def pairs(self) -> int:
        """The pairs of property states in the message, as a bit mask."""
        return reduce(or_, (props.pairs(held) for props, held in self.held), 0)


class MessageScanner:
    """Finds the edges and property states in valid messages of one type. The scanner caches the results for strings, numbers and
    booleans.
    """

    def __init__(self, known: States) -> None:
        self._known = known
        self._objects = dict[str, ObjectStates]()
        behind = 0
        for path in known.objects:
            self._objects[path] = ObjectStates(path, known.at(path), behind)
            behind = self._objects[path].behind
        self._root = self._place(known.contract.flat[known.message_type], "")
        self._scalar = lru_cache(maxsize=1 << 14, typed=True)(self._alone)

    def scan(self, message: Any) -> ScannedMessage:
        shown = ScannedMessage(set(), [])
        self._at(self._root, message, shown)
        return shown

    def _place(self, schema: Schema, path: str) -> "_ScannedPlace":
        props = [(name, self._place(prop, join(path, name))) for name, prop in schema.get("properties", {}).items()]
        items = self._place(schema["items"], path + "[]") if "items" in schema else None
        return _ScannedPlace(path, Goal("edge", path, "absent"), props, items, self._objects.get(path))

    def _at(self, place: "_ScannedPlace", value: Any, shown: ScannedMessage) -> str:
        """Adds all edges and property states in `value` to `shown`. Returns the state of `value`."""
        if isinstance(value, dict):
            self._properties(place, value, shown)
        elif isinstance(value, list):
            for item in value if place.items else ():
                self._at(cast(_ScannedPlace, place.items), item, shown)
        elif not isinstance(value, str) or len(value) <= _SHORT:
            edges, state = self._scalar(place.path, value)
            shown.edges.update(edges)
            return state
        edges, state = self._alone(place.path, value)
        shown.edges.update(edges)
        return state

    def _properties(self, place: "_ScannedPlace", value: Mapping[str, Any], shown: ScannedMessage) -> None:
        bits, held = place.object.bits if place.object else {}, 0
        for name, prop in place.props:
            if name in value:
                state = self._at(prop, value[name], shown)
            else:
                shown.edges.add(prop.absent)
                state = "absent"
            held |= bits.get((name, state), 0)
        if place.object:
            shown.held.append((place.object, held))

    def _alone(self, path: str, value: Any) -> tuple[Sequence[Goal], str]:
        """Returns the edges and the state of `value`. Values inside an object or array are ignored."""
        return [Goal("edge", path, edge) for edge in self._known.edges.of(path, value)], self._known.state(path, value)


@dataclass(frozen=True, slots=True)
class _ScannedPlace:
    """A site of the scanned message type, with the sites directly below. `object` is None if the site is not an object with several
    properties.
    """

    path: str
    absent: Goal
    props: Sequence[tuple[str, "_ScannedPlace"]]
    items: "_ScannedPlace | None"
    object: ObjectStates | None


def ranks(bits: int) -> Iterator[int]:
    """Yields the positions of the bits that are 1, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
