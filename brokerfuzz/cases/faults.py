"""Faults: one rule broken by one technique at one place of an otherwise plain message, whose twin is that message.

Weak code checks the first item and not the others, the first ten and not the eleventh, the first cluster and not the second: a
`Placement` says where in the arrays on the way a fault sits.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any, cast

from brokerfuzz.cases.building import Plan, build, meeting, with_place
from brokerfuzz.cases.case import Case, Fault, compact, now_tag
from brokerfuzz.cases.changes import Steps, apply, place_of, places, pointer, value_at
from brokerfuzz.cases.techniques import Base, Spot, Technique, techniques_for
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule
from brokerfuzz.schemas.flattening import Schema, conjoin


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a fault sits: of the array at path `array`, which has `size` items, in the item `index`; in the only item of all others.

    No array at all (`array` is None): in the only item of each.
    """

    name: str
    array: str | None = None
    size: int = 1
    index: int = 0

    @property
    def tag(self) -> str:
        """What the case's tag says."""
        return f"at:{self.name}"


ONLY = Placement("only")
_SPOTS = (("last", 2, 1), ("middle", 3, 1), ("first", 3, 0), ("eleventh", 12, 10))


def placements(site: str) -> list[Placement]:
    """Where a fault at a site can sit: in only items; then in the last, a middle, the first item and the eleventh of each array on the way."""
    arrays = [site[:index] for index in range(len(site)) if site.startswith("[]", index)]
    return [ONLY, *(Placement(name, array, size, index) for name, size, index in _SPOTS for array in arrays)]


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
        """The rule broken by every technique that applies, and at every placement; each case's `twin` is its own.

        The first round has every technique, placements in turn; then come the placements that are left, with the first technique.
        """
        where = placements(rule.site)
        ways = self.ways(rule)
        if not ways:
            return
        for number, (technique, placement) in enumerate(zip_longest(ways, where)):
            case = self.case(rule, technique or ways[0], placement or where[number % len(where)])
            if case is not None:
                yield case
        for condition in self._deciding(rule):
            given = meeting(self.contract, self.message_type, condition)
            for technique in ways:
                case = self.case(rule, technique, ONLY, given=given)
                if case is not None:
                    yield replace(case, tags=(*case.tags, f"under:{condition.label}"))

    def ways(self, rule: Rule) -> list[Technique]:
        """The techniques that break the rule in a plain message."""
        if rule.id not in self._ways:
            self._ways[rule.id] = [technique for technique in techniques_for(rule) if self.case(rule, technique, ONLY) is not None]
        return self._ways[rule.id]

    def _deciding(self, rule: Rule) -> list[Condition]:
        """The conditions that say something of the rule's site or of what is above it, for a rule that holds in any case."""
        if rule.condition is not None or "." not in rule.site:
            return []
        others = [other for other in self.contract.rules[self.message_type] if other.condition and rule.site.startswith(other.site)]
        return list({other.condition.label: other.condition for other in others if other.condition}.values())

    def case(self, rule: Rule, technique: Technique, placement: Placement, *, given: Schema | None = None) -> Case | None:
        """The rule broken by the technique at the placement; None where the technique does not apply there.

        `given` is a flat schema that the message meets besides.
        """
        message = self._message(rule, technique.base, placement, given)
        steps = self._steps(message, rule.site, placement)
        if steps is None:
            return None
        return self.broken(message, steps, rule, technique, tags=(placement.tag,))

    def broken(self, message: object, steps: Steps, rule: Rule, technique: Technique, tags: tuple[str, ...] = ()) -> Case | None:
        """The message, which is valid, with the rule broken at this place; None where the technique does not apply."""
        schema = self.contract.sites[self.message_type][rule.site].schema
        change = technique.change(Spot(rule, schema, value_at(message, steps), self.now))
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
            self._twins[body] = Case.confirmed(self.message_type, body, claim="valid", tags=("twin",), now=self.now, contract=self.contract)
        return cast("Case | None", self._twins[body])

    def _message(self, rule: Rule, base: Base, placement: Placement, given: Schema | None) -> object:
        key = (rule.site, rule.condition.label if rule.condition else "", base, placement, json.dumps(given))
        if key not in self._messages:
            sizes = {placement.array: placement.size} if placement.array is not None else {}
            plan = Plan(full=base != "bare", sizes=sizes, backwards=base == "backwards").narrow(given or {}, self.towards(rule))
            self._messages[key] = build(self.contract, self.message_type, plan)
        return self._messages[key]

    def towards(self, rule: Rule) -> Schema:
        """What a message has to meet so that the rule can be broken in it: the place is there, its condition decided."""
        schema = with_place(self.contract, self.message_type, rule.site)
        return conjoin(schema, meeting(self.contract, self.message_type, rule.condition)) if rule.condition else schema

    @staticmethod
    def _steps(message: object, site: str, placement: Placement) -> Steps | None:
        """The way to the placement's place of a site: by its index where it names the array, else the first."""
        depth = placement.array.count("[]") if placement.array is not None else -1
        for steps in places(message, site):
            indices = [step for step in steps if isinstance(step, int)]
            if all(index == (placement.index if level == depth else 0) for level, index in enumerate(indices)):
                return steps
        return None
