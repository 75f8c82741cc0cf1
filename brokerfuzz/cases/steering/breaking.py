"""Breaking rules of a message at hand: one rule, or two at places of which neither lies within the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from brokerfuzz.cases.building import Plan, build
from brokerfuzz.cases.case import Fault
from brokerfuzz.cases.changes import AddMember, Change, Put, Remove, Rewrite, Steps, apply, place_of, pointer, replaced, value_at
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.steering.marks import decided_by, marked, marked_sites
from brokerfuzz.cases.steering.placing import Site, steps_of, way_to
from brokerfuzz.cases.steering.turns import Ring, Turns, shuffled
from brokerfuzz.cases.techniques import Spot, Technique
from brokerfuzz.decoder.matching import matches
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.flattening import Schema

_ANY_TIME = datetime(2024, 1, 1, tzinfo=UTC)
"""What ways there are does not follow the clock."""
_TRIED = 4
"""Ways of a rule that are tried before it is passed over."""
_PATIENCE = 24
"""So often a rule may be passed over."""


class Breakable(NamedTuple):
    """A rule with the techniques that break it; `lasting` are those that can leave a message its mark."""

    rule: Rule
    ways: Sequence[Technique]
    lasting: Sequence[Technique]


class Break(NamedTuple):
    """A rule to be broken in a message: by this change, at this place. `number` tells how many breaks of the rule there were then."""

    rule: Rule
    technique: Technique
    steps: Steps
    change: Change
    number: int

    @property
    def fault(self) -> Fault:
        """What a case says of it."""
        return Fault(self.rule.id, pointer(place_of(self.steps, self.change)), self.technique.name)


@lru_cache(maxsize=16)
def breakables(
    contract: Contract, message_type: MessageType, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None
) -> Sequence[Breakable]:
    """The rules, of those wanted, that one of the wanted techniques breaks. `None` stands for all."""
    maker = FaultMaker(contract, message_type, _ANY_TIME)
    marks = [steps_of(site) for site in marked_sites(contract, message_type)]
    found = []
    for rule in contract.rules[message_type] if rules is None else rules:
        ways = [way for way in maker.ways(rule) if techniques is None or way.name in techniques]
        if ways:
            message = build(contract, message_type, Plan(narrowed=maker.towards(rule)))
            found.append(Breakable(rule, ways, _lasting(contract, rule, ways, message, marks)))
    return found


def _lasting(contract: Contract, rule: Rule, ways: Sequence[Technique], message: Any, sites: Sequence[Site]) -> Sequence[Technique]:
    """The ways that leave a mark in a message that is marked wherever it can be; half of them, where bytes are rewritten (cut off, mostly)."""
    there = [steps for site in sites if (steps := way_to(message, site, 0))]
    marks = [f"m{number}." for number in range(len(there))]
    for steps, mark in zip(there, marks, strict=True):
        value_at(message, steps[:-1])[steps[-1]] = mark
    place = way_to(message, steps_of(rule.site), 0)
    if place is None:
        return ways
    spot, found = Spot(rule, contract.sites[rule.message_type][rule.site].schema, value_at(message, place), _ANY_TIME), []
    for way in ways:
        change = way.change(spot)
        body = apply(message, place, change) if change else b""
        left = sum(marked(body, mark.encode()) for mark in marks)
        if left and (2 * left >= len(marks) or not isinstance(change, Rewrite)):
            found.append(way)
    return found


def towards(contract: Contract, message_type: MessageType, rule: Rule) -> Schema:
    """What a message has to meet so that the rule can be broken in it."""
    return FaultMaker(contract, message_type, _ANY_TIME).towards(rule)


@dataclass(eq=False)
class _Waiting:
    """A rule in its turn: the ways to break it in the order in which they come, how often it was broken, which rule it meets next."""

    rule: Rule
    ways: Sequence[Technique]
    used: int
    others: "Ring[_Waiting] | None" = None


class Breaking:
    """The rules of one stream, which take turns; so do the ways of each, the places where it is broken, and the rules it is broken with.

    `done` is how many rules earlier shards of the seed have broken, more or less: a shard goes on where they ended.
    """

    def __init__(self, found: Sequence[tuple[Rule, Sequence[Technique]]], contract: Contract, now: datetime, random: Random, done: int) -> None:
        self._sites = contract.sites
        self._now = now
        self._rounds, first = divmod(done, len(found) or 1)
        rules = [_Waiting(rule, shuffled(ways, random), self._rounds) for rule, ways in shuffled(found, random)]
        self._rules = [*rules[first:], *rules[:first]]
        self.turns = Turns(self._rules)

    @property
    def wanting(self) -> Rule | None:
        """The rule that was passed over so often that a message has to be made for it; None where there is none."""
        return self.turns.longest_waiting.rule if self.turns and self.turns.passed_over >= _PATIENCE else None

    def single(self, message: Any, new: Callable[[bytes], bool]) -> tuple[list[Break], bytes] | None:
        """The rule that has waited longest of those that can be broken in the message so that it is `new`, and the bytes then."""
        return self.turns.take(lambda waiting: self._broken(message, waiting, new))

    def double(self, message: Any, new: Callable[[bytes], bool]) -> tuple[list[Break], bytes] | None:
        """Two rules to break at once: the one that has waited longest, and of those that go with it the one that it has met least."""
        return self.turns.take(lambda waiting: self._both(message, waiting, new))

    def _broken(self, message: Any, waiting: _Waiting, new: Callable[[bytes], bool]) -> tuple[list[Break], bytes] | None:
        for _ in range(_TRIED):
            found = self._next(message, waiting)
            if found is None:
                return None
            waiting.used = found.number
            body = apply(message, found.steps, found.change)
            if new(body):
                return [found], body
        return None

    def _both(self, message: Any, waiting: _Waiting, new: Callable[[bytes], bool]) -> tuple[list[Break], bytes] | None:
        one = self._next(message, waiting)
        if one is None or isinstance(one.change, Rewrite):
            return None
        if waiting.others is None:
            waiting.others = Ring(self._rules, self._rules.index(waiting) + 1 + self._rounds)
        found = waiting.others.take(lambda other: self._with(message, one, other, new))
        if found is not None:
            waiting.used = one.number
        return found

    def _with(self, message: Any, one: Break, waiting: _Waiting, new: Callable[[bytes], bool]) -> tuple[list[Break], bytes] | None:
        if one.rule is waiting.rule or _decides(one.rule, waiting.rule) or _decides(waiting.rule, one.rule):
            return None
        other = self._next(message, waiting)
        if other is None or isinstance(other.change, Rewrite) or not _apart(place_of(one.steps, one.change), place_of(other.steps, other.change)):
            return None
        body = apply(_changed(message, one), other.steps, other.change)
        if not new(body):
            return None
        waiting.used = other.number
        return [one, other], body

    def _next(self, message: Any, waiting: _Waiting) -> Break | None:
        """The rule broken by the first of its ways, from the one whose turn it is, that applies at the place whose turn it is."""
        rule = waiting.rule
        steps = way_to(message, steps_of(rule.site), waiting.used)
        if steps is None or not _holds(rule, message, steps):
            return None
        present = value_at(message, steps)
        if present is None and rule.keyword != "required":
            return None
        spot = Spot(rule, self._sites[rule.message_type][rule.site].schema, present, self._now)
        for number in range(waiting.used + 1, waiting.used + 1 + len(waiting.ways)):
            technique = waiting.ways[number % len(waiting.ways)]
            change = technique.change(spot)
            if change is not None:
                return Break(rule, technique, steps, change, number)
        return None


def _holds(rule: Rule, message: Any, steps: Steps) -> bool:
    """Whether the rule's condition holds at the place, where it has one."""
    if rule.condition is None:
        return True
    return matches(rule.condition.when, value_at(message, steps[: len(steps_of(rule.condition.site))])) == rule.condition.holds


def _decides(one: Rule, other: Rule) -> bool:
    """Whether breaking one rule may change whether the other one holds."""
    return one.keyword != "additionalProperties" and any(path.startswith(one.site) for path in decided_by(other))


def _apart(one: Steps, other: Steps) -> bool:
    """Whether neither place lies within the other."""
    return one[: len(other)] != other and other[: len(one)] != one


def _changed(message: Any, made: Break) -> Any:
    """A copy of the message with the rule broken."""
    steps = made.steps
    match made.change:
        case Put(value):
            return replaced(message, steps, value)
        case Remove():
            held = value_at(message, steps[:-1])
            return replaced(message, steps[:-1], {name: value for name, value in held.items() if name != steps[-1]})
        case AddMember(name, value, first):
            held, added = value_at(message, steps), {name: value}
            return replaced(message, steps, {**added, **held} if first else {**held, **added})
        case Rewrite():
            raise TypeError("a change of all bytes leaves no second place")
