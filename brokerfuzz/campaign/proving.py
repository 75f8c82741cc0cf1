"""Sends the twins of rejected messages. If the target accepts the twin, which lacks only the fault, it rejects the
message because of the fault.
"""

from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.known_identifiers import KnownIdentifiers
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.twins import twin_of


class Proving:
    def __init__(self, sender: Sender, judge: Judge, known_identifiers: KnownIdentifiers) -> None:
        self._sender, self._judge = sender, judge
        self._known_identifiers = known_identifiers

    async def prove(self, asked: CaseAnswers) -> None:
        """Adds the answer to the twin of a rejected case. If a valid message was rejected because the target already
        knows its number, replaces the answer with the one that counts. Raises `TargetLostError`.
        """
        if asked.answer.kind == "accepted":
            self._known_identifiers.add_accepted(asked.case)
        elif asked.needs_proof:
            await self._ask_twin(asked)
        elif asked.contradiction == "valid-rejected":
            asked.answer = await self._known_identifiers.answer_that_counts(asked.number, asked.case, asked.answer)

    async def _ask_twin(self, asked: CaseAnswers) -> None:
        asked.identifiers = self._judge.identifiers(asked.case)
        asked.is_conflict = self._sender.is_conflict(asked.case, asked.answer, asked.identifiers)
        twin = twin_of(asked.case, asked.verdict, self._sender.plain, self._judge)
        if twin is None or not self._sender.can_send(twin):
            return
        answer = await self._sender.ask("twin", asked.number, twin)
        asked.twin = twin
        asked.twin_answer = await self._known_identifiers.answer_that_counts(asked.number, twin, answer)
        asked.is_conflict = asked.is_conflict or asked.twin_answer is not answer
        asked.is_twin_stored = self._sender.is_stored(twin)
