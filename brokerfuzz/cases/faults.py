"""Faults: one rule broken by one technique at one place of a message whose twin is that message without the fault."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice, product
from typing import Any, cast

from brokerfuzz.cases.case import TWIN_TAGS, Case, Fault, compact, now_tag
from brokerfuzz.cases.changes import Change, Steps, apply, place_of, places, pointer, value_at
from brokerfuzz.cases.fault_surroundings import BACKWARDS, COMPLETE, ONLY, Placement, Setting, placements, surroundings
from brokerfuzz.cases.message_builder import MessagePlan, build, meeting, with_place
from brokerfuzz.cases.techniques import Spot, Technique, techniques_for
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule, check, load_contract
from brokerfuzz.schemas.flattening import Schema, conjoin
from brokerfuzz.schemas.sites import join

OF_PRESENCE = {"required", "minItems", "minLength", "minimum"}
"""What conditional rules are about, as are the rules that hold below them in any case: something is there, and is not empty."""


class _Recent(dict[Any, Any]):
    """Remembers what was made last, up to 256 things: the faults of one message share it, and its twin."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= 256:
            del self[next(iter(self))]
        super().__setitem__(key, value)


@dataclass(frozen=True)
class FaultMaker:
    """Makes the fault cases of a message type, against a time."""

    contract: Contract
    message_type: MessageType
    now: datetime
    _ways: dict[str, list[Technique]] = field(default_factory=dict, repr=False, compare=False)
    _messages: _Recent = field(default_factory=_Recent, repr=False, compare=False)
    _twins: _Recent = field(default_factory=_Recent, repr=False, compare=False)

    def of_rule(self, rule: Rule) -> Iterator[Case]:
        """The rule broken by every technique that applies, at every placement and in every setting; each case's `twin` is its own.

        The techniques take turns in the surroundings: the first sits in the only item of a complete message, each next one elsewhere.
        Where a condition decides about the rule's place, the rule is broken with the condition met besides. A rule of presence is then
        broken at every placement, with what decides before it and behind it.
        """
        ways = self.ways(rule)
        if not ways:
            return
        around, made = surroundings(rule.site), set[str]()
        for number in range(max(len(ways), len(around))):
            for case in self._first_that_fits(rule, ways, around, number, made):
                made.add(case.id)
                yield case
        for condition in self.deciding(rule):
            given = meeting(self.contract, self.message_type, condition) if rule.condition is None else None
            everywhere = [(technique, ONLY, COMPLETE) for technique in ways]
            if rule.condition or rule.keyword in OF_PRESENCE:
                orders = product(placements(rule.site), (COMPLETE, BACKWARDS))
                everywhere += [(technique, placement, setting) for placement, setting in orders for technique in ways[:2]]
            for case in self._made(rule, everywhere, given):
                yield replace(case, tags=(*case.tags, f"under:{condition.label}"))

    def _first_that_fits(
        self, rule: Rule, ways: Sequence[Technique], around: Sequence[tuple[Placement, Setting]], number: int, made: Collection[str]
    ) -> Iterator[Case]:
        """The technique of this number in the surroundings of this number, or in plain ones where that gives nothing, or what is `made` already;
        where all techniques had their turn, the next one that fits there."""
        placement, setting = around[number % len(around)]
        first = number % len(ways)
        if number < len(ways):
            tried = [(ways[first], placement, setting), (ways[first], ONLY, COMPLETE)]
            found: Iterator[Case] = (case for case in self._made(rule, tried) if case.id not in made)
        else:
            found = self._made(rule, [(technique, placement, setting) for technique in [*ways[first:], *ways[:first]]])
        yield from islice(found, 1)

    def _made(self, rule: Rule, wanted: Sequence[tuple[Technique, Placement, Setting]], given: Schema | None = None) -> Iterator[Case]:
        for technique, placement, setting in wanted:
            case = self.case(rule, technique, placement, setting, given=given)
            if case is not None:
                yield case

    def empty_object(self) -> Iterator[Case]:
        """The message without any property: it breaks as many rules as there are properties that have to be there. Its twin has just these."""
        twin = self._twin(compact(build(self.contract, self.message_type, MessagePlan(full=False))))
        broken = check(self.message_type, b"{}", now=self.now, contract=self.contract).broken
        faults = [Fault(entry.rule, entry.at, "removed") for entry in broken]
        tags = ("body:empty-object",)
        case = Case.confirmed(self.message_type, b"{}", faults=faults, tags=tags, twin=twin, now=self.now, contract=self.contract)
        yield from [case] if case and faults and twin else []

    def unbroken(self) -> list[Rule]:
        """The rules that no technique breaks: a changed contract may use keywords that none is for."""
        return [rule for rule in self.contract.rules[self.message_type] if not self.ways(rule)]

    def ways(self, rule: Rule) -> list[Technique]:
        """The techniques that break the rule in a plain message; of those that give the same message, the first."""
        if rule.id not in self._ways:
            different: dict[bytes, Technique] = {}
            broken_by = self._broken_plainly(rule)
            for technique in techniques_for(rule):
                if (body := broken_by(technique)) is not None:
                    different.setdefault(body, technique)
            self._ways[rule.id] = list(different.values())
        return self._ways[rule.id]

    def _broken_plainly(self, rule: Rule) -> Callable[[Technique], bytes | None]:
        """What makes a plain message in which a technique breaks the rule; None where it does not.

        A changed contract's rules may stand in the way: there, the oracle is asked.
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
        """A plain message in which the rule can be broken; not to be changed."""
        return self._message(rule, ONLY, COMPLETE, None)

    def _change(self, message: object, steps: Steps, rule: Rule, technique: Technique) -> Change | None:
        schema = self.contract.sites[self.message_type][rule.site].schema
        return technique.change(Spot(rule, schema, value_at(message, steps), self.now))

    def deciding(self, rule: Rule) -> list[Condition]:
        """The conditions that say something of the rule's place: its own, else those of what is above it."""
        if rule.condition is not None:
            return [rule.condition]
        conditional = [other for other in self.contract.rules[self.message_type] if other.condition]
        others = [other for other in conditional if other.site and other.site != rule.site and rule.site.startswith(other.site)]
        if rule.keyword == "enum":  # the property that decides, in other spellings
            others += [other for other in conditional if other.condition and _decides(other.condition, rule.site)]
        return list({other.condition.label: other.condition for other in others if other.condition}.values())

    def case(
        self, rule: Rule, technique: Technique, placement: Placement = ONLY, setting: Setting = COMPLETE, *, given: Schema | None = None
    ) -> Case | None:
        """The rule broken by the technique, at the placement and in the setting; None where the technique does not apply there.

        `given` is a flat schema that the message meets besides.
        """
        message = self._message(rule, placement, setting, given)
        steps = self._steps(message, rule.site, placement)
        if steps is None:
            return None
        return self.broken(message, steps, rule, technique, tags=(placement.tag, setting.tag))

    def broken(self, message: object, steps: Steps, rule: Rule, technique: Technique, tags: tuple[str, ...] = ()) -> Case | None:
        """The message, which is valid, with the rule broken at this place; None where the technique does not apply."""
        change = self._change(message, steps, rule, technique)
        if change is None:
            return None
        twin = self._twin(compact(message))
        if twin is None:
            return None
        fault = Fault(rule.id, pointer(place_of(steps, change)), technique.name)
        tags = (*tags, now_tag(self.now)) if rule in self.contract.semantics else tags
        body = apply(message, steps, change)
        return Case.confirmed(self.message_type, body, faults=(fault,), tags=tags, twin=twin, now=self.now, contract=self.contract)

    def _twin(self, body: bytes) -> Case | None:
        if body not in self._twins:
            self._twins[body] = Case.confirmed(self.message_type, body, claim="valid", tags=TWIN_TAGS, now=self.now, contract=self.contract)
        return cast("Case | None", self._twins[body])

    def _message(self, rule: Rule, placement: Placement, setting: Setting, given: Schema | None) -> object:
        key = (rule.site, rule.condition.label if rule.condition else "", placement, setting.name, json.dumps(given))
        if key not in self._messages:
            sizes = dict.fromkeys(placement.arrays, placement.size)
            plan = setting.plan(self.contract, self.message_type, sizes, placement.index).narrow(given or {}, self.towards(rule))
            self._messages[key] = build(self.contract, self.message_type, plan)
        return self._messages[key]

    def towards(self, rule: Rule) -> Schema:
        """What a message has to meet so that the rule can be broken in it: the place is there, its condition decided."""
        schema = with_place(self.contract, self.message_type, rule.site)
        return conjoin(schema, meeting(self.contract, self.message_type, rule.condition)) if rule.condition else schema

    @staticmethod
    def _steps(message: object, site: str, placement: Placement) -> Steps | None:
        """The way to the placement's place of a site."""
        wanted = placement.indices(site)
        ways = places(message, site)
        return next((steps for steps in ways if [step for step in steps if isinstance(step, int)] == wanted), None)


def _decides(condition: Condition, path: str) -> bool:
    """Whether the condition asks for the value at the path."""
    return any(join(condition.site, name) == path for name in condition.when.get("properties", {}))
