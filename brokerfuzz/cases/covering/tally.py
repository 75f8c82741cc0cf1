"""Lists all goals of a message type, and those that messages cover. The messages are counted one by one, so the memory
does not grow with the size of the corpus.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.covering.goals import GOAL_KINDS, Goal, covered, of_rule
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.wording import counted


@dataclass
class Tally:
    """The coverage of the messages of one type.

    `now` is the time that counts as the present. Some techniques use a fixed time, such as a time in 2038, that must be
    in the future. The goals of such a technique are included only if `now` is before this time.
    """

    contract: Contract
    message_type: MessageType
    now: datetime
    verdicts: Counter[str] = field(default_factory=Counter)
    covered: set[Goal] = field(default_factory=set)

    def add(self, case: Case) -> None:
        self.verdicts[case.label] += 1
        self.covered |= self._known & set(map(self._at_home, covered(case, self.contract)))

    def _at_home(self, goal: Goal) -> Goal:
        """If the goal is an ambiguity that concerns the whole message, replaces the goal's site with the root."""
        return goal if goal.kind != "ambiguity" or goal in self._known else goal._replace(site="")

    # -------------------------------------------------------------------------------------------------- all goals

    @cached_property
    def _known(self) -> set[Goal]:
        return set(self.goals)

    @cached_property
    def goals(self) -> Sequence[Goal]:
        """All goals of the message type, sorted by site and then by kind."""
        order = {path: number for number, path in enumerate(self.contract.sites[self.message_type])}
        all_goals = [*self._of_rules(), *self._of_edges(), *self._of_ambiguities()]
        return sorted(all_goals, key=lambda goal: (order.get(goal.site, len(order)), GOAL_KINDS.index(goal.kind)))

    def _of_rules(self) -> Iterator[Goal]:
        injector = FaultInjector(self.contract, self.message_type, self.now)
        for rule in self.contract.rules[self.message_type]:
            yield of_rule(rule)
            yield from (of_rule(rule, technique.name) for technique in injector.techniques(rule))

    def _of_edges(self) -> Iterator[Goal]:
        site_edges = edges(self.contract, self.message_type)
        for site in self.contract.sites[self.message_type].values():
            yield from (Goal("edge", site.path, edge) for edge in site_edges.at(site))

    def _of_ambiguities(self) -> Iterator[Goal]:
        for ambiguity in self.contract.ambiguities:
            if ambiguity.concerns(self.message_type):
                yield from (Goal("ambiguity", path, ambiguity.id) for path in dict.fromkeys(self._sites(ambiguity)))

    def _sites(self, ambiguity: Ambiguity) -> Sequence[str]:
        """Returns the sites of an ambiguity: only the root, if it concerns the whole message or all strings."""
        probes = ProbeMaker(self.contract, self.message_type, self.now)
        paths = [asked.path for asked in probes.sites(ambiguity)]
        if ambiguity.sites is not None:
            return paths or [""]
        sites = self.contract.sites[self.message_type]
        return [""] if any("string" in types_of(sites[path].schema) for path in paths) else paths

    # ---------------------------------------------------------------------------------------------------- results

    @property
    def messages(self) -> int:
        return self.verdicts.total()

    def score(self, kind: str) -> "Score":
        return self.score_of([goal for goal in self.goals if goal.kind == kind])

    def score_of(self, goals: Sequence[Goal]) -> "Score":
        return Score(sum(goal in self.covered for goal in goals), len(goals))

    @cached_property
    def by_site(self) -> Mapping[str, Mapping[str, Sequence[Goal]]]:
        """Groups the goals by site and kind. Sites without goals are omitted."""
        groups: dict[str, dict[str, list[Goal]]] = {}
        for goal in self.goals:
            groups.setdefault(goal.site, {}).setdefault(goal.kind, []).append(goal)
        return groups

    @property
    def title(self) -> str:
        """The message type and the number of messages by verdict."""
        verdicts = ", ".join(f"{count:,} {label}" for label in LABELS if (count := self.verdicts[label]))
        return f"{self.message_type}: {counted(self.messages, 'message')} ({verdicts})"

    def full_name(self, goal: Goal) -> str:
        """Returns the kind of a goal, and names that work with `brokerfuzz explain`."""
        site = f"{self.message_type}/{goal.site}"
        rule, _, technique = goal.name.partition(" ")
        parts = [f"{site}:{rule}", technique] if goal.kind in ("rule", "technique") else [site, goal.name]
        return "  ".join(filter(None, [f"{goal.kind:<9}", *parts]))

    def missing(self) -> Iterator[Goal]:
        return (goal for goal in self.goals if goal not in self.covered)


@dataclass(frozen=True, slots=True)
class Score:
    covered: int
    all: int

    @property
    def share(self) -> float:
        """The fraction of the goals that are covered, from 0 to 1. The fraction is 1 if there are no goals."""
        return self.covered / self.all if self.all else 1.0

    @property
    def percent(self) -> int:
        """The result is 100 only if everything is covered, and 0 only if nothing is covered."""
        if self.covered == self.all:
            return 100
        return min(max(round(100 * self.share), 1 if self.covered else 0), 99)

    def __str__(self) -> str:
        return f"{self.covered:,}/{self.all:,}" if self.all else "-"

    def __add__(self, other: "Score") -> "Score":
        return Score(self.covered + other.covered, self.all + other.all)
