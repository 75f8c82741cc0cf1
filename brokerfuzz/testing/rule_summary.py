"""Counts the rules that the tests of a session exercised, and prints a summary at the end."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brokerfuzz.cases.case import Case
    from brokerfuzz.cases.plan import Plan

RECORD = "brokerfuzz"
"""The attribute of a pytest report that contains the record of the test. pytest-xdist sends the attributes of reports
as JSON.
"""
_MOST_NAMES = 5


def record_of(
    plan: "Plan", cases: "Iterable[Case]", failed: "Iterable[Case]", accepted: Iterable[str]
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
            found = twins.setdefault(broken.rule, [])
            if case.twin_id is not None and case.twin_id not in found:
                found.append(case.twin_id)
        if case.label == "valid" and case.id not in wrong:
            valid.append(case.id)
    return {"message_type": plan.message_type, "contract": plan.contract, "twins": twins, "accepted": valid}


class RuleSummary:
    """Collects the records of all tests. pytest calls the methods whose names begin with `pytest_`."""

    def __init__(self) -> None:
        self._twins: dict[tuple[str | None, str], dict[str, set[str]]] = {}
        """The key is a contract folder and a message type. The value maps the ID of each exercised rule to the IDs of
        twins: the valid counterparts of the cases that break the rule.
        """
        self._accepted: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if (record := getattr(report, RECORD, None)) is not None:
            rules = self._twins.setdefault((record["contract"], record["message_type"]), {})
            for rule, twins in record["twins"].items():
                rules.setdefault(rule, set()).update(twins)
            self._accepted.update(record["accepted"])

    def pytest_terminal_summary(self, terminalreporter: Any, config: Any) -> None:
        if self._twins:
            terminalreporter.section(RECORD)
            for line in self.lines(_MOST_NAMES if config.get_verbosity() <= 0 else None):
                terminalreporter.line(line)

    def lines(self, limit: int | None) -> Iterator[str]:
        from brokerfuzz.cases.rule_names import rule_names
        from brokerfuzz.schemas import load_contract

        for (folder, message_type), exercised in self._twins.items():
            contract = load_contract(folder)
            names = rule_names(contract)
            every = [rule.id for rule in contract.rules[message_type]]
            missing = [names[rule] for rule in every if rule not in exercised]
            unproven = [names.get(rule, rule) for rule, twins in exercised.items() if not twins & self._accepted]
            exercised_rules = len(every) - len(missing)
            yield (
                f"{message_type}: {exercised_rules:,} of {len(every):,} rules exercised, {len(unproven):,} "
                f"unproven, {len(missing):,} missing"
            )
            if unproven:
                yield (
                    "  unproven (no test showed that a twin, the valid counterpart, is accepted): "
                    f"{_some(unproven, limit)}"
                )
            if missing:
                yield f"  missing (no test ran a case that breaks the rule): {_some(missing, limit)}"


def _some(names: list[str], limit: int | None) -> str:
    shown = names if limit is None else names[:limit]
    left = len(names) - len(shown)
    return ", ".join(shown) + (f" and {left:,} more (-v lists them)" if left else "")
