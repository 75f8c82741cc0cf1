"""Breaking rules of a message at hand: one rule, or two at places of which neither lies within the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Fault, now_tag
from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.changes import Change, Steps, place_of, pointer, value_at
from brokerfuzz.cases.steering.breakable_rules import breakables
from brokerfuzz.cases.steering.claims import Claim
from brokerfuzz.cases.steering.marks import decided_by, within
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.round_robin import Ring, Turns, random_of, shuffled
from brokerfuzz.cases.steering.site_paths import placement, steps_of, way_to
from brokerfuzz.cases.techniques import Spot, Technique
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.sites import JSON_RULE

_TRIED = 4
"""Ways of a rule that are tried before it is passed over."""
_PATIENCE = 24
"""So often a rule may be passed over; then messages are made for it, and after as many again others have their turn."""


class Breach(NamedTuple):
    """What a case says of a rule broken: the fault, where its place sits in the array around it (`placement`), and the time where it matters."""

    fault: Fault
    at: str
    now: tuple[str, ...]

    @property
    def claim(self) -> Claim:
        """What is said of a message of which nothing else is broken."""
        return Claim((self.fault,), None, (TAG, self.at, *self.now))

    def and_also(self, other: "Breach") -> Claim:
        """What is said of a message of which another rule is broken too."""
        at = (self.at, other.at) if self.at != other.at else (self.at,)
        return Claim((self.fault, other.fault), None, (TAG, *at, *(self.now or other.now)))


class Break(NamedTuple):
    """A rule to be broken in a message: by this change, at this place. `number` tells how many breaks of the rule there were then."""

    rule: Rule
    technique: Technique
    steps: Steps
    change: Change
    number: int
    now: tuple[str, ...]

    def breach(self, message: Any) -> Breach:
        """What a case of the message says of it."""
        fault = Fault(self.rule.id, pointer(place_of(self.steps, self.change)), self.technique.name)
        return Breach(fault, f"at:{placement(message, self.steps)}", self.now)


class Breaker:
    """A rule, and the ways to break it in the order in which they come."""

    def __init__(self, rule: Rule, ways: Sequence[Technique], contract: Contract, now: datetime) -> None:
        self.rule, self.site = rule, steps_of(rule.site)
        self._ways, self._schema, self._now = ways, contract.sites[rule.message_type][rule.site].schema, now
        self._tags = (now_tag(now),) if any(rule.id == other.id for other in contract.semantics) else ()

    @property
    def props(self) -> frozenset[str]:
        """The property of the message in which the rule is broken; none, if that is the message itself."""
        return frozenset(step for step in self.site[:1] if isinstance(step, str))

    def may_be_in(self, message: Any) -> bool:
        """Whether a message has what the site lies below. Most places are passed over by that."""
        return not self.site or type(message) is not dict or self.site[0] in message

    def has_place_in(self, message: Any) -> bool:
        """Whether a message has a place where the rule holds, and has something to say."""
        return self.may_be_in(message) and self._place(message, 0) is not None

    def _place(self, message: Any, used: int) -> Steps | None:
        steps = way_to(message, self.site, used)
        if steps is None or not _holds(self.rule, message, steps):
            return None
        return steps if self.rule.keyword == "required" or value_at(message, steps) is not None else None

    def next(self, message: Any, used: int) -> Break | None:
        """The rule broken by the first of its ways, from the one whose turn it is after so many, that applies at the place whose turn it is."""
        rule, steps = self.rule, self._place(message, used)
        if steps is None:
            return None
        spot = Spot(rule, self._schema, value_at(message, steps), self._now)
        for number in range(used + 1, used + 1 + len(self._ways)):
            technique = self._ways[number % len(self._ways)]
            change = technique.change(spot)
            if change is not None:
                return Break(rule, technique, steps, change, number, self._tags)
        return None

    def broken(self, message: Message, used: int) -> tuple[Breach, Message] | None:
        """The message with the rule broken so, and what a case says of it."""
        value = message.value
        found = self.next(value, used) if self.may_be_in(value) else None
        return (found.breach(value), message.changed(found.steps, found.change)) if found is not None else None


@lru_cache(maxsize=4)
def breakers(
    contract: Contract, message_type: MessageType, seed: int, now: datetime, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None
) -> Sequence[Breaker]:
    """What of these can be broken, in the order in which they take turns in a seed, the ways of each in theirs."""
    random = random_of(seed)
    found = shuffled(breakables(contract, message_type, rules, techniques).rules, random)
    return [Breaker(rule, shuffled(ways, random), contract, now) for rule, ways in found]


@dataclass(eq=False)
class _Waiting:
    """A rule in its turn: how often it was broken, which rule it meets next."""

    breaker: Breaker
    used: int
    others: "Ring[_Waiting] | None" = None

    def next(self, message: Any) -> Break | None:
        """The rule broken as it is its turn to be."""
        return self.breaker.next(message, self.used)


class Breaking:
    """The rules of one stream, which take turns; so do the ways of each, the places where it is broken, and the rules it is broken with.

    `done` is how many rules earlier shards of the seed have broken, more or less: a shard goes on where they ended.
    """

    def __init__(self, breakers: Sequence[Breaker], contract: Contract, done: int) -> None:
        self._contract = contract
        self._rounds, first = divmod(done, len(breakers) or 1)
        rules = [_Waiting(breaker, self._rounds) for breaker in breakers]
        self._rules = [*rules[first:], *rules[:first]]
        self._turns = Turns(self._rules)

    def __bool__(self) -> bool:
        """Whether there is any rule to break."""
        return bool(self._rules)

    def wanting(self) -> Rule | None:
        """The rule that was passed over so often that a message has to be made for it; None where there is none."""
        if self._turns.passed_over >= 2 * _PATIENCE:
            self._turns.put_off()
        return self._turns.longest_waiting.breaker.rule if self._turns.passed_over >= _PATIENCE else None

    def single(self, message: Message, news: News) -> tuple[Claim, Message] | None:
        """The rule that has waited longest of those that can be broken in the message so that it is new, and the message then."""
        value = message.value
        return self._turns.take(lambda waiting: self._broken(message, waiting, news) if waiting.breaker.may_be_in(value) else None)

    def double(self, message: Message, news: News) -> tuple[Claim, Message] | None:
        """Two rules to break at once: the one that has waited longest, and of those that go with it the one that it has met least."""
        value = message.value
        return self._turns.take(lambda waiting: self._both(message, waiting, news) if waiting.breaker.may_be_in(value) else None)

    def _broken(self, message: Message, waiting: _Waiting, news: News) -> tuple[Claim, Message] | None:
        for _ in range(_TRIED):
            found = waiting.next(message.value)
            if found is None:
                return None
            waiting.used = found.number
            broken = message.changed(found.steps, found.change)
            if news.is_new(broken.body):
                return found.breach(message.value).claim, broken
        return None

    def _both(self, message: Message, waiting: _Waiting, news: News) -> tuple[Claim, Message] | None:
        one = waiting.next(message.value) if waiting.breaker.rule.keyword != JSON_RULE else None
        if one is None:
            return None
        if waiting.others is None:
            here = self._rules.index(waiting)
            fitting = companions(self._contract, waiting.breaker.rule.id)
            others = [other for other in [*self._rules[here:], *self._rules[:here]] if other.breaker.rule.id in fitting]
            waiting.others = Ring(others, self._rounds)
        value, first = message.value, message.changed(one.steps, one.change)
        if not news.may_be(first.body):
            return None
        found = waiting.others.take(lambda other: self._with(value, one, first, other, news) if other.breaker.may_be_in(value) else None)
        if found is not None:
            waiting.used = one.number
        return found

    def _with(self, value: Any, one: Break, first: Message, waiting: _Waiting, news: News) -> tuple[Claim, Message] | None:
        """The message in which the `first` rule is broken already, with the other one broken too."""
        other = waiting.next(value)
        if other is None:
            return None
        broken = first.changed(other.steps, other.change)
        if not news.is_new(broken.body):
            return None
        waiting.used = other.number
        return one.breach(value).and_also(other.breach(value)), broken


def _holds(rule: Rule, message: Any, steps: Steps) -> bool:
    """Whether the rule's condition holds at the place, where it has one."""
    if rule.condition is None:
        return True
    return matches(rule.condition.when, value_at(message, steps[: len(steps_of(rule.condition.site))])) == rule.condition.holds


@lru_cache(maxsize=1024)
def companions(contract: Contract, rule_id: str) -> frozenset[str]:
    """The ids of the rules that can be broken together with a rule."""
    rule = contract.rule(rule_id)
    return frozenset(other.id for other in contract.rules[rule.message_type] if _go_together(rule, other))


def _go_together(one: Rule, other: Rule) -> bool:
    """Whether two rules can be broken at once, and both be seen to be: neither site lies within the other, neither decides whether the other
    rule holds, and the message is JSON."""
    if one is other or JSON_RULE in (one.keyword, other.keyword):
        return False
    return not (_changes(one, other.site) or _changes(other, one.site) or any(_changes(one, path) for path in decided_by(other))
                or any(_changes(other, path) for path in decided_by(one)))  # fmt: skip


def _changes(rule: Rule, site: str) -> bool:
    """Whether what is at the site, or whether it is there, may change when the rule is broken. A property that is added changes no other."""
    return rule.keyword != "additionalProperties" and within(site, rule.site)
