"""The tally: how many messages cover each goal of a message type, and which was the first.

A large corpus is counted a message at a time, and what is kept grows with the goals alone. A message whose root has 36 members shows 630
pairs of states: they are kept as bits, an integer a state, so that all that meet one state are noted at once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, cast

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.goals import Goal, covered, of_pair
from brokerfuzz.cases.covering.states import States, states
from brokerfuzz.cases.covering.universe import every_goal
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

COUNTED = ("rule", "technique", "edge", "silence")
"""The kinds of goals whose messages are counted. Of a pair, only the first message is known."""
_SHORT = 256
"""Characters of the longest text whose edges are remembered."""


@dataclass
class Tally:
    """What messages of one type cover, of all that there is to cover; goals beyond that (an edge that is none of its place) are not kept."""

    contract: Contract
    message_type: MessageType
    now: datetime
    strength: int = 2
    verdicts: Counter[str] = field(default_factory=Counter)
    first: dict[Goal, str] = field(default_factory=dict)
    """Each goal that is covered, and where the first message that covers it is from."""
    counts: Counter[Goal] = field(default_factory=Counter)
    """How many messages cover a goal of a kind that is `COUNTED`."""

    @cached_property
    def goals(self) -> Sequence[Goal]:
        """Every goal there is, in the order of the contract's sites."""
        return every_goal(self.contract, self.message_type, self.now, self.strength)

    def add(self, case: Case, source: str) -> None:
        """Counts what a message covers; `source` says where it is from."""
        self.verdicts[case.label] += 1
        if case.label == "valid":
            edges, combinations = self._walk.over(case.value)
            self._note(combinations, source)
            self._count(edges, source)
        else:
            self._count({self._at_home(goal) for goal in covered(case, self.contract)}, source)

    def goals_of(self, case: Case) -> frozenset[Goal]:
        """What a case covers of all that there is to cover, whether or not anything else does."""
        return self._known.intersection(map(self._at_home, covered(case, self.contract, strength=self.strength)))

    def _count(self, goals: Iterable[Goal], source: str) -> None:
        known = self._known.intersection(goals)
        self.counts.update(known)
        self._note(known, source)

    def _note(self, goals: Iterable[Goal], source: str) -> None:
        for goal in goals:
            if goal not in self.first and goal in self._known:
                self.first[goal] = source

    @cached_property
    def _known(self) -> frozenset[Goal]:
        return frozenset(self.goals)

    @cached_property
    def _walk(self) -> "_Walk":
        return _Walk(states(self.contract, self.message_type), self.strength)

    def _at_home(self, goal: Goal) -> Goal:
        """A silence that is about any place is a goal of the root, wherever it is touched."""
        return goal if goal.kind != "silence" or goal in self._known else goal._replace(site="")

    # ---------------------------------------------------------------------------------------------------- telling

    @property
    def messages(self) -> int:
        """How many messages were counted."""
        return self.verdicts.total()

    def score(self, *kinds: str) -> "Score":
        """How many goals of these kinds are covered, of how many."""
        of_kinds = [goal for goal in self.goals if goal.kind in kinds]
        return Score(sum(goal in self.first for goal in of_kinds), len(of_kinds))

    @cached_property
    def by_site(self) -> Mapping[str, Mapping[str, Sequence[Goal]]]:
        """Site -> kind -> the goals there, in order; a site that has none is not in it."""
        found: dict[str, dict[str, list[Goal]]] = {}
        for goal in self.goals:
            found.setdefault(goal.site, {}).setdefault(goal.kind, []).append(goal)
        return found

    def missing(self) -> Iterator[Goal]:
        """The goals that nothing covers, in order."""
        return (goal for goal in self.goals if goal not in self.first)


@dataclass(frozen=True, slots=True)
class Score:
    """So many of so many."""

    covered: int
    all: int

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where there is nothing to cover."""
        return self.covered / self.all if self.all else 1.0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.covered + other.covered, self.all + other.all)


class _Walk:
    """Walks over valid messages: which edges each shows, and which combinations of states no message before it has shown."""

    def __init__(self, known: States, strength: int) -> None:
        self.known = known
        self.objects = {path: _Object(path, known.at(path), strength) for path in known.objects}
        self.root = self._place(known.contract.flat[known.message_type], "")
        self.scalar = lru_cache(maxsize=1 << 14, typed=True)(self._alone)

    def over(self, message: Any) -> tuple[set[Goal], list[Goal]]:
        """(the edges, the combinations of states that are new) of a message."""
        self.edges: set[Goal] = set()
        self.new: list[Goal] = []
        self._at(self.root, message)
        return self.edges, self.new

    def _place(self, schema: Schema, path: str) -> "_Place":
        members = [(name, self._place(member, join(path, name))) for name, member in schema.get("properties", {}).items()]
        items = self._place(schema["items"], path + "[]") if "items" in schema else None
        return _Place(path, Goal("edge", path, "absent"), members, items, self.objects.get(path))

    def _at(self, place: "_Place", value: Any) -> str:
        """Looks at a value and what lies below it; gives its state."""
        if isinstance(value, dict):
            self._members(place, value)
        elif isinstance(value, list):
            for item in value if place.items else ():
                self._at(cast(_Place, place.items), item)
        elif not isinstance(value, str) or len(value) <= _SHORT:
            edges, state = self.scalar(place.path, value)
            self.edges.update(edges)
            return state
        edges, state = self._alone(place.path, value)
        self.edges.update(edges)
        return state

    def _members(self, place: "_Place", value: Mapping[str, Any]) -> None:
        bits, mask = place.object.bits if place.object else {}, 0
        for name, member in place.members:
            if name in value:
                state = self._at(member, value[name])
            else:
                self.edges.add(member.absent)
                state = "absent"
            mask |= bits.get((name, state), 0)
        if place.object:
            self.new += place.object.new(mask)

    def _alone(self, path: str, value: Any) -> tuple[Sequence[Goal], str]:
        """(the edges, the state) of a value by itself."""
        return [Goal("edge", path, edge) for edge in self.known.edges.of(path, value)], self.known.state(path, value)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place on the walk: its members and items, and what is kept of its members' states where it is an object of more than one."""

    path: str
    absent: Goal
    members: Sequence[tuple[str, "_Place"]]
    items: "_Place | None"
    object: "_Object | None"


class _Object:
    """Which combinations of the states of an object's members have occurred: for every few of them, the bits of those that were there besides."""

    def __init__(self, path: str, states_of: Mapping[str, Sequence[str]], strength: int) -> None:
        self.path = path
        self.ordered = [(name, state) for name, of in states_of.items() for state in of]
        self.bits = {one: 1 << rank for rank, one in enumerate(self.ordered)}
        self.few = min(strength, len(states_of)) - 1
        self.besides: dict[tuple[int, ...], int] = {}

    def new(self, mask: int) -> Iterator[Goal]:
        """The combinations that occur for the first time in an object in these states."""
        ranks = [*_ranks(mask)]
        for few in combinations(ranks, self.few):
            behind = mask >> (few[-1] + 1) << (few[-1] + 1) if few else mask
            held = self.besides.get(few, 0)
            if behind & ~held:
                self.besides[few] = held | behind
                yield from (of_pair(self.path, [self.ordered[rank] for rank in (*few, one)]) for one in _ranks(behind & ~held))


def _ranks(mask: int) -> Iterator[int]:
    """The places of the bits that are set, the lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
