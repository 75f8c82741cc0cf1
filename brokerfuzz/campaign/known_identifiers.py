"""Finds out whether a target rejects valid messages because it already knows an identifier, such as their number. The
contract does not say whether it may.

    number A      rejected
    number A-1    accepted: the number may be the reason
    number A-2    accepted, and rejected when the same message is sent again
    number A-3    accepted, and rejected when the same message is sent again
    ...           the number is the reason, so the answer to A-1 counts

Without the further numbers, a target that rejects some messages at random, or numbers that are too short, would look
like this, too. If the target accepts known numbers, brokerfuzz finds out soon, and tries no others:

    number A      accepted, and accepted when the same message is sent again
"""

import asyncio
from collections import Counter
from contextlib import suppress

from brokerfuzz.campaign.exchanges import RecentAnswers
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.usual_answers import CONFLICT
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.schemas import MessageType
from brokerfuzz.targets import Answer

_STATUSES = (None, 400, CONFLICT, 422)
"""The statuses with which targets reject identifiers that they know. Programs have no status."""
_REPEATED = 12
"""The maximum number of further identifiers that are sent twice."""
_REJECTED = 4
"""The number of repeated identifiers that must be rejected."""
_TRIES = 3
"""The number of messages with which brokerfuzz tries to show this for each status."""
_ACCEPTED = 4
"""If this number of accepted messages is accepted again, the target does not reject known identifiers."""


def may_concern_identifiers(answer: Answer) -> bool:
    return answer.kind == "rejected" and answer.status in _STATUSES


class KnownIdentifiers:
    """`count` is the number of valid messages that were accepted only with other identifiers, and `names` are the
    properties whose values the target already knew.
    """

    def __init__(self, sender: Sender, judge: Judge) -> None:
        self.names = set[str]()
        self.count = 0
        self._sender, self._judge = sender, judge
        self._confirmed: set[int | None] = {CONFLICT} if sender.uses_fresh_values else set()
        """The statuses with which the target rejects known identifiers. With `--fresh`, no message can be repeated to
        show this, so status 409 is believed.
        """
        self._tries = Counter[int | None]()
        self._answers = RecentAnswers[str]()
        """The answers that count, for the messages that were rejected because of their identifiers."""
        self._accepted: dict[str, Case] = {}
        """Maps the properties to the last message with a value that the target accepted."""
        self._accepted_again = Counter[str]()
        self._lock = asyncio.Lock()

    def add_accepted(self, case: Case) -> None:
        self._accepted |= dict.fromkeys(self._present(case), case)

    def names_of(self, message_type: MessageType) -> tuple[str, ...]:
        """Returns the `names` in the order of the contract."""
        identifiers = self._judge.contract.identifiers(message_type)
        return tuple(name for name in identifiers if name in self.names)

    async def answer_that_counts(self, number: int, case: Case, answer: Answer) -> Answer:
        """Returns the answer to a valid message, or to the same message with other identifiers if the target rejected
        the message because of its identifiers. It may then reject the message for another reason.

        An empty identifier changes only after status 409, because it may be the reason of another status.
        """
        if case.id in self._answers:
            return self._answers[case.id]
        status = answer.status
        identifiers = self._judge.identifiers(case)
        if not may_concern_identifiers(answer) or self._is_refuted(status) or self._sender.is_fresh(case, identifiers):
            return answer
        if status not in self._confirmed and await self._accepts_known_identifiers(number, case):
            return answer
        answer_to_another = await self.answer_to_another(number, case, fills_empty=status == CONFLICT)
        if answer_to_another is None:
            return answer
        if answer_to_another.kind != "accepted":
            has_another_reason = status == CONFLICT != answer_to_another.status
            return answer_to_another if has_another_reason else answer
        async with self._lock:
            if not await self._rejects_known_identifiers(number, case, status):
                return answer
        self.names |= await self._sufficient_names(number, case)
        self.count += case.id not in self._answers
        self._answers[case.id] = answer_to_another
        return answer_to_another

    async def answer_to_another(self, number: int, case: Case, *names: str, fills_empty: bool = False) -> Answer | None:
        """Sends a case with other identifiers, or only with another value of the properties `names`. Returns None if it
        has none.
        """
        body = self._renamed(case, *names, fills_empty=fills_empty)
        return None if body is case.body else await self._sender.ask("renamed", number, case, body)

    async def known_names(self, number: int, case: Case) -> set[str]:
        """Returns the properties whose other values let the target accept a rejected case, if there are any."""
        answer = await self.answer_to_another(number, case)
        return await self._sufficient_names(number, case) if answer is not None and answer.kind == "accepted" else set()

    async def _sufficient_names(self, number: int, case: Case) -> set[str]:
        """Returns one of the properties if its other value is enough, or all of them."""
        identifiers = self._judge.identifiers(case)
        present = {name for name in identifiers if self._renamed(case, name, fills_empty=True) is not case.body}
        for name in sorted(present) if len(present) > 1 else ():
            answer = await self.answer_to_another(number, case, name, fills_empty=True)
            if answer is not None and answer.kind == "accepted":
                return {name}
        return present

    def _renamed(self, case: Case, *names: str, fills_empty: bool = False) -> bytes:
        identifiers = names or self._judge.identifiers(case)
        fresh = FreshValues(",".join(identifiers), self._judge.of, fills_empty=fills_empty)
        return fresh.of(case, case.body)

    def _is_refuted(self, status: int | None) -> bool:
        return status not in self._confirmed and self._tries[status] >= _TRIES

    async def _accepts_known_identifiers(self, number: int, case: Case) -> bool:
        """Sends messages again that were accepted, until it is clear for each identifier of the case."""
        names = self._present(case)
        for name in names:
            if name in self._accepted and self._accepted_again[name] < _ACCEPTED:
                answer = await self._sender.ask("renamed", number, self._accepted[name], again=True)
                self._accepted_again[name] = self._accepted_again[name] + 1 if answer.kind == "accepted" else 0
        return all(self._accepted_again[name] >= _ACCEPTED for name in names)

    async def _rejects_known_identifiers(self, number: int, case: Case, status: int | None) -> bool:
        if status in self._confirmed:
            return True
        if self._is_refuted(status):
            return False
        self._tries[status] += 1
        rejected = 0
        for _ in range(_REPEATED):
            body = self._renamed(case, fills_empty=status == CONFLICT)
            first = await self._sender.ask("renamed", number, case, body)
            second = await self._sender.ask("renamed", number, case, body, again=True)
            another = await self.answer_to_another(number, case, fills_empty=status == CONFLICT)
            if another is None or {first.kind, another.kind} != {"accepted"}:
                return False
            rejected += second.kind == "rejected"
            if rejected == _REJECTED:
                self._confirmed.add(status)
                return True
        return False

    def _present(self, case: Case) -> list[str]:
        """Returns the properties of a case that identify it."""
        with suppress(ValueError, RecursionError):  # not UTF-8, or nested too deeply
            message = case.value
            if isinstance(message, dict):
                return [name for name in self._judge.identifiers(case) if isinstance(message.get(name), str)]
        return []
