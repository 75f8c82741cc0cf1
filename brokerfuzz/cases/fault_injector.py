"""Injects faults: one technique breaks one rule at one place of a valid message. The twin is the message without the
fault.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case import Broken, Case, Fault, compact, confirmed
from brokerfuzz.cases.case_tags import TWIN_TAGS
from brokerfuzz.cases.changes import Change, Put, apply, place_of
from brokerfuzz.cases.counterexamples import counterexamples_of
from brokerfuzz.cases.fault_wishes import breakable_places, forbids_property, wishes_for
from brokerfuzz.cases.techniques import FaultContext, Technique, techniques_for
from brokerfuzz.generation import COMPLETE, REQUIRED, SETTINGS, FixedSource, RandomSource, Source, node_of
from brokerfuzz.pointers import Steps, pointer_of, value_at
from brokerfuzz.schemas import Contract, MessageType, Rule, check
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.keywords import JUDGED


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
        change = _change(technique, context)
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
                and rule.site.startswith(other.site)
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

    def techniques(self, rule: Rule) -> Sequence[Technique]:
        """Returns the techniques that break the rule in an ordinary message, each with another result."""
        return self._breaking(rule)[1]

    def unbroken(self) -> list[Rule]:
        """Returns the rules that no technique can break. Only a changed contract has such rules."""
        return [rule for rule in self.contract.rules[self.message_type] if not self.techniques(rule)]

    def suitable_message(self, rule: Rule) -> Any:
        """Returns the message in which `techniques` break the rule."""
        return self._breaking(rule)[0]

    def _breaking(self, rule: Rule) -> tuple[Any, Sequence[Technique]]:
        return _broken_in(self, rule) if rule.keyword == NOT_IN_FUTURE else _timeless(self.contract, rule)


def _change(technique: Technique, context: FaultContext) -> Change | None:
    if context.rule.keyword == "additionalProperties" and not isinstance(context.present, dict):
        return None  # an own contract can allow other types as well
    return technique.change(context)


@once_per_contract
def _timeless(contract: Contract, rule: Rule) -> tuple[Any, Sequence[Technique]]:
    return _broken_in(FaultInjector(contract, rule.message_type, None), rule)


def _broken_in(injector: FaultInjector, rule: Rule) -> tuple[Any, Sequence[Technique]]:
    """Returns an ordinary message, and the techniques that break the rule in it. In a changed contract, only an unusual
    message may be suitable. If several techniques create the same message, only the first technique is returned.
    """
    is_tested = injector.contract.is_tested  # each case is judged again when it is generated
    for any_keyword, most_broken in ((False, 1), (True, 1), (False, 9)):
        for message, steps in _breakable(injector, rule):
            twin = None if is_tested else injector.valid(message)
            if not is_tested and twin is None:
                continue
            different: dict[bytes, Technique] = {}
            context = injector.context(message, steps, rule)
            for technique in techniques_for(rule, any_keyword=any_keyword):
                change = _change(technique, context)
                if change is None:
                    continue
                result = compact(change.value) if isinstance(change, Put) else apply(message, steps, change)
                if result in different:
                    continue
                if is_tested or _breaks(injector.inject(message, steps, rule, technique, twin=twin), most_broken):
                    different[result] = technique
            if different:
                return message, list(different.values())
    return None, ()


def _breaks(case: Case | None, most_broken: int) -> bool:
    return case is not None and len(case.faults) <= most_broken


def _breakable(injector: FaultInjector, rule: Rule) -> Iterator[tuple[Any, Steps]]:
    """Yields messages in which the rule might be broken alone, each with a place."""
    wishes = wishes_for(injector.contract, rule)
    draw = node_of(injector.contract, rule.message_type).draw
    sources: list[Source] = [FixedSource(setting, wishes) for setting in (COMPLETE, REQUIRED, *SETTINGS[1:])]
    sources += [RandomSource(seed, wishes) for seed in range(_RANDOM)]
    for source in sources:
        message = draw(source)
        for steps in breakable_places(injector.contract, rule, message)[:1]:
            yield message, steps


_RANDOM = 20
"""The number of random messages in which a rule is tried to be broken, if ordinary messages do not suffice."""
