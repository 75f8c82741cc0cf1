"""Injects faults: one technique breaks one rule at one place of a valid message. The twin is the message without the
fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case import TWIN_TAGS, Broken, Case, Fault, compact, confirmed
from brokerfuzz.cases.changes import Change, Steps, apply, place_of, value_at
from brokerfuzz.cases.fault_wishes import breakable_places, wishes_for
from brokerfuzz.cases.techniques import FaultContext, Technique, techniques_for
from brokerfuzz.generation import message
from brokerfuzz.pointers import pointer_of
from brokerfuzz.schemas import Contract, MessageType, Rule, load_contract
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.sites import JSON_RULE


@dataclass(frozen=True)
class Faults:
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
        context = self._context(message, steps, rule)
        change = _change(context, technique)
        twin = twin or self.valid(message)
        if change is None or twin is None:
            return None
        fault = Fault(rule.id, pointer_of(place_of(steps, change)), technique.name)
        body = apply(message, steps, change)
        tags = (*tags, *technique.clock_tags(context))
        case = confirmed(
            self.message_type, body, faults=(fault,), tags=tags, twin=twin, now=self.now, contract=self.contract
        )
        return case if isinstance(case, Broken) else None

    def valid(self, message: Any, tags: tuple[str, ...] = TWIN_TAGS) -> Case | None:
        """Returns the case of a valid message, or None if a changed contract does not allow the message."""
        return confirmed(
            self.message_type, compact(message), claim="valid", tags=tags, now=self.now, contract=self.contract
        )

    def broken_bytes(self, message: Any, steps: Steps, rule: Rule, technique: Technique) -> bytes | None:
        """Like `inject`, but returns only the bytes, which the oracle has not judged."""
        change = _change(self._context(message, steps, rule), technique)
        return None if change is None else apply(message, steps, change)

    def _context(self, message: Any, steps: Steps, rule: Rule) -> FaultContext:
        schema = self.contract.sites[self.message_type][rule.site].schema
        return FaultContext(rule, schema, value_at(message, steps), self.now)

    def techniques(self, rule: Rule) -> Sequence[Technique]:
        """Returns the techniques that break the rule in an ordinary message. If several techniques create the same
        message, only the first technique is returned.
        """
        if rule.keyword == NOT_IN_FUTURE:
            return _effective_techniques(self, rule)
        return _techniques(self.contract, rule)

    def unbroken(self) -> list[Rule]:
        """Returns the rules that no technique can break. Only a changed contract has such rules."""
        return [rule for rule in self.contract.rules[self.message_type] if not self.techniques(rule)]


def _change(context: FaultContext, technique: Technique) -> Change | None:
    if context.rule.keyword in (JSON_RULE, "additionalProperties") and not isinstance(context.present, dict):
        return None  # an own contract can allow other types as well
    return technique.change(context)


@once_per_contract
def _techniques(contract: Contract, rule: Rule) -> Sequence[Technique]:
    return _effective_techniques(Faults(contract, rule.message_type, None), rule)


def _effective_techniques(faults: Faults, rule: Rule) -> Sequence[Technique]:
    """Only the rules of a changed contract can contradict each other, so only then the oracle must judge each
    message.
    """
    contract = faults.contract
    ordinary = message(contract, rule.message_type, wishes=wishes_for(contract, rule))
    places = breakable_places(rule, ordinary)
    if not places:
        return ()
    twin = faults.valid(ordinary) if contract is not load_contract() else None
    different: dict[bytes, Technique] = {}
    for technique in techniques_for(rule):
        if contract is load_contract():
            body = faults.broken_bytes(ordinary, places[0], rule, technique)
        else:
            case = twin and faults.inject(ordinary, places[0], rule, technique, twin=twin)
            body = case.body if case else None
        if body is not None:
            different.setdefault(body, technique)
    return list(different.values())
