"""Faults: messages in which one technique breaks one rule at one place. The twin (the valid counterpart) is the message without the fault."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice, product
from typing import Any, cast

from brokerfuzz.cases.case import TWIN_TAGS, Case, Fault, compact, confirmed
from brokerfuzz.cases.changes import Change, Steps, apply, place_of, places, pointer, value_at
from brokerfuzz.cases.fault_surroundings import BACKWARDS, COMPLETE, ONLY, Placement, Setting, placements, surroundings
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_meeting, schema_with_place
from brokerfuzz.cases.techniques import Spot, Technique, techniques_for
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule, check, load_contract
from brokerfuzz.schemas.flattening import Schema, conjoin
from brokerfuzz.schemas.sites import join

OF_PRESENCE = {"required", "minItems", "minLength", "minimum"}
"""The keywords of rules that demand that something is present and not empty. Only these keywords occur in the conditional rules."""


class _Recent(dict[Any, Any]):
    """A cache of the last 256 entries. It is used for plain messages and twins, which many faults share."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= 256:
            del self[next(iter(self))]
        super().__setitem__(key, value)


@dataclass(frozen=True)
class FaultMaker:
    """Makes the faults of a message type, for the time `now`. If `now` is None, it makes no faults about the clock."""

    contract: Contract
    message_type: MessageType
    now: datetime | None
    _techniques: dict[str, list[Technique]] = field(default_factory=dict, repr=False, compare=False)
    _messages: _Recent = field(default_factory=_Recent, repr=False, compare=False)
    _twins: _Recent = field(default_factory=_Recent, repr=False, compare=False)

    def of_rule(self, rule: Rule) -> Iterator[Case]:
        """Yields the faults of a rule. Each technique that applies is used at least once, and so is every placement and every
        setting (see `fault_surroundings`).

        If a condition affects the rule, the rule is broken again in messages that meet the condition. Each fault has a `twin`.
        """
        techniques = self.techniques(rule)
        if not techniques:
            return
        around, made = surroundings(rule.site), set[str]()
        for number in range(max(len(techniques), len(around))):
            for case in self._first_that_fits(rule, techniques, around, number, made):
                made.add(case.id)
                yield case
        for condition in self.deciding(rule):
            given = schema_meeting(self.contract, self.message_type, condition) if rule.condition is None else None
            everywhere = [(technique, ONLY, COMPLETE) for technique in techniques]
            if rule.condition or rule.keyword in OF_PRESENCE:
                orders = product(placements(rule.site), (COMPLETE, BACKWARDS))
                everywhere += [(technique, placement, setting) for placement, setting in orders for technique in techniques[:2]]
            for case in self._made(rule, everywhere, given):
                yield replace(case, tags=(*case.tags, f"under:{condition.label}"))

    def _first_that_fits(
        self, rule: Rule, techniques: Sequence[Technique], around: Sequence[tuple[Placement, Setting]], number: int, made: Collection[str]
    ) -> Iterator[Case]:
        """Yields at most one case.

        First tries the technique and the surroundings with this number. If they give no case, or only a case that is already in
        `made`, tries the plain surroundings. After all techniques were used once, other techniques may be tried, too.
        """
        placement, setting = around[number % len(around)]
        first = number % len(techniques)
        if number < len(techniques):
            tried = [(techniques[first], placement, setting), (techniques[first], ONLY, COMPLETE)]
            found: Iterator[Case] = (case for case in self._made(rule, tried) if case.id not in made)
        else:
            found = self._made(rule, [(technique, placement, setting) for technique in [*techniques[first:], *techniques[:first]]])
        yield from islice(found, 1)

    def _made(self, rule: Rule, wanted: Sequence[tuple[Technique, Placement, Setting]], given: Schema | None = None) -> Iterator[Case]:
        for technique, placement, setting in wanted:
            case = self.case(rule, technique, placement, setting, given=given)
            if case is not None:
                yield case

    def empty_object(self) -> Iterator[Case]:
        """Yields the message without any property. This message breaks the rule of every required property. Its twin has only the
        required properties.
        """
        twin = self._twin(compact(build(self.contract, self.message_type, MessagePlan(full=False))))
        broken = check(self.message_type, b"{}", now=self.now, contract=self.contract).broken
        faults = [Fault(entry.rule, entry.at, "removed") for entry in broken]
        tags = ("body:empty-object",)
        case = confirmed(self.message_type, b"{}", faults=faults, tags=tags, twin=twin, now=self.now, contract=self.contract)
        yield from [case] if case and faults and twin else []

    def unbroken(self) -> list[Rule]:
        """Returns the rules that no technique breaks. There are such rules only in a changed contract that uses other keywords."""
        return [rule for rule in self.contract.rules[self.message_type] if not self.techniques(rule)]

    def techniques(self, rule: Rule) -> list[Technique]:
        """Returns the techniques that break the rule in a plain message. If several give the same message, only the first is returned."""
        if rule.id not in self._techniques:
            different: dict[bytes, Technique] = {}
            broken_by = self._broken_plainly(rule)
            for technique in techniques_for(rule):
                if (body := broken_by(technique)) is not None:
                    different.setdefault(body, technique)
            self._techniques[rule.id] = list(different.values())
        return self._techniques[rule.id]

    def _broken_plainly(self, rule: Rule) -> Callable[[Technique], bytes | None]:
        """Returns a function that breaks the rule in a plain message with a technique. That function returns None if the technique
        does not apply.

        The rules of a changed contract may contradict each other. For such a contract, the oracle therefore checks the message.
        """
        if self.contract is not load_contract():
            return lambda technique: case.body if (case := self.case(rule, technique)) else None
        message = self.plain(rule)
        steps = self._steps(message, rule.site, ONLY)

        def broken(technique: Technique) -> bytes | None:
            change = self._change(message, steps, rule, technique) if steps is not None else None
            return apply(message, steps, change) if steps is not None and change is not None else None

        return broken

    def plain(self, rule: Rule) -> object:
        """Returns a plain message in which the rule can be broken. Do not modify it."""
        return self._message(rule, ONLY, COMPLETE, None)

    def _change(self, message: object, steps: Steps, rule: Rule, technique: Technique) -> Change | None:
        return technique.change(self._spot(message, steps, rule))

    def _spot(self, message: object, steps: Steps, rule: Rule) -> Spot:
        return Spot(rule, self.contract.sites[self.message_type][rule.site].schema, value_at(message, steps), self.now)

    def deciding(self, rule: Rule) -> list[Condition]:
        """Returns the conditions that affect the rule: its own condition, or the conditions of rules for the places above it."""
        if rule.condition is not None:
            return [rule.condition]
        conditional = [other for other in self.contract.rules[self.message_type] if other.condition]
        others = [other for other in conditional if other.site and other.site != rule.site and rule.site.startswith(other.site)]
        if rule.keyword == "enum":  # the rule is about the property in the condition: break it with other spellings of its value
            others += [other for other in conditional if other.condition and _decides(other.condition, rule.site)]
        return list({other.condition.label: other.condition for other in others if other.condition}.values())

    def case(
        self, rule: Rule, technique: Technique, placement: Placement = ONLY, setting: Setting = COMPLETE, *, given: Schema | None = None
    ) -> Case | None:
        """Returns the case in which the technique breaks the rule, in these surroundings. Returns None if the technique does not
        apply there.

        `given` is an additional schema that the message must meet.
        """
        message = self._message(rule, placement, setting, given)
        steps = self._steps(message, rule.site, placement)
        if steps is None:
            return None
        return self.broken(message, steps, rule, technique, tags=(placement.tag, setting.tag))

    def broken(self, message: object, steps: Steps, rule: Rule, technique: Technique, tags: tuple[str, ...] = ()) -> Case | None:
        """Breaks the rule at this place of a valid message and returns the case. Returns None if the technique does not apply."""
        change = self._change(message, steps, rule, technique)
        if change is None:
            return None
        twin = self._twin(compact(message))
        if twin is None:
            return None
        fault = Fault(rule.id, pointer(place_of(steps, change)), technique.name)
        tags = (*tags, *technique.clock_tags(self._spot(message, steps, rule)))
        body = apply(message, steps, change)
        return confirmed(self.message_type, body, faults=(fault,), tags=tags, twin=twin, now=self.now, contract=self.contract)

    def _twin(self, body: bytes) -> Case | None:
        if body not in self._twins:
            self._twins[body] = confirmed(self.message_type, body, claim="valid", tags=TWIN_TAGS, now=self.now, contract=self.contract)
        return cast("Case | None", self._twins[body])

    def _message(self, rule: Rule, placement: Placement, setting: Setting, given: Schema | None) -> object:
        key = (rule.site, rule.condition.label if rule.condition else "", placement, setting.name, json.dumps(given))
        if key not in self._messages:
            sizes = dict.fromkeys(placement.arrays, placement.size)
            plan = setting.plan(self.contract, self.message_type, sizes, placement.index).narrow(given or {}, self.breakable_schema(rule))
            self._messages[key] = build(self.contract, self.message_type, plan)
        return self._messages[key]

    def breakable_schema(self, rule: Rule) -> Schema:
        """Returns a schema for messages in which the rule can be broken: the place is present and the rule's condition applies."""
        schema = schema_with_place(self.contract, self.message_type, rule.site)
        return conjoin(schema, schema_meeting(self.contract, self.message_type, rule.condition)) if rule.condition else schema

    @staticmethod
    def _steps(message: object, site: str, placement: Placement) -> Steps | None:
        """Returns the path to the place that a placement selects."""
        wanted = placement.indices(site)
        found = places(message, site)
        return next((steps for steps in found if [step for step in steps if isinstance(step, int)] == wanted), None)


def _decides(condition: Condition, path: str) -> bool:
    """Returns True if the condition depends on the value at the path."""
    return any(join(condition.site, name) == path for name in condition.when.get("properties", {}))
