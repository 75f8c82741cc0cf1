"""Decides whether a failure was caused by the message or by the target.

A crash or a timeout may have nothing to do with the message, because the target may be down. The same applies to an answer that
asks the client to wait (such as status 429). A failure counts only after the target has answered a message that was sent after the
failure. This answer shows that the target works. If all requests fail, `TargetHealth` sends the plain message (an ordinary valid
message). If the plain message fails too, no other message is sent until the target answers again. Then the failed messages are sent
once more, one at a time, so that only the message that really caused a failure counts. A message whose connection failed is always
sent once more, because another message may have broken the connection. A target that does not answer again within `patience`
seconds is lost.

    16 messages   timeout   the plain message: timeout, a pause, the plain message: accepted
    again         15 accepted, 1 timeout: this message counts

If the target accepted an earlier message, the statuses 401, 403, 407 and 429 also count as failures, because credentials may have
expired.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.proof import ABOUT_THE_CLIENT
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer

FIRST_PAUSE = 0.25
"""The number of seconds until the first attempt to reach the target again. Each further pause is twice as long."""

Send = Callable[[], Awaitable[Answer]]


@dataclass(frozen=True)
class FirstContact:
    """The first plain message that the target accepted, and the answer to this message.

    If the target accepted no plain message, `case` is another message that the target answered: a plain message or `{}`. If the
    target answered no message, `case` and `answer` are None. `rejected` is the number of plain messages that the target answered,
    but did not accept.
    """

    case: Case | None = None
    answer: Answer | None = None
    rejected: int = 0

    @property
    def accepted(self) -> bool:
        return self.answer is not None and self.answer.kind == "accepted" and self.case is not None and self.case.label == "valid"


class TargetLostError(Exception):
    """The target no longer answers, or it rejects every message.

    `answer` is the answer to the last message. `rejecting` is true if the target answers, but rejects a message that it accepted
    before. `sent` is false if the target was already lost before the message was sent.
    """

    def __init__(self, reason: str, answer: Answer, *, rejecting: bool = False, sent: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.answer, self.rejecting, self.sent = reason, answer, rejecting, sent


@dataclass
class _Suspect:
    """A message that failed, perhaps for a reason other than the message itself. `sent_before` is the number of the last message
    that was sent before the answer arrived.
    """

    answer: Answer
    send: Send
    sent_before: int
    decided: "asyncio.Future[Answer]"


class TargetHealth:
    """Sends messages, and decides whether their failures count. The function `ask` sends the plain message. The target is lost if
    it gives no usual answer (see `is_usual`) within `patience` seconds. If `isolated` is true, each message has its own process, so
    a message cannot crash the process of another message. As long as `contact` contains no answer, `checked` sends each message
    only once and immediately returns its answer.
    """

    def __init__(self, ask: Send, patience: float, *, isolated: bool = False) -> None:
        self.contact = FirstContact()
        self.lost: TargetLostError | None = None
        self.is_waiting = False
        self._ask, self._patience, self._isolated = ask, patience, isolated
        self._sent = self._under_way = 0
        self._suspects: list[_Suspect] = []
        self._is_checking = self._accepted = False
        self._gate: asyncio.Future[None] | None = None
        """While this future is pending, no further message is sent."""

    async def checked(self, send: Send) -> Answer:
        """Sends a message, and returns the answer. If the message fails, the method first finds out whether the target works, and
        may send the message once more. Raises `TargetLostError` if the target is lost.
        """
        if self.contact.answer is None:
            return _reached(await send())
        while self._gate is not None:
            await asyncio.shield(self._gate)
        if self.lost is not None:
            raise TargetLostError(self.lost.reason, self.lost.answer, rejecting=self.lost.rejecting, sent=False)
        self._sent += 1
        number = self._sent
        self._under_way += 1
        try:
            answer = await send()
        finally:
            self._under_way -= 1
        if self._is_suspect(answer):
            return await self._decision(answer, send)
        self._accepted = self._accepted or answer.kind == "accepted"
        if self._suspects:
            self._confirm_failures_before(number)
        if self._suspects:
            await self._check_if_idle()
        return answer

    def _is_suspect(self, answer: Answer) -> bool:
        rejecting = answer.status in ABOUT_THE_CLIENT and (self._accepted or self.contact.accepted)
        return rejecting or not answer.reached or answer.kind in ("crashed", "timeout")

    def _confirm_failures_before(self, number: int) -> None:
        """The target has answered message `number`, so it works. Each failure that arrived before this message was sent now counts.
        Failed connections do not count yet, because another message may have broken the connection.
        """
        for suspect in [one for one in self._suspects if one.sent_before < number and not self._has_lost_connection(one.answer)]:
            suspect.decided.set_result(suspect.answer)
            self._suspects.remove(suspect)

    def _has_lost_connection(self, answer: Answer) -> bool:
        return answer.kind == "crashed" and answer.status is None and not self._isolated

    async def _decision(self, answer: Answer, send: Send) -> Answer:
        suspect = _Suspect(answer, send, self._sent, asyncio.get_running_loop().create_future())
        self._suspects.append(suspect)
        if self._has_lost_connection(answer):
            self._close_gate()
        try:
            await self._check_if_idle()
            return await suspect.decided
        finally:
            if suspect in self._suspects:
                self._suspects.remove(suspect)

    # ------------------------------------------------------------------------------------------------ outages

    def _close_gate(self) -> None:
        if self._gate is None:
            self._gate = asyncio.get_running_loop().create_future()

    async def _check_if_idle(self) -> None:
        """Checks the target only if no other message waits for an answer, because such an answer may already show that the target works."""
        if not self._under_way and not self._is_checking:
            await self._check()

    async def _check(self) -> None:
        """Sends the plain message. The answer decides whether the failures count, or whether the failed messages are sent again."""
        self._close_gate()
        self._is_checking = True
        try:
            is_up = self.is_usual(await self._ask())
            if not is_up:
                await self._wait()
            for suspect in list(self._suspects):
                certain = is_up and not self._has_lost_connection(suspect.answer)
                suspect.decided.set_result(suspect.answer if certain else await self._alone(suspect))
            self._suspects.clear()
        except TargetLostError as lost:
            self.lost = lost
            for suspect in self._suspects:
                if not suspect.decided.done():
                    suspect.decided.set_exception(TargetLostError(lost.reason, suspect.answer, rejecting=lost.rejecting))
        finally:
            self._is_checking = False
            self._open_gate()

    def _open_gate(self) -> None:
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.set_result(None)

    async def _alone(self, suspect: _Suspect) -> Answer:
        """Sends a message while no other message waits for an answer, so that only this message can cause a failure."""
        answer = await suspect.send()
        if not self._is_suspect(answer):
            return answer
        if not self.is_usual(await self._ask()):
            await self._wait()
        return answer._replace(reached=True) if answer.kind == "crashed" and answer.status is None else answer

    async def _wait(self) -> None:
        """Waits until the target gives the usual answer to the plain message. Raises `TargetLostError` if this takes more than `patience` seconds."""
        answer = await self.retried(self._ask, self.is_usual)
        if not self.is_usual(answer):
            raise _lost(answer)

    async def retried(self, send: Send, is_enough: Callable[[Answer], bool]) -> Answer:
        """Sends a message again after longer and longer pauses. Returns the first answer that `is_enough` accepts, or the last
        answer after `patience` seconds.
        """
        deadline, pause = monotonic() + self._patience, FIRST_PAUSE
        self.is_waiting = True
        try:
            while True:
                await asyncio.sleep(max(min(pause, deadline - monotonic()), 0))
                pause *= 2
                answer = await send()
                if is_enough(answer) or monotonic() >= deadline:
                    return answer
        finally:
            self.is_waiting = False

    def is_usual(self, answer: Answer) -> bool:
        """Returns whether this answer to the plain message shows that the target works. A crash, or a status such as 401, is usual
        only if the first answer was the same.
        """
        first = self.contact.answer
        if first is None or not is_answer(answer):
            return False
        if answer.status in ABOUT_THE_CLIENT and answer.status != first.status:
            return False
        return answer.kind != "crashed" or first.kind == "crashed"


def is_answer(answer: Answer) -> bool:
    """Returns whether the target answered, correctly or not."""
    return answer.reached and answer.kind != "timeout"


def _reached(answer: Answer) -> Answer:
    if not answer.reached:
        raise _lost(answer)
    return answer


def _lost(answer: Answer) -> TargetLostError:
    if answer.status in ABOUT_THE_CLIENT and answer.reached:
        return TargetLostError(f"the target now rejects an ordinary valid message that it accepted before ({answer.reason})", answer, rejecting=True)
    return TargetLostError(f"the target stopped answering ({answer.reason})", answer)
