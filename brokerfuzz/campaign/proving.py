"""Sends the messages that can prove a rejection: the twin of the case, or the plain message with the same fault.

If the target also rejects the twin, it probably rejects the case for the same reason, not because of the fault. So
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
from brokerfuzz.campaign.twins import twin_of
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fault_wishes import breakable_places
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.techniques import TECHNIQUES


class Proving:
    """Proves rejections with twins and with the plain message, if the target has accepted it."""

    def __init__(self, sender: Sender, judge: Judge) -> None:
        self._sender, self._judge = sender, judge

    async def proved(self, asked: CaseAnswers) -> CaseAnswers:
        """Sends the twin of a rejected case. Returns the answers to the case, or those to the plain message with the
        same fault, which replace them. Raises `TargetLostError`.
        """
        sender, plain = self._sender, self._sender.contact.case
        asked.is_conflict = sender.is_conflict(asked.case, asked.answer)
        twin = twin_of(asked.case, asked.verdict, plain, self._judge)
        if twin is not None and sender.can_send(twin):
            asked.twin, asked.twin_answer = twin, await sender.ask("twin", asked.number, twin)
        if plain is None or not asked.is_twin_rejected or asked.is_conflict:
            return asked
        again = self._with_fault(plain, asked.case)
        if again is None or not sender.can_send(again):
            return asked
        answer = await sender.ask("retest", asked.number, again)
        found = CaseAnswers(asked.number, again, self._judge.verdict(again), answer, plain, sender.contact.answer)
        return asked if found.needs_proof and not await self._still_accepts(plain, found) else found

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
        answer = await self._sender.ask("retest", found.number, plain, again=True)
        return answer.kind == "accepted"
