"""Checks what the record of a case states in addition to the verdict: the techniques, the places of the faults, and the tags."""

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.known_tags import is_known
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import CorpusError, quoted, shortened
from brokerfuzz.schemas import Contract


def check_claims(case: Case, contract: Contract) -> None:
    """Raises `CorpusError` if a fault is wrong, or if a tag does not describe the case. A fault is wrong if its technique cannot
    break its rule, or if the message does not break this rule at the fault's place.
    """
    broken = {(violation.rule, violation.at) for violation in case.verdict.broken}
    for fault in case.faults:
        technique = TECHNIQUES.get(fault.technique)
        if technique is None:
            raise CorpusError(f"the case has the unknown technique {quoted(fault.technique)}: `brokerfuzz rules --techniques` lists all techniques")
        if contract.rules_by_id[fault.rule].keyword not in technique.keywords:
            raise CorpusError(f"the technique {fault.technique} cannot break the rule {fault.rule} of the case: export the corpus again")
        if (fault.rule, fault.at) not in broken:
            places = ", ".join(sorted(at or "the root" for rule, at in broken if rule == fault.rule))
            raise CorpusError(
                f"the case says that its fault is at {quoted(fault.at)}, but its message breaks {fault.rule} at {shortened(places, 400)}"
            )
    for tag in case.tags:
        if not is_known(tag, case, contract):
            raise CorpusError(f"the tag {quoted(tag)} does not describe the case: remove this tag")
