"""Selects the cases for a test function, and groups them by rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.case_text import strangeness
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.rule_names import rule_names
from brokerfuzz.cases.testable_contract import check_testable
from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.errors import BrokerfuzzError, quoted
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels

GroupedBy = Literal["case", "rule"]


@dataclass(frozen=True)
class CaseGroup:
    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class ChosenCases:
    """The arguments of `brokerfuzz.parametrize`, which select the cases for a test function.

    Raises `UnknownNameError`, `TypeError` or `ValueError` if an argument is invalid.
    """

    message_type: MessageType
    verdicts: Sequence[Label]
    rules: Sequence[str]
    techniques: Sequence[str]
    sites: Sequence[str]
    by: GroupedBy
    contract: Contract | None

    def __post_init__(self) -> None:
        contract = known_contract(self.contract)
        contract.known_message_type(self.message_type)
        known_labels(self.verdicts)
        selection(contract, self.rules, self.techniques, sites=self.sites)
        if self.by not in ("case", "rule"):
            raise ValueError(
                f"by={quoted(self.by)} is not supported: use 'case' for one test per case, or 'rule' for one test per "
                "rule"
            )

    @property
    def folder(self) -> str | None:
        return None if self.contract is None or self.contract is load_contract() else str(self.contract.folder)

    def cases(self, *, seed: int, count: int) -> list[Case]:
        """Returns the matching essential cases (a small, fixed set of cases), and then `count` random cases. No case
        occurs twice.

        Raises `BrokerfuzzError` if no case matches, or if the contract cannot be tested.
        """
        known = known_contract(self.contract)
        chosen = selection(known, self.rules, self.techniques, sites=self.sites)
        check_testable(known, self.message_type, chosen, tuple(self.verdicts))
        names = ("verdicts", "rules", "techniques", "sites")
        filters: dict[str, Any] = {name: tuple(getattr(self, name)) for name in names}
        plan = Plan(message_type=self.message_type, contract=self.folder, **filters)
        fixed = load(self.message_type, **filters) if self.folder is None else _cases(replace(plan, scope="essential"))
        more = _cases(replace(plan, seed=seed, count=count, only_random=True)) if count else ()
        found = {case.id: case for case in (*fixed, *more)}
        if not found:
            raise BrokerfuzzError(
                "no case matches the arguments of brokerfuzz.parametrize: change verdicts, rules, techniques or sites"
            )
        return list(found.values())

    def groups(self, cases: Sequence[Case]) -> list[CaseGroup]:
        """Returns the groups. Plain cases come first in their group, because a failure shows only the first cases that
        fail.
        """
        grouped: dict[str, list[Case]] = {}
        for case in cases:
            grouped.setdefault(self._group_name(case), []).append(case)
        return [CaseGroup(name, tuple(sorted(members, key=strangeness))) for name, members in grouped.items()]

    def _group_name(self, case: Case) -> str:
        if case.label == "invalid":
            names = rule_names(known_contract(self.contract))
            return "breaks " + " and ".join(
                dict.fromkeys(names.get(entry.rule, entry.rule) for entry in case.verdict.broken)
            )
        touched = case.verdict.ambiguities if case.label == "unspecified" else ()
        return f"touches {touched[0].ambiguity}" if touched else f"{case.label} {case.message_type}"


def _cases(plan: Plan) -> Iterator[Case]:
    return (case for _, case in plan.numbered())


def names_of(cases: Sequence[Case]) -> list[str]:
    """Returns a readable name for each case. If an earlier case has the same name, the name also contains the beginning
    of the case's ID.
    """
    known: set[str] = set()
    names = []
    for case in cases:
        name = str(case)
        names.append(f"{name} {case.id[:8]}" if name in known else name)
        known.add(name)
    return names
