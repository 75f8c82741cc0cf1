"""A walk over a valid message: the edges that it shows, and the states that the properties of its objects are in, as bits.

A message whose root has 36 properties shows 630 pairs of states. As goals they are 630 tuples of texts, as bits one integer.
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
"""Characters of the longest text whose edges are remembered."""


class ObjectStates:
    """The states that the properties of the objects at a site can be in, ordered: a bit is one property in one state."""

    def __init__(self, path: str, states_of: StatesOf, first: int) -> None:
        """`first` is the number of the first pair; the pairs of all objects of a message type have numbers of their own."""
        self.path = path
        self.ordered = [(name, state) for name, of in states_of.items() for state in of]
        self.bits: Mapping[tuple[str, str], int] = {one: 1 << rank for rank, one in enumerate(self.ordered)}
        self.count, self._first = len(states_of), first
        self.behind = first + len(self.ordered) ** 2
        """The number behind that of the last pair."""

    def pairs(self, held: int) -> int:
        """The pairs of states that occur together where these states do, as bits."""
        found = 0
        for rank in ranks(held):
            found |= held >> rank + 1 << self._first + rank * len(self.ordered)
        return found


class Shown(NamedTuple):
    """What a message shows: edges, and of each of its objects that has several properties, which states these are in."""

    edges: set[Goal]
    held: list[tuple[ObjectStates, int]]

    @property
    def pairs(self) -> int:
        """The pairs of states, as bits."""
        return reduce(or_, (props.pairs(held) for props, held in self.held), 0)


class Walk:
    """Walks over the valid messages of a type. What a scalar value shows is remembered."""

    def __init__(self, known: States) -> None:
        self._known = known
        self._objects = dict[str, ObjectStates]()
        behind = 0
        for path in known.objects:
            self._objects[path] = ObjectStates(path, known.at(path), behind)
            behind = self._objects[path].behind
        self._root = self._place(known.contract.flat[known.message_type], "")
        self._scalar = lru_cache(maxsize=1 << 14, typed=True)(self._alone)

    def over(self, message: Any) -> Shown:
        """What a message shows."""
        shown = Shown(set(), [])
        self._at(self._root, message, shown)
        return shown

    def _place(self, schema: Schema, path: str) -> "_WalkPlace":
        props = [(name, self._place(prop, join(path, name))) for name, prop in schema.get("properties", {}).items()]
        items = self._place(schema["items"], path + "[]") if "items" in schema else None
        return _WalkPlace(path, Goal("edge", path, "absent"), props, items, self._objects.get(path))

    def _at(self, place: "_WalkPlace", value: Any, shown: Shown) -> str:
        """Looks at a value and what lies below it; gives its state."""
        if isinstance(value, dict):
            self._properties(place, value, shown)
        elif isinstance(value, list):
            for item in value if place.items else ():
                self._at(cast(_WalkPlace, place.items), item, shown)
        elif not isinstance(value, str) or len(value) <= _SHORT:
            edges, state = self._scalar(place.path, value)
            shown.edges.update(edges)
            return state
        edges, state = self._alone(place.path, value)
        shown.edges.update(edges)
        return state

    def _properties(self, place: "_WalkPlace", value: Mapping[str, Any], shown: Shown) -> None:
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
        """(the edges, the state) of a value by itself."""
        return [Goal("edge", path, edge) for edge in self._known.edges.of(path, value)], self._known.state(path, value)


@dataclass(frozen=True, slots=True)
class _WalkPlace:
    """A place on the walk: its properties and items, and the states of its properties where it is an object of more than one."""

    path: str
    absent: Goal
    props: Sequence[tuple[str, "_WalkPlace"]]
    items: "_WalkPlace | None"
    object: ObjectStates | None


def ranks(bits: int) -> Iterator[int]:
    """The places of the bits that are set, the lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
