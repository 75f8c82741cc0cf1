"""Generates controls: copies of invalid messages in which the condition of a rule is different.

For example, a rule requires clusters if `offerType` is `Product List`. A message without clusters breaks this rule. The control is
the same message with another `offerType`, and is valid. A program that ignores the condition on `offerType` gives a wrong answer to
one of the two messages.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case import TWIN_TAGS, Case, confirmed
from brokerfuzz.cases.changes import Put, Steps, altered, places, value_at
from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.faults import OF_PRESENCE
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import join

UNDER = "under:"


@dataclass(frozen=True)
class ControlMaker:
    contract: Contract
    message_type: MessageType
    now: datetime

    def of_fault(self, rule: Rule, fault: Case) -> Iterator[Case]:
        """Yields a control for each property value that changes the condition of the rule from true to false, or from false to
        true. Yields nothing for a rule without a condition.
        """
        condition = self._condition(fault) if rule.condition or rule.keyword in OF_PRESENCE else None
        if condition is None or not isinstance(message := fault.value, dict):
            return
        for steps in places(message, condition.site)[:1]:
            for name in condition.when.get("properties", {}):
                for value in self._others(condition, value_at(message, steps), name):
                    yield self._control(fault, (*steps, name), value, f"control:{name}={value}")

    def _condition(self, fault: Case) -> Condition | None:
        labels = [tag.removeprefix(UNDER) for tag in fault.tags if tag.startswith(UNDER)]
        known = (rule.condition for rule in self.contract.rules[self.message_type] if rule.condition)
        return next((condition for condition in known if condition.label in labels), None)

    def _others(self, condition: Condition, held: Any, name: str) -> list[Any]:
        """Returns the values of the property `name` that change the condition from true to false, or from false to true."""
        schema = self.contract.sites[self.message_type][join(condition.site, name)].schema
        now = matches(condition.when, held)
        return [value for value in self._values(join(condition.site, name), schema) if matches(condition.when, {**held, name: value}) != now]

    def _values(self, path: str, schema: Any) -> list[Any]:
        if "enum" in schema:
            return list(schema["enum"])
        scalar = types_of(schema) & {"boolean", "integer", "number", "string"}
        null = [None] if "null" in types_of(schema) else []
        return [*null, *(edges(self.contract, self.message_type).values(path)[:3] if scalar else [])]

    def _control(self, fault: Case, steps: Steps, value: Any, tag: str) -> Case:
        """Returns the control: the message of `fault` with `value` at the path `steps`. If the control is still invalid, its
        twin is the twin of `fault`, also with `value` at `steps`.
        """
        tags = (*(tag for tag in fault.tags if not tag.startswith(UNDER)), tag)
        control = self._judged(_with(fault, steps, value), tags)
        if control.label == "valid" or fault.twin is None:
            return control
        twin = self._judged(_with(fault.twin, steps, value), TWIN_TAGS)
        broken = None
        if twin.label == "valid":
            broken = confirmed(self.message_type, control.body, faults=fault.faults, tags=tags, twin=twin, now=self.now, contract=self.contract)
        return broken or replace(control, faults=fault.faults)

    def _judged(self, body: bytes, tags: tuple[str, ...]) -> Case:
        return Case.judged(self.message_type, body, tags=tags, now=self.now, contract=self.contract)


def _with(case: Case, steps: Steps, value: Any) -> bytes:
    changed = altered(case.value, steps, Put(value))
    return json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode()  # orjson cannot write integers of any size
