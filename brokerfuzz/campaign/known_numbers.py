"""Finds out whether a target rejects valid messages because it already knows their number. The contract does not say
whether it may.

    number A      rejected
    number A-1    accepted: the number may be the reason
    number A-2    accepted, and rejected when the same message is sent again
    number A-3    accepted, and rejected when the same message is sent again
    ...           the number is the reason, so the answer to A-1 counts

Without the further numbers, a target that rejects some messages at random, or numbers that are too short, would look
like this, too.
"""

import asyncio
from collections import Counter

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.targets import Answer

_NUMBER = "number"
_STATUSES = (None, 400, 409, 422)
"""The statuses with which targets reject numbers that they know. Programs have no status."""
_REPEATED = 12
"""The maximum number of further numbers that are sent twice."""
_REJECTED = 4
"""The number of repeated numbers that must be rejected."""
_TRIES = 3
"""The number of messages with which brokerfuzz tries to show this for each status."""


def may_concern_number(answer: Answer) -> bool:
    return answer.kind == "rejected" and answer.status in _STATUSES


class KnownNumbers:
    """`count` is the number of valid messages that were accepted only with another number."""

    def __init__(self, sender: Sender, judge: Judge) -> None:
        self._sender = sender
        self._fresh = FreshValues(_NUMBER, judge.of)
        self._confirmed = set[int | None]()
        """The statuses with which the target rejects known numbers."""
        self._tries = Counter[int | None]()
        self._answers: dict[str, Answer] = {}
        """Maps the IDs of the messages that were rejected because of their number to the answers that count."""
        self._lock = asyncio.Lock()

    @property
    def count(self) -> int:
        return len(self._answers)

    async def answer_that_counts(self, number: int, case: Case, answer: Answer) -> Answer:
        """Returns the answer to a valid message, or to the same message with another number if the target rejected the
        message because of its number.
        """
        if case.id in self._answers:
            return self._answers[case.id]
        status = answer.status
        if not may_concern_number(answer) or self._is_refuted(status) or self._sender.is_fresh(case):
            return answer
        answer_to_another = await self.answer_to_another(number, case)
        if answer_to_another is None or answer_to_another.kind != "accepted":
            return answer
        async with self._lock:
            if self._is_refuted(status) or not await self._rejects_known_numbers(number, case, status):
                return answer
        self._answers[case.id] = answer_to_another
        return answer_to_another

    async def answer_to_another(self, number: int, case: Case) -> Answer | None:
        """Sends a case with another number. Returns None if it has no number."""
        body = self._fresh.of(case, case.body)
        return None if body is case.body else await self._sender.ask("renumbered", number, case, body)

    async def accepts_another(self, number: int, case: Case) -> bool:
        answer = await self.answer_to_another(number, case)
        return answer is not None and answer.kind == "accepted"

    def _is_refuted(self, status: int | None) -> bool:
        return status not in self._confirmed and self._tries[status] >= _TRIES

    async def _rejects_known_numbers(self, number: int, case: Case, status: int | None) -> bool:
        if status in self._confirmed:
            return True
        self._tries[status] += 1
        rejected = 0
        for _ in range(_REPEATED):
            body = self._fresh.of(case, case.body)
            first = await self._sender.ask("renumbered", number, case, body)
            second = await self._sender.ask("renumbered", number, case, body, again=True)
            another = await self.answer_to_another(number, case)
            if another is None or {first.kind, another.kind} != {"accepted"}:
                return False
            rejected += second.kind == "rejected"
            if rejected == _REJECTED:
                self._confirmed.add(status)
                return True
        return False
