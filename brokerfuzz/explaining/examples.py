"""Finds small example messages for rules, techniques and ambiguities, each with its twin (a valid message that differs in one place)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from brokerfuzz.cases.case import Case, compact, confirmed
from brokerfuzz.cases.changes import apply, places
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_with_place
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.techniques import Technique, techniques_for
from brokerfuzz.schemas import MESSAGE_TYPES, Ambiguity, Contract, MessageType, Rule
from brokerfuzz.schemas.contract import known_message_type
from brokerfuzz.schemas.flattening import Schema


def of_rule(contract: Contract, rule: Rule, now: datetime) -> Case | None:
    """Returns a case that breaks the rule, or None if no technique breaks the rule."""
    return next(_faults(contract, rule, techniques_for(rule), now), None)


def of_technique(contract: Contract, technique: Technique, now: datetime) -> Case | None:
    """Returns a case that uses the technique, or None if the technique breaks no rule.

    If the smallest message contains no value that the technique can change, the case contains all properties.
    """
    known = [rule for message_type in MESSAGE_TYPES for rule in contract.rules[message_type] if rule.keyword in technique.keywords]
    smallest = (case for rule in known for case in _faults(contract, rule, [technique], now))
    complete = (_maker(contract, rule, now).case(rule, technique) for rule in known)
    return next(filter(None, chain(smallest, complete)), None)


def of_ambiguity(contract: Contract, ambiguity: Ambiguity, now: datetime) -> Case | None:
    """Returns a case that touches the ambiguity, with a twin. Returns None if no message can touch the ambiguity."""
    for message_type in MESSAGE_TYPES:
        maker = ProbeMaker(contract, message_type, now)
        if not ambiguity.concerns(message_type):
            continue
        for site in maker.sites(ambiguity):
            message = _smallest(contract, message_type, schema_with_place(contract, message_type, maker.path(site)))
            for name, steps, change in maker.probes(ambiguity, site, message):
                twin = confirmed(message_type, compact(message), claim="valid", now=now, contract=contract)
                case = maker.case(ambiguity, name, apply(message, steps, change))
                if case is not None:
                    return replace(case, twin=twin)
    return None


def _faults(contract: Contract, rule: Rule, techniques: list[Technique], now: datetime) -> Iterator[Case]:
    maker = _maker(contract, rule, now)
    message = _smallest(contract, maker.message_type, maker.breakable_schema(rule))
    steps = places(message, rule.site)[0]  # `breakable_schema` guarantees that the value exists
    for technique in techniques:
        case = maker.broken(message, steps, rule, technique)
        if case is not None:
            yield case


def _maker(contract: Contract, rule: Rule, now: datetime) -> FaultMaker:
    return FaultMaker(contract, known_message_type(rule.message_type), now)


def _smallest(contract: Contract, message_type: MessageType, narrowed: Schema) -> Any:
    return build(contract, message_type, MessagePlan(full=False).narrow(narrowed))
