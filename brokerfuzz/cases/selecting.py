"""Choosing cases by what they are about."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import known_techniques
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Contract


@dataclass(frozen=True)
class Selection:
    """Which faults are wanted: of these rules, by these techniques; all, where None. Make it with `selection`."""

    rules: Collection[str] | None
    techniques: Collection[str] | None

    def __bool__(self) -> bool:
        return self.rules is not None or self.techniques is not None

    def wants(self, case: Case) -> bool:
        """Whether the case has a fault that is wanted."""
        return any(
            (self.rules is None or fault.rule in self.rules) and (self.techniques is None or fault.technique in self.techniques)
            for fault in case.faults
        )

    def of(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The faults that are wanted, each once and behind its twin; every case where nothing is chosen."""
        seen: set[str] = set()
        for case in cases:
            for one in ((case.twin, case) if self.wants(case) else ()) if self else (case,):
                if one is not None and one.id not in seen:
                    seen.add(one.id)
                    yield one


def selection(contract: Contract, rules: Collection[str] = (), techniques: Collection[str] = ()) -> Selection:
    """The selection of faults by rule ids (in which `*` stands for anything and `?` for one character) and names of techniques.

    Raises `UnknownNameError` for a pattern that no rule fits, and for a technique that is none.
    """
    fitting = {rule for pattern in rules for rule in _fitting(contract, pattern)} if rules else None
    return Selection(fitting, {technique.name for technique in known_techniques(techniques)} if techniques else None)


def _fitting(contract: Contract, pattern: str) -> list[str]:
    spelled = re.compile("".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in pattern))
    found = [rule for rule in contract.rules_by_id if spelled.fullmatch(rule)]
    if not found:
        raise UnknownNameError("rule", pattern, contract.rules_by_id, "`brokerfuzz rules` lists them all")
    return found
