"""Finds small example messages for rules, techniques and ambiguities, each with its twin (a valid message that differs
in one place).
"""

from dataclasses import replace
from datetime import datetime

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.fault_wishes import wishes_at, wishes_for
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.techniques import Technique, techniques_for
from brokerfuzz.generation import COMPLETE, REQUIRED, Setting, message
from brokerfuzz.schemas import Ambiguity, Contract, Rule


def of_rule(contract: Contract, rule: Rule, now: datetime) -> Case | None:
    """Returns a case that breaks the rule, or None if no technique breaks the rule."""
    return _broken(contract, rule, techniques_for(rule), now)


def of_technique(contract: Contract, technique: Technique, now: datetime) -> Case | None:
    """Returns a case that uses the technique, or None if the technique breaks no rule.

    If the smallest message contains no value that the technique can change, the case contains all properties.
    """
    for setting in (REQUIRED, COMPLETE):
        for rule in contract.rules_by_id.values():
            if rule.keyword in technique.keywords:
                case = _broken(contract, rule, [technique], now, setting)
                if case is not None:
                    return case
    return None


def of_ambiguity(contract: Contract, ambiguity: Ambiguity, now: datetime) -> Case | None:
    """Returns a case that touches the ambiguity, with a twin. Returns None if no message can touch the ambiguity."""
    for message_type in contract.message_types:
        maker = ProbeMaker(contract, message_type, now)
        if not ambiguity.concerns(message_type):
            continue
        for asked in maker.sites(ambiguity):
            smallest = message(contract, message_type, REQUIRED, wishes_at(contract, message_type, asked.path))
            for probe in maker.probes(ambiguity, asked, smallest):
                case = maker.case(probe)
                if case is not None:
                    return replace(case, twin=FaultInjector(contract, message_type, now).valid(smallest))
    return None


def _broken(
    contract: Contract, rule: Rule, techniques: list[Technique], now: datetime, setting: Setting = REQUIRED
) -> Case | None:
    ordinary = message(contract, rule.message_type, setting, wishes_for(contract, rule))
    return FaultInjector(contract, rule.message_type, now).break_rule(ordinary, rule, techniques)
