"""Retests a rejection that is unproven because the target also rejects the twin.

The target probably rejects the invalid message and its twin for the same reason, not because of the fault. So
brokerfuzz injects the same fault into the plain message, which the target accepts, and sends the result.

    fault    pageCount: 0, comments: "it's"    rejected   unproven
    twin     pageCount: 1, comments: "it's"    rejected
    plain    pageCount: 1, comments: "A"       accepted
    again    pageCount: 0, comments: "A"       accepted: a finding

In the results, the answer to the changed message replaces the answer to the original message.
"""

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fault_wishes import breakable_places
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.techniques import TECHNIQUES


class Retesting:
    """Retests rejections with the plain message, if the target has accepted it."""

    def __init__(self, sender: Sender, judge: Judge) -> None:
        self._sender, self._judge = sender, judge
        self._checked: set[str] = set()
        """The messages after whose rejection the target still accepted the plain message."""

    async def retested(self, asked: CaseAnswers) -> CaseAnswers | None:
        """Returns the answers that replace those to a case, or None if a retest is not necessary, or proves nothing.
        Raises `TargetLostError`.
        """
        plain, sender = self._sender.contact.case, self._sender
        if plain is None or not asked.is_twin_rejected or asked.is_conflict:
            return None
        again = self._with_fault(plain, asked.case)
        if again is None or not sender.can_send(again):
            return None
        answer = await sender.ask("retest", asked.number, again)
        found = CaseAnswers(asked.number, again, self._judge.verdict(again), answer, plain, sender.contact.answer)
        if found.needs_proof and not await self._still_accepts(plain, found):
            return None
        return found

    def _with_fault(self, plain: Case, case: Case) -> Case | None:
        """Returns the plain message with the fault of a case, or None if it has no such place."""
        if len(case.faults) != 1 or case.headers:
            return None
        rule, technique = self._judge.demands.rule(case.faults[0].rule), TECHNIQUES[case.faults[0].technique]
        places = breakable_places(rule, plain.value)
        faults = Faults(self._judge.demands, plain.message_type, self._judge.now)
        return faults.inject(plain.value, places[0], rule, technique, twin=plain) if places else None

    async def _still_accepts(self, plain: Case, found: CaseAnswers) -> bool:
        """Sends the plain message again, because a target that meanwhile rejects everything proves nothing."""
        if self._sender.is_conflict(found.case, found.answer):
            return False
        if found.case.id not in self._checked:
            answer = await self._sender.ask("retest", found.number, plain, again=True)
            if answer.kind != "accepted":
                return False
            self._checked.add(found.case.id)
        return True
