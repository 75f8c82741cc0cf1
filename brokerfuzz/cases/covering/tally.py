"""Counts how many messages cover each goal, and records the first message for each goal. The messages are counted one
by one, so the memory does not grow with the size of the corpus.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.goals import Goal, Pair, StatePairs, covered, goals_of_message
from brokerfuzz.cases.covering.universe import every_goal
from brokerfuzz.schemas import Contract, MessageType

COUNTED = ("rule", "technique", "edge", "ambiguity")
"""`Tally` counts the messages for each goal of these kinds. For a pair of states, `Tally` stores only the first
message.
"""


@dataclass
class Tally:
    """The coverage of the messages of one type."""

    contract: Contract
    message_type: MessageType
    now: datetime
    verdicts: Counter[str] = field(default_factory=Counter)
    first: dict[Goal, str] = field(default_factory=dict)
    """Maps each covered goal to the `source` of the first message that covers it (see `add`)."""
    counts: Counter[Goal] = field(default_factory=Counter)
    """Maps each goal of the kinds in `COUNTED` to the number of messages that cover the goal."""

    _pairs: set[Pair] = field(default_factory=set, init=False, repr=False, compare=False)

    @cached_property
    def _states(self) -> StatePairs:
        return StatePairs(self.contract, self.message_type)

    @cached_property
    def goals(self) -> Sequence[Goal]:
        return every_goal(self.contract, self.message_type, self.now)

    def add(self, case: Case, source: str) -> None:
        """Counts the goals that a case covers. `source` says where the message comes from, for the report."""
        self.verdicts[case.label] += 1
        if case.label == "valid":
            goals = goals_of_message(self.contract, self.message_type, case.value, pairs=False)
            self._note_pairs(case, source)
        else:
            goals = {self._at_home(goal) for goal in covered(case, self.contract)}
        self.counts.update(goals & self._known)
        self._note(goals, source)

    def _note_pairs(self, case: Case, source: str) -> None:
        """Notes only new pairs of states, because most pairs occurred before."""
        new = self._states.of(case.value) - self._pairs
        self._pairs |= new
        self._note(set(map(self._states.goal, new)), source)

    def _note(self, goals: set[Goal], source: str) -> None:
        for goal in goals & self._known:
            self.first.setdefault(goal, source)

    def goals_of(self, case: Case) -> frozenset[Goal]:
        """Returns all goals that a case covers, including goals that an earlier case covered."""
        return self._known.intersection(map(self._at_home, covered(case, self.contract)))

    @cached_property
    def _known(self) -> frozenset[Goal]:
        return frozenset(self.goals)

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
