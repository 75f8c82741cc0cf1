"""Injects faults: one technique breaks one rule at one place of a valid message. The twin is the message without the
fault.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Broken, Case, Fault, compact, confirmed
from brokerfuzz.cases.case_tags import TWIN_TAGS
from brokerfuzz.cases.changes import Put, apply, place_of
from brokerfuzz.cases.counterexamples import counterexamples_of
from brokerfuzz.cases.fault_wishes import breakable_places, forbids_property, wishes_for
from brokerfuzz.cases.techniques import FaultContext, Technique, techniques_for
from brokerfuzz.generation import COMPLETE, REQUIRED, SETTINGS, FixedSource, RandomSource, Source, node_of
from brokerfuzz.pointers import Steps, is_within, pointer_of, value_at
from brokerfuzz.schemas import Contract, MessageType, Rule, check
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.keywords import JUDGED

_MOST_RANDOM = 20
"""The number of random messages in which a rule is tried to be broken, if ordinary messages do not suffice."""
_MOST_FAULTS = 9
"""The number of rules that a fault may break, if no technique breaks only one."""


@dataclass(frozen=True)
class FaultInjector:
    """The faults of a message type. If `now` is None, there are no time-dependent faults."""

    contract: Contract
    message_type: MessageType
    now: datetime | None

    def inject(
        self,
        message: Any,
        steps: Steps,
        rule: Rule,
        technique: Technique,
        tags: tuple[str, ...] = (),
        twin: Case | None = None,
    ) -> Broken | None:
        """Breaks the rule with the technique at the path `steps`. `twin` is the case of the message, if it exists
        already. Returns None if the technique does not apply, or if the rules of a changed contract contradict each
        other there.
        """
        context = self.context(message, steps, rule)
        change = technique.change(context)
        twin = twin or self.valid(message)
        if change is None or twin is None:
            return None
        fault = Fault(rule.id, pointer_of(place_of(steps, change)), technique.name)
        body = apply(message, steps, change)
        tags = (*tags, *technique.clock_tags(context))
        faults = (fault, *self._repeating(rule, body, technique))
        case = confirmed(
            self.message_type, body, faults=faults, tags=tags, twin=twin, now=self.now, contract=self.contract
        )
        return case if isinstance(case, Broken) else None

    def break_rule(
        self,
        message: Any,
        rule: Rule,
        techniques: Iterable[Technique],
        *,
        choose_place: Callable[[Sequence[Steps]], Steps | None] = lambda places: places[0],
        tags: tuple[str, ...] = (),
        twin: Case | None = None,
    ) -> Broken | None:
        """Breaks the rule at the chosen place, with the first of the techniques that applies there. Returns None if
        the message has no place where the rule can be broken, or if no technique applies.
        """
        places = breakable_places(self.contract, rule, message)
        steps = choose_place(places) if places else None
        if steps is None:
            return None
        cases = (self.inject(message, steps, rule, technique, tags, twin) for technique in techniques)
        return next((case for case in cases if case is not None), None)

    def _repeating(self, rule: Rule, body: bytes, technique: Technique) -> Iterator[Fault]:
        """Yields faults of rules that repeat the rule, as a `oneOf` whose branches all require a property."""
        if self.contract.is_tested:
            return
        verdict = check(self.message_type, body, now=self.now, contract=self.contract)
        for broken in verdict.broken:
            other = self.contract.rules_by_id.get(broken.rule)
            if (
                other
                and other.id != rule.id
                and other.keyword in {*JUDGED, "enum"}
                and is_within(rule.site, other.site)
            ):
                yield Fault(other.id, broken.at, technique.name)

    def valid(self, message: Any, tags: tuple[str, ...] = TWIN_TAGS) -> Case | None:
        """Returns the case of a valid message, or None if a changed contract does not allow the message."""
        return confirmed(
            self.message_type, compact(message), claim="valid", tags=tags, now=self.now, contract=self.contract
        )

    def context(self, message: Any, steps: Steps, rule: Rule) -> FaultContext:
        site = self.contract.sites[self.message_type][rule.site]
        present = None if forbids_property(rule, site) else value_at(message, steps)
        return FaultContext(rule, site, present, self.now, counterexamples_of(self.contract, rule))

    def techniques(self, rule: Rule, names: Collection[str] | None = None) -> list[Technique]:
        """Returns the techniques that break the rule in an ordinary message, each with another result. With `names`,
        returns only those with these names.
        """
        techniques = self.breakable_message(rule).techniques
        return [technique for technique in techniques if names is None or technique.name in names]

    def breakable_message(self, rule: Rule) -> "BreakableMessage":
        """Returns an ordinary message in which the rule can be broken, and the techniques that do so. They depend on
        `now` only if the rule is about the time.
        """
        return _breakable_message(self if rule.keyword == NOT_IN_FUTURE else replace(self, now=None), rule)


# ------------------------------------------------------------------------------------------------ suitable techniques


class BreakableMessage(NamedTuple):
    """A message, and the techniques that break a rule in it. If there are none, there is no message."""

    message: Any
    techniques: Sequence[Technique]


@lru_cache(maxsize=10_000)
def _breakable_message(injector: FaultInjector, rule: Rule) -> BreakableMessage:
    """In a changed contract, only an unusual message may be suitable, or only a searched value, or only a value that
    breaks other rules, too.
    """
    usual, searching = techniques_for(rule), techniques_for(rule, any_keyword=True)
    for techniques, most_faults in ((usual, 1), (searching, 1), (usual, _MOST_FAULTS)):
        for message, steps in _candidates(injector, rule):
            suitable = _different(techniques, injector.context(message, steps, rule), message, steps)
            if not injector.contract.is_tested:  # otherwise, each case is judged when it is generated
                suitable = _confirmed(suitable, most_faults, injector, rule, message, steps)
            if suitable:
                return BreakableMessage(message, suitable)
    return BreakableMessage(None, ())


def _different(
    techniques: Sequence[Technique], context: FaultContext, message: Any, steps: Steps
) -> Sequence[Technique]:
    """Returns the techniques that apply at a place of a message. If several create the same message, only the first one
    is returned.
    """
    by_result: dict[bytes, Technique] = {}
    for technique in techniques:
        change = technique.change(context)
        if change is not None:
            result = compact(change.value) if isinstance(change, Put) else apply(message, steps, change)
            by_result.setdefault(result, technique)
    return list(by_result.values())


def _confirmed(
    techniques: Sequence[Technique], most_faults: int, injector: FaultInjector, rule: Rule, message: Any, steps: Steps
) -> Sequence[Technique]:
    """Returns the techniques that break the rule at a place of a message, with at most so many faults."""
    twin = injector.valid(message)
    if twin is None:
        return []
    confirmed_techniques: list[Technique] = []
    for technique in techniques:
        case = injector.inject(message, steps, rule, technique, twin=twin)
        if case is not None and len(case.faults) <= most_faults:
            confirmed_techniques.append(technique)
    return confirmed_techniques


def _candidates(injector: FaultInjector, rule: Rule) -> Iterator[tuple[Any, Steps]]:
    """Yields messages in which the rule might be broken alone, each with a place."""
    wishes = wishes_for(injector.contract, rule)
    draw = node_of(injector.contract, rule.message_type).draw
    fixed: Iterator[Source] = (FixedSource(setting, wishes) for setting in (COMPLETE, REQUIRED, *SETTINGS[1:]))
    random: Iterator[Source] = (RandomSource(seed, wishes) for seed in range(_MOST_RANDOM))
    for source in chain(fixed, random):
        message = draw(source)
        for steps in breakable_places(injector.contract, rule, message)[:1]:
            yield message, steps
