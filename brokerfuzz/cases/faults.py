"""Generates faults: messages in which one technique breaks one rule at one place. The twin is the same message without the fault."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice, product
from typing import Any, cast

from brokerfuzz.cases.case import TWIN_TAGS, Broken, Case, Fault, compact, confirmed
from brokerfuzz.cases.changes import Change, Steps, apply, place_of, places, pointer, value_at
from brokerfuzz.cases.fault_variations import BACKWARDS, COMPLETE, ONLY, Neighbours, Placement, later_placements, placements, variations
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_meeting, schema_with_place
from brokerfuzz.cases.techniques import FaultContext, Technique, techniques_for
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule, check, load_contract
from brokerfuzz.schemas.flattening import Schema, conjoin
from brokerfuzz.schemas.sites import JSON_RULE, join

OF_PRESENCE = {"required", "minItems", "minLength", "minimum"}
"""The keywords of rules that require a property, or that set a lower limit for an array, a string or a number."""


class _Recent(dict[Any, Any]):
    """A cache with at most 256 entries."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= 256:
            del self[next(iter(self))]
        super().__setitem__(key, value)


@dataclass(frozen=True)
class FaultMaker:
    """Generates the faults of a message type. If `now` is None, there are no time-dependent faults."""

    contract: Contract
    message_type: MessageType
    now: datetime | None
    _techniques: dict[str, list[Technique]] = field(default_factory=dict, repr=False, compare=False)
    _messages: _Recent = field(default_factory=_Recent, repr=False, compare=False)
    _twins: _Recent = field(default_factory=_Recent, repr=False, compare=False)

    def of_rule(self, rule: Rule) -> Iterator[Case]:
        """Yields invalid cases that break one rule, each with its twin.

        The cases use every technique, every position in arrays, and each of the `NEIGHBOURS` (see `fault_variations`). The first
        technique also breaks the rule in the second, the third and the eleventh item. If a condition affects the rule, additional
        cases break the rule in messages that meet the condition.
        """
        techniques = self.techniques(rule)
        if not techniques:
            return
        around, made = variations(rule.site), set[str]()
        for number in range(max(len(techniques), len(around))):
            for case in self._first_that_fits(rule, techniques, around, number, made):
                made.add(case.id)
                yield case
        later = [(techniques[0], placement, COMPLETE) for placement in later_placements(rule.site)]
        yield from (case for case in self._made(rule, later) if case.id not in made)
        for condition in self.deciding(rule):
            given = schema_meeting(self.contract, self.message_type, condition) if rule.condition is None else None
            everywhere = [(technique, ONLY, COMPLETE) for technique in techniques]
            if rule.condition or rule.keyword in OF_PRESENCE:
                orders = product(placements(rule.site), (COMPLETE, BACKWARDS))
                everywhere += [(technique, placement, neighbours) for placement, neighbours in orders for technique in techniques[:2]]
            for case in self._made(rule, everywhere, given):
                yield replace(case, tags=(*case.tags, f"under:{condition.label}"))

    def _first_that_fits(
        self, rule: Rule, techniques: Sequence[Technique], around: Sequence[tuple[Placement, Neighbours]], number: int, made: Collection[str]
    ) -> Iterator[Case]:
        """Yields the first possible case, or nothing. `number` selects an entry of `around`. After the last entry, counting starts
        again at the first entry.

        - If `techniques[number]` exists, the case uses this technique, with the selected entry or with `ONLY` and `COMPLETE`. A
          case is omitted if its ID is in `made`.
        - Otherwise, the case uses the selected entry, with the first technique that applies.
        """
        placement, neighbours = around[number % len(around)]
        first = number % len(techniques)
        if number < len(techniques):
            tried = [(techniques[first], placement, neighbours), (techniques[first], ONLY, COMPLETE)]
            found: Iterator[Case] = (case for case in self._made(rule, tried) if case.id not in made)
        else:
            found = self._made(rule, [(technique, placement, neighbours) for technique in [*techniques[first:], *techniques[:first]]])
        yield from islice(found, 1)

    def _made(self, rule: Rule, wanted: Sequence[tuple[Technique, Placement, Neighbours]], given: Schema | None = None) -> Iterator[Case]:
        for technique, placement, neighbours in wanted:
            case = self.case(rule, technique, placement, neighbours, given=given)
            if case is not None:
                yield case

    def empty_object(self) -> Iterator[Case]:
        """Yields the message `{}`, which breaks the rules of all required properties. The twin of this case has only the required
        properties.
        """
        twin = self._twin(compact(build(self.contract, self.message_type, MessagePlan(full=False))))
        broken = check(self.message_type, b"{}", now=self.now, contract=self.contract).broken
        faults = [Fault(entry.rule, entry.at, "removed") for entry in broken]
        tags = ("body:empty-object",)
        case = confirmed(self.message_type, b"{}", faults=faults, tags=tags, twin=twin, now=self.now, contract=self.contract)
        yield from [case] if case and faults and twin else []

    def unbroken(self) -> list[Rule]:
        """Returns the rules that no technique can break. Only a changed contract has such rules."""
        return [rule for rule in self.contract.rules[self.message_type] if not self.techniques(rule)]

    def techniques(self, rule: Rule) -> list[Technique]:
        """Returns the techniques that break the rule in an ordinary message. If several techniques create the same message, only
        the first technique is returned.
        """
        if rule.id not in self._techniques:
            different: dict[bytes, Technique] = {}
            broken_by = self._broken_plainly(rule)
            for technique in techniques_for(rule):
                if (body := broken_by(technique)) is not None:
                    different.setdefault(body, technique)
            self._techniques[rule.id] = list(different.values())
        return self._techniques[rule.id]

    def _broken_plainly(self, rule: Rule) -> Callable[[Technique], bytes | None]:
        """Returns a function that takes a technique, and breaks the rule in an ordinary message. This function returns the invalid
        message, or None if the technique does not apply.

        For a changed contract, the oracle checks the message, because the rules may contradict each other.
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
        """Returns an ordinary message in which the rule can be broken. Callers must not change the message."""
        return self._message(rule, ONLY, COMPLETE, None)

    def simple(self, rule: Rule, neighbours: Neighbours) -> tuple[Any, Steps]:
        """Returns a message, and the path to the place in this message where the rule can be broken."""
        message = self._message(rule, ONLY, neighbours, None)
        steps = self._steps(message, rule.site, ONLY)
        assert steps is not None, "this is a bug: the message has no place for the fault"
        return message, steps

    def _change(self, message: object, steps: Steps, rule: Rule, technique: Technique) -> Change | None:
        spot = self._spot(message, steps, rule)
        if rule.keyword in (JSON_RULE, "additionalProperties") and not isinstance(
            spot.present, dict
        ):  # a changed contract can allow other types as well
            return None
        return technique.change(spot)

    def _spot(self, message: object, steps: Steps, rule: Rule) -> FaultContext:
        return FaultContext(rule, self.contract.sites[self.message_type][rule.site].schema, value_at(message, steps), self.now)

    def deciding(self, rule: Rule) -> list[Condition]:
        """Returns a list that contains the condition of the rule. If the rule has no condition, returns the conditions of other rules
        that affect this rule:

        - conditions of rules about an object or array that contains the rule's site
        - if the keyword of the rule is `enum`, conditions that depend on the same property
        """
        if rule.condition is not None:
            return [rule.condition]
        conditional = [other for other in self.contract.rules[self.message_type] if other.condition]
        others = [other for other in conditional if other.site and other.site != rule.site and rule.site.startswith(other.site)]
        if rule.keyword == "enum":  # a condition may test the value of this property
            others += [other for other in conditional if other.condition and _decides(other.condition, rule.site)]
        return list({other.condition.label: other.condition for other in others if other.condition}.values())

    def case(
        self, rule: Rule, technique: Technique, placement: Placement = ONLY, neighbours: Neighbours = COMPLETE, *, given: Schema | None = None
    ) -> Case | None:
        """Breaks the rule with the technique, in a message that matches the schema `given`. Returns None if the technique does not
        apply.
        """
        message = self._message(rule, placement, neighbours, given)
        steps = self._steps(message, rule.site, placement)
        if steps is None:
            return None
        return self.broken(message, steps, rule, technique, tags=(placement.tag, neighbours.tag))

    def broken(self, message: object, steps: Steps, rule: Rule, technique: Technique, tags: tuple[str, ...] = ()) -> Broken | None:
        """Breaks the rule with the technique at the path `steps`. Returns None if the technique does not apply."""
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

    def _message(self, rule: Rule, placement: Placement, neighbours: Neighbours, given: Schema | None) -> object:
        key = (rule.site, rule.condition.label if rule.condition else "", placement, neighbours.name, json.dumps(given))
        if key not in self._messages:
            sizes = dict.fromkeys(placement.arrays, placement.size)
            plan = neighbours.plan(self.contract, self.message_type, sizes, placement.index).narrow(given or {}, self.breakable_schema(rule))
            self._messages[key] = build(self.contract, self.message_type, plan)
        return self._messages[key]

    def breakable_schema(self, rule: Rule) -> Schema:
        """Returns a schema for messages in which the rule can be broken: the place exists, and the condition of the rule is true."""
        schema = schema_with_place(self.contract, self.message_type, rule.site)
        return conjoin(schema, schema_meeting(self.contract, self.message_type, rule.condition)) if rule.condition else schema

    @staticmethod
    def _steps(message: object, site: str, placement: Placement) -> Steps | None:
        wanted = placement.indices(site)
        found = places(message, site)
        return next((steps for steps in found if [step for step in steps if isinstance(step, int)] == wanted), None)


def _decides(condition: Condition, path: str) -> bool:
    return any(join(condition.site, name) == path for name in condition.when.get("properties", {}))
