"""Counts the rules that the tests of a session exercised, and prints a summary at the end."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brokerfuzz.cases.case import Case
    from brokerfuzz.schemas import Contract, Violation
    from brokerfuzz.testing.parametrizing import ChosenCases

RECORD = "brokerfuzz"
"""The attribute of a pytest report that contains the record of the test. pytest-xdist sends the attributes of reports
as JSON.
"""
_MOST_NAMES = 5


def rule_record(
    chosen: "ChosenCases", cases: "Iterable[Case]", failed: "Iterable[Case]", accepted: Iterable[str]
) -> dict[str, Any]:
    """Returns the data of a test for `RuleSummary`. In this data, `twins` maps each exercised rule to the IDs of twins:
    the valid counterparts of the cases that break the rule. `accepted` lists the IDs of all valid messages that the
    target accepted; the argument contains only those of twins.
    """
    wrong = {case.id for case in failed}
    twins: dict[str, list[str]] = {}
    valid = list(accepted)
    for case in cases:
        for broken in case.verdict.broken:
            if case.twin_id is not None and _exercises(broken, chosen.contract):
                twins.setdefault(broken.rule, []).append(case.twin_id)
        if case.label == "valid" and case.id not in wrong:
            valid.append(case.id)
    plan = chosen.plan
    return {
        "message_type": plan.message_type,
        "contract": plan.contract,
        "rules": plan.rules if "invalid" in plan.verdicts else None,
        "twins": twins,
        "accepted": valid,
    }


def _exercises(broken: "Violation", contract: "Contract") -> bool:
    """Some programs read only the first item of an array, so a fault there does not exercise the rule."""
    from brokerfuzz.cases.fault_wishes import arrays_with_later_items

    rule = contract.rules_by_id[broken.rule]
    indexes = [int(step) for step in broken.at.split("/") if step.isdigit()]
    return any(indexes) or not arrays_with_later_items(contract, rule)


class RuleSummary:
    """Collects the records of all tests. pytest calls the methods whose names begin with `pytest_`."""

    def __init__(self) -> None:
        self._exercised: dict[tuple[str | None, str], ExercisedRules] = {}
        """The key is a contract folder and a message type."""
        self._accepted: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if (record := getattr(report, RECORD, None)) is not None:
            rules = self._exercised.setdefault((record["contract"], record["message_type"]), ExercisedRules())
            rules.add(record)
            self._accepted.update(record["accepted"])

    def pytest_terminal_summary(self, terminalreporter: Any, config: Any) -> None:
        lines = list(self.lines(is_verbose=config.get_verbosity() > 0))
        if lines:
            terminalreporter.section(RECORD)
        for line in lines:
            terminalreporter.line(line)

    def lines(self, *, is_verbose: bool) -> Iterator[str]:
        from brokerfuzz.cases.rule_names import rule_names
        from brokerfuzz.schemas import load_contract

        for (folder, message_type), exercised in self._exercised.items():
            contract = load_contract(folder)
            names = rule_names(contract)
            rules = [rule.id for rule in contract.rules[message_type]]
            chosen = exercised.chosen(contract, rules)
            if not chosen:  # the tests send only valid messages
                continue
            missing = [names[rule] for rule in chosen if rule not in exercised.twins]
            unproven = [names.get(rule, rule) for rule, twins in exercised.twins.items() if not twins & self._accepted]
            kind = "rules" if len(chosen) == len(rules) else "chosen rules"
            yield (
                f"{message_type}: {len(chosen) - len(missing):,} of {len(chosen):,} {kind} exercised, "
                f"{len(unproven):,} unproven, {len(missing):,} missing"
            )
            if unproven:
                yield "  unproven (no test showed that a twin, the valid counterpart, is accepted):"
                yield from _listed(unproven, is_verbose=is_verbose)
            if missing:
                yield "  missing (no test broke the rule, in arrays in a later item):"
                yield from _listed(missing, is_verbose=is_verbose)


class ExercisedRules:
    """The rules of a message type that the tests chose and exercised. `twins` maps the ID of each exercised rule to the
    IDs of twins: the valid counterparts of the cases that break the rule.
    """

    def __init__(self) -> None:
        self.twins: dict[str, set[str]] = {}
        self._patterns: list[list[str]] = []

    def add(self, record: dict[str, Any]) -> None:
        for rule, twins in record["twins"].items():
            self.twins.setdefault(rule, set()).update(twins)
        if record["rules"] is not None and record["rules"] not in self._patterns:
            self._patterns.append(record["rules"])

    def chosen(self, contract: "Contract", rules: list[str]) -> list[str]:
        """Returns those of the `rules` that at least one test chose."""
        from brokerfuzz.cases.case_filters import selection

        chosen: set[str] = set()
        for patterns in self._patterns:
            selected = selection(contract, patterns).rules
            chosen.update(rules if selected is None else selected)
        return [rule for rule in rules if rule in chosen]


def _listed(names: list[str], *, is_verbose: bool) -> Iterator[str]:
    if is_verbose:
        yield from (f"    {name}" for name in names)
        return
    hidden = len(names) - _MOST_NAMES
    more = f" and {hidden:,} more (-v lists them)" if hidden > 0 else ""
    yield f"    {', '.join(names[:_MOST_NAMES])}{more}"
