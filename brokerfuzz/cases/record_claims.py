"""Checks what the record of a case states in addition to the verdict: the techniques and the places of the faults."""

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import CorpusError, quoted, shortened
from brokerfuzz.schemas import Contract


def check_faults(case: Case, contract: Contract) -> None:
    """Raises `CorpusError` if a fault is wrong: its technique cannot break its rule, or the message does not break this
    rule at its place.
    """
    broken = {(violation.rule, violation.at) for violation in case.verdict.broken}
    for fault in case.faults:
        technique = TECHNIQUES.get(fault.technique)
        if technique is None:
            raise CorpusError(
                f"the case has the unknown technique {quoted(fault.technique)}: `brokerfuzz rules --techniques` lists "
                "all techniques"
            )
        if contract.rules_by_id[fault.rule].keyword not in technique.keywords:
            raise CorpusError(
                f"the technique {fault.technique} cannot break the rule {fault.rule} of the case: export the corpus "
                "again"
            )
        if (fault.rule, fault.at) not in broken:
            places = ", ".join(sorted(at or "the root" for rule, at in broken if rule == fault.rule))
            raise CorpusError(
                f"the case says that its fault is at {quoted(fault.at)}, but its message breaks {fault.rule} at "
                f"{shortened(places, 400)}"
            )
