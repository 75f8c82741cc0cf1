"""Breaks one rule in a given message, or two rules at independent places."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Fault
from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.changes import Change, Steps, place_of, pointer, value_at
from brokerfuzz.cases.steering.breakable_rules import breakables
from brokerfuzz.cases.steering.marks import condition_sites, within
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Claim, Message
from brokerfuzz.cases.steering.round_robin import Ring, Turns, random_of, shuffled
from brokerfuzz.cases.steering.site_paths import placement, steps_of, way_to
from brokerfuzz.cases.techniques import FaultContext, Technique
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.sites import JSON_RULE

_TECHNIQUES_PER_RULE = 4
"""After `_TECHNIQUES_PER_RULE` techniques without a new message, brokerfuzz tries the next rule."""
_PATIENCE = 24
"""After `_PATIENCE` failed attempts to break the first rule of the queue, brokerfuzz generates suitable messages for this rule.
After `2 * _PATIENCE` failed attempts, the rule moves to the end of the queue.
"""


class Break(NamedTuple):
    """A change that breaks a rule in a message. `used` is the number of techniques that were tried for the rule so far. The
    last of them is `technique`.
    """

    rule: Rule
    technique: Technique
    steps: Steps
    change: Change
    used: int
    clock_tags: tuple[str, ...]

    @property
    def fault(self) -> Fault:
        return Fault(self.rule.id, pointer(place_of(self.steps, self.change)), self.technique.name)


def _claim(message: Any, *breaks: Break) -> Claim:
    """Returns the claim for the message after all `breaks`. A tag such as `at:last` contains the position of each break (see `placement`)."""
    positions = dict.fromkeys(f"at:{placement(message, one.steps)}" for one in breaks)
    now = next((one.clock_tags for one in breaks if one.clock_tags), ())
    return Claim(tuple(one.fault for one in breaks), None, (TAG, *positions, *now))


class Breaker:
    """Breaks one rule in many messages, with one technique after another."""

    def __init__(self, rule: Rule, techniques: Sequence[Technique], contract: Contract, now: datetime | None) -> None:
        self.rule, self.site = rule, steps_of(rule.site)
        self._techniques, self._schema, self._now = techniques, contract.sites[rule.message_type][rule.site].schema, now

    def may_be_in(self, message: Any) -> bool:
        """Returns whether the message has the first property on the path to the rule's site. The check is fast, and excludes most
        messages in which the rule cannot be broken.
        """
        return not self.site or type(message) is not dict or self.site[0] in message

    def _place(self, message: Any, used: int) -> Steps | None:
        steps = way_to(message, self.site, used)
        if steps is None or not _holds(self.rule, message, steps):
            return None
        return steps if self.rule.keyword == "required" or value_at(message, steps) is not None else None

    def next(self, message: Any, used: int) -> Break | None:
        """Returns the next change that breaks the rule. Returns None if no technique applies.

        `used` is the number of techniques that were already tried for the rule. With each number, the method begins with another
        technique and usually changes another array item.
        """
        rule, steps = self.rule, self._place(message, used)
        if steps is None:
            return None
        context = FaultContext(rule, self._schema, value_at(message, steps), self._now)
        for number in range(used + 1, used + 1 + len(self._techniques)):
            technique = self._techniques[number % len(self._techniques)]
            change = technique.change(context)
            if change is not None:
                return Break(rule, technique, steps, change, number, technique.clock_tags(context))
        return None


@lru_cache(maxsize=4)
def breakers(
    contract: Contract, message_type: MessageType, seed: int, now: datetime | None, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None
) -> Sequence[Breaker]:
    """Returns a `Breaker` for each selected rule that can be broken. The seed determines the order of the rules and of their techniques."""
    random = random_of(seed)
    found = shuffled(breakables(contract, message_type, rules, techniques).rules, random)
    return [Breaker(rule, shuffled(usable, random), contract, now) for rule, usable in found]


@dataclass(eq=False)
class _QueuedRule:
    """A rule in the queue of the rules to break. `used` is the number of techniques that were already tried for the rule.
    `others` are the rules that can be broken in the same message.
    """

    breaker: Breaker
    used: int
    others: "Ring[_QueuedRule] | None" = None

    def next(self, message: Any) -> Break | None:
        return self.breaker.next(message, self.used)


class Breaking:
    """Breaks one rule after another in the messages of one shard. `broken_before` estimates how many rules all earlier shards have
    broken. This number determines which rule the shard breaks first.
    """

    def __init__(self, breakers: Sequence[Breaker], contract: Contract, broken_before: int) -> None:
        self._contract = contract
        self._rounds, first = divmod(broken_before, len(breakers) or 1)
        rules = [_QueuedRule(breaker, self._rounds) for breaker in breakers]
        self._rules = [*rules[first:], *rules[:first]]
        self._turns = Turns(self._rules)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def neglected(self) -> Rule | None:
        """Returns the rule that has waited longest, if this rule could not be broken in the last `_PATIENCE` attempts,
        otherwise None. The caller then generates a message in which this rule can be broken.
        """
        if self._turns.passed_over >= 2 * _PATIENCE:
            self._turns.put_off()
        return self._turns.longest_waiting.breaker.rule if self._turns.passed_over >= _PATIENCE else None

    def single(self, message: Message, news: News) -> tuple[Claim, Message] | None:
        """Breaks the rule that has waited longest. If the result is not a new message, tries the next rules."""
        value = message.value
        return self._turns.take(lambda waiting: self._broken(message, waiting, news) if waiting.breaker.may_be_in(value) else None)

    def double(self, message: Message, news: News) -> tuple[Claim, Message] | None:
        """Breaks two rules: the rule that has waited longest, and the next rule that can be combined with the first one."""
        value = message.value
        return self._turns.take(lambda waiting: self._both(message, waiting, news) if waiting.breaker.may_be_in(value) else None)

    def _broken(self, message: Message, waiting: _QueuedRule, news: News) -> tuple[Claim, Message] | None:
        for _ in range(_TECHNIQUES_PER_RULE):
            found = waiting.next(message.value)
            if found is None:
                return None
            waiting.used = found.used
            broken = message.changed(found.steps, found.change)
            if news.is_new(broken.body):
                return _claim(message.value, found), broken
        return None

    def _both(self, message: Message, waiting: _QueuedRule, news: News) -> tuple[Claim, Message] | None:
        one = waiting.next(message.value) if waiting.breaker.rule.keyword != JSON_RULE else None
        if one is None:
            return None
        if waiting.others is None:
            here = self._rules.index(waiting)
            fitting = companions(self._contract, waiting.breaker.rule.id)
            others = [other for other in [*self._rules[here:], *self._rules[:here]] if other.breaker.rule.id in fitting]
            waiting.others = Ring(others, self._rounds)
        value, first = message.value, message.changed(one.steps, one.change)
        if not news.can_become_new(first.body):
            return None
        found = waiting.others.take(lambda other: self._break_second(value, one, first, other, news) if other.breaker.may_be_in(value) else None)
        if found is not None:
            waiting.used = one.used
        return found

    def _break_second(self, value: Any, one: Break, first: Message, waiting: _QueuedRule, news: News) -> tuple[Claim, Message] | None:
        """Breaks a second rule in the message `first`. The break `one` is already in this message."""
        other = waiting.next(value)
        if other is None:
            return None
        broken = first.changed(other.steps, other.change)
        if not news.is_new(broken.body):
            return None
        waiting.used = other.used
        return _claim(value, one, other), broken


def _holds(rule: Rule, message: Any, steps: Steps) -> bool:
    """Returns whether the rule applies at the path `steps`. A rule without a condition always applies."""
    if rule.condition is None:
        return True
    return matches(rule.condition.when, value_at(message, steps[: len(steps_of(rule.condition.site))])) == rule.condition.holds


@lru_cache(maxsize=1024)
def companions(contract: Contract, rule_id: str) -> frozenset[str]:
    """Returns the IDs of the rules that can be broken in the same message as this rule."""
    rule = contract.rule(rule_id)
    return frozenset(other.id for other in contract.rules[rule.message_type] if _independent(rule, other))


def _independent(one: Rule, other: Rule) -> bool:
    """Returns whether the oracle reports both rules if a message breaks both. A syntax error hides all other faults. One
    fault can also change a value that the other rule or its condition checks, and so hide the other fault.
    """
    if one is other or JSON_RULE in (one.keyword, other.keyword):
        return False
    return not (_changes(one, other.site) or _changes(other, one.site) or any(_changes(one, path) for path in condition_sites(other))
                or any(_changes(other, path) for path in condition_sites(one)))  # fmt: skip


def _changes(rule: Rule, site: str) -> bool:
    """Returns whether a fault of the rule can change the value at the site. A fault that adds a property changes no other
    property.
    """
    return rule.keyword != "additionalProperties" and within(site, rule.site)
