"""Finds out what a corpus does not cover if it has no time-dependent cases (cases whose verdict depends on the current
time).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from brokerfuzz.cases.plan import Plan
from brokerfuzz.generation.edge_values import EARLIEST_NOW


def covered_only_with_clock(plan: Plan) -> Mapping[str, Sequence[str]]:
    """Returns the selected rules, techniques and ambiguities that only time-dependent cases cover."""
    with_clock, without = _covered(plan, EARLIEST_NOW), _covered(plan, None)
    missing = {kind: [name for name in names if name not in without[kind]] for kind, names in with_clock.items()}
    return {kind: names for kind, names in missing.items() if names}


def _covered(plan: Plan, now: datetime | None) -> dict[str, dict[str, None]]:
    cases = replace(plan, now=now).catalogue_cases()
    faults = [fault for case in cases for fault in case.faults]
    touched = [touch.ambiguity for case in cases if case.label == "unspecified" for touch in case.verdict.ambiguities]
    return {
        "rules": dict.fromkeys(fault.rule for fault in faults),
        "techniques": dict.fromkeys(fault.technique for fault in faults),
        "ambiguities": dict.fromkeys(touched),
    }
