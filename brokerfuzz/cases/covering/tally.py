"""Counts how many messages cover each goal, and records the first message for each goal. The messages are counted one by one, so
the memory does not grow with the size of the corpus.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import combinations

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.goals import Goal, covered, of_pair
from brokerfuzz.cases.covering.message_scan import MessageScanner, ObjectStates, ranks
from brokerfuzz.cases.covering.states import states
from brokerfuzz.cases.covering.universe import every_goal
from brokerfuzz.schemas import Contract, MessageType

COUNTED = ("rule", "technique", "edge", "ambiguity")
"""`Tally` counts the messages for each goal of these kinds. For a pair of states, `Tally` stores only the first message."""


@dataclass
class Tally:
    """The coverage of the messages of one type."""

    contract: Contract
    message_type: MessageType
    now: datetime
    strength: int = 2
    verdicts: Counter[str] = field(default_factory=Counter)
    first: dict[Goal, str] = field(default_factory=dict)
    """Maps each covered goal to the `source` of the first message that covers it (see `add`)."""
    counts: Counter[Goal] = field(default_factory=Counter)
    """Maps each goal of the kinds in `COUNTED` to the number of messages that cover the goal."""
    _seen: dict[str, "_SeenCombinations"] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def goals(self) -> Sequence[Goal]:
        return every_goal(self.contract, self.message_type, self.now, self.strength)

    def add(self, case: Case, source: str) -> None:
        """Counts the goals that a case covers. `source` says where the message comes from, for the report."""
        self.verdicts[case.label] += 1
        if case.label == "valid":
            shown = self._scanner.scan(case.value)
            for props, held in shown.held:
                if props.path not in self._seen:
                    self._seen[props.path] = _SeenCombinations(props, self.strength)
                self._note(self._seen[props.path].new(held), source)
            self._count(shown.edges, source)
        else:
            self._count({self._at_home(goal) for goal in covered(case, self.contract)}, source)

    def goals_of(self, case: Case) -> frozenset[Goal]:
        """Returns all goals that a case covers, including goals that an earlier case covered."""
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
    def _scanner(self) -> MessageScanner:
        return MessageScanner(states(self.contract, self.message_type))

    def _at_home(self, goal: Goal) -> Goal:
        """If the goal is an ambiguity that concerns the whole message, replaces the goal's site with the root."""
        return goal if goal.kind != "ambiguity" or goal in self._known else goal._replace(site="")

    # ---------------------------------------------------------------------------------------------------- results

    @property
    def messages(self) -> int:
        return self.verdicts.total()

    def score(self, *kinds: str) -> "Score":
        return self.score_of([goal for goal in self.goals if goal.kind in kinds])

    def score_of(self, goals: Sequence[Goal]) -> "Score":
        return Score(sum(goal in self.first for goal in goals), len(goals))

    @cached_property
    def by_site(self) -> Mapping[str, Mapping[str, Sequence[Goal]]]:
        """Groups the goals by site and kind. Sites without goals are omitted."""
        found: dict[str, dict[str, list[Goal]]] = {}
        for goal in self.goals:
            found.setdefault(goal.site, {}).setdefault(goal.kind, []).append(goal)
        return found

    def missing(self) -> Iterator[Goal]:
        return (goal for goal in self.goals if goal not in self.first)


@dataclass(frozen=True, slots=True)
class Score:
    covered: int
    all: int

    @property
    def share(self) -> float:
        """The fraction of the goals that are covered, from 0 to 1. The fraction is 1 if there are no goals."""
        return self.covered / self.all if self.all else 1.0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.covered + other.covered, self.all + other.all)


class _SeenCombinations:
    """The combinations of property states that occurred in the objects at one site. To save memory, `last_states` maps the first
    states of combinations to a bit mask of their last states.
    """

    def __init__(self, props: ObjectStates, strength: int) -> None:
        self.props, self.prefix_size = props, min(strength, props.count) - 1
        self.last_states: dict[tuple[int, ...], int] = {}

    def new(self, held: int) -> Iterator[Goal]:
        """Yields the combinations of the states in the bit mask `held`, except combinations from earlier calls."""
        ordered = self.props.ordered
        for prefix in combinations([*ranks(held)], self.prefix_size):
            behind = held >> (prefix[-1] + 1) << (prefix[-1] + 1) if prefix else held
            before = self.last_states.get(prefix, 0)
            if behind & ~before:
                self.last_states[prefix] = before | behind
                yield from (of_pair(self.props.path, [ordered[rank] for rank in (*prefix, one)]) for one in ranks(behind & ~before))
