"""Finds out what a corpus does not cover if it has no time-dependent cases (cases whose verdict depends on the current
time).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.generation.edge_values import EARLIEST_NOW
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE


def covered_only_with_clock(plan: Plan) -> Mapping[str, Sequence[str]]:
    """Returns the selected rules, techniques and ambiguities that only time-dependent cases cover."""
    with_clock, without = _covered(plan, EARLIEST_NOW), _covered(plan, None)
    missing = {kind: [name for name in names if name not in without[kind]] for kind, names in with_clock.items()}
    return {kind: names for kind, names in missing.items() if names}


def _covered(plan: Plan, now: datetime | None) -> dict[str, list[str]]:
    contract, chosen = plan.demands, plan.chosen
    faults, probes = Faults(contract, plan.message_type, now), ProbeMaker(contract, plan.message_type, now)
    covered: dict[str, list[str]] = {"rules": [], "techniques": [], "ambiguities": []}
    for rule in contract.rules[plan.message_type] if "invalid" in plan.verdicts else ():
        if rule.keyword == NOT_IN_FUTURE and (chosen.rules is None or rule.id in chosen.rules):
            techniques = [
                technique.name
                for technique in faults.techniques(rule)
                if chosen.techniques is None or technique.name in chosen.techniques
            ]
            covered["techniques"] += techniques
            covered["rules"] += [rule.id] if techniques else []
    for ambiguity in contract.ambiguities if "unspecified" in plan.verdicts and not chosen.only_faults else ():
        if next(probes.of_ambiguity(ambiguity), None) is not None:
            covered["ambiguities"].append(ambiguity.id)
    return covered
