"""Decides whether a failure was caused by the message or by the target.

A crash or a timeout may have nothing to do with the message: the target may be down or overloaded, or another message
may have caused the failure. After a failure, `TargetHealth` sends no other message until all messages under way are
answered. Then it sends the plain message (an ordinary valid message). If this message fails too, `TargetHealth` waits
until the target answers it again. Then the failed messages are sent once more, one at a time. Only the second answer
counts.

    16 messages   timeout   the plain message: timeout, a pause, the plain message: accepted
    again         15 accepted, 1 timeout: this message counts

Redirects and the statuses in `ABOUT_THE_CLIENT` also count as failures, because a session may have ended. A target that
does not answer again within `longest_wait` seconds is lost.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.proof import ABOUT_THE_CLIENT, UNAUTHENTICATED
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer
from brokerfuzz.targets.waiting import repeated

WITHOUT_SESSION = 3.0
"""The maximum number of seconds to wait if the target answers, but rejects the plain message. A session that has ended
rarely comes back.
"""
CERTAIN = 3
"""If a failure has occurred again this many times, messages with the same failure are no longer sent again: it would
cost too much time.
"""

Send = Callable[[], Awaitable[Answer]]


@dataclass(frozen=True)
class FirstContact:
    """The plain message that the target accepted, and the answer to this message. `is_trusted` is True if the target
    accepted another message, too. Otherwise, the answer may be a stored one, which says nothing about other messages.

    If the target accepted no plain message, `refused` contains all that were sent, and the answers. `known_names` are
    the identifiers with other values of which it accepts the first of them. Before the first contact, and if no plain
    message can be sent, there is nothing.
    """

    case: Case | None = None
    answer: Answer | None = None
    is_trusted: bool = False
    refused: tuple[tuple[Case, Answer], ...] = ()
    known_names: tuple[str, ...] = ()

    def is_stored(self, case: Case) -> bool:
        """Returns whether the answer to a case may be a stored one."""
        return self.case is not None and not self.is_trusted and case.body == self.case.body


class TargetLostError(Exception):
    """The target no longer answers, or it rejects every message.

    `answer` is the answer to the last message. `excused` is true if the target did not stop because of a message: it
    asks brokerfuzz to wait for too long, or it rejects a message that it accepted before. `sent` is false if the target
    was already lost before the message was sent.
    """

    def __init__(self, reason: str, answer: Answer, *, excused: bool = False, sent: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.answer, self.excused, self.sent = reason, answer, excused, sent


class TargetHealth:
    """Sends messages, and decides whether their failures count. The function `ask` sends the plain message. The target
    is lost if it gives no usual answer (see `is_usual`) within `longest_wait` seconds. If `isolated` is true, each
    message has its own process, so a message cannot crash the process of another message. As long as `contact` is
    empty, `checked` sends each message only once and immediately returns its answer.

    `waits_for` says why messages wait for the target, also if a time limit has ended the waiting. Otherwise, it is
    empty. `seconds_away` is how long the target was down in all outages after which it worked again.
    """

    def __init__(self, ask: Send, longest_wait: float, *, isolated: bool = False) -> None:
        self.contact = FirstContact()
        self.lost: TargetLostError | None = None
        self.waits_for = ""
        self.seconds_away = 0.0
        self._ask, self._longest_wait, self._isolated = ask, longest_wait, isolated
        self._under_way = self._failed = 0
        self._changed, self._alone = asyncio.Event(), asyncio.Lock()
        self._was_up: bool | None = None
        """None if the target was not yet checked after the current failures."""
        self._recurring: Counter[tuple[str, ...]] = Counter()

    async def checked(self, send: Send) -> tuple[Answer, Answer | None]:
        """Sends a message. If the message fails, the method waits for the messages under way, finds out whether the
        target works, and may send the message once more. Returns the answer that counts, and a failure that did not
        occur again although the target was not down, or None. Raises `TargetLostError` if the target is lost.
        """
        if self.contact.case is None:
            answer = await send()
            if not answer.reached:
                raise self._loss(answer, answer)
            return answer, None
        while self._failed:
            await self._changed.wait()
        if self.lost is not None:
            raise TargetLostError(self.lost.reason, self.lost.answer, excused=self.lost.excused, sent=False)
        self._under_way += 1
        try:
            answer = await send()
        finally:
            self._under_way -= 1
            self._wake()
        if not _is_failure(answer):
            return answer, None
        self._failed += 1
        try:
            while self._under_way:
                await self._changed.wait()
            async with self._alone:
                return await self._again(answer, send)
        finally:
            self._failed -= 1
            self._was_up = self._was_up if self._failed else None
            self._wake()

    def _wake(self) -> None:
        """Lets everything that waits for a change check its condition again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def _again(self, failed: Answer, send: Send) -> tuple[Answer, Answer | None]:
        if self.lost is not None:
            raise TargetLostError(self.lost.reason, failed, excused=self.lost.excused)
        if _gave_up(failed):
            self.lost = self._loss(failed, failed)
            raise self.lost
        if self._was_up is None:
            self._was_up = await self._is_up(failed)
        text = text_of(failed).key
        if self._was_up and self._recurring[text] >= CERTAIN and not self._has_lost_connection(failed):
            return failed, None
        answer = await send()
        if not _is_failure(answer):
            return answer, failed if self._was_up else None
        await self._is_up(answer)
        self._recurring[text] += 1
        return answer._replace(reached=True) if self._has_lost_connection(answer) else answer, None

    def _has_lost_connection(self, answer: Answer) -> bool:
        return answer.kind == "crashed" and answer.status is None and not self._isolated

    # ------------------------------------------------------------------------------------------------ outages

    async def _is_up(self, failed: Answer) -> bool:
        """Sends the plain message. If it fails too, waits until the target works again, and returns False. Raises
        `TargetLostError` with the answer `failed` if the target is lost.
        """
        started = monotonic()
        first = await self._ask()
        answer = await self.retried(self._ask, is_usual, first)
        if not is_usual(answer):
            self.lost = self._loss(answer, failed)
            raise self.lost
        if answer is first:
            return True
        self.seconds_away += monotonic() - started
        return False

    async def retried(self, send: Send, is_enough: Callable[[Answer], bool], answer: Answer) -> Answer:
        """Sends a message again after longer and longer pauses, because it got the insufficient `answer`. Returns the
        first answer that `is_enough` accepts, or the last answer if the target cannot be waited for any longer.
        """
        seconds = min(self._longest_wait, WITHOUT_SESSION) if _is_unauthenticated(answer) else self._longest_wait
        answer = await repeated(
            send, lambda found: is_enough(found) or _gave_up(found), seconds, answer, self._note_pause
        )
        self.waits_for = ""
        return answer

    def _note_pause(self, answer: Answer, _: float) -> None:
        self.waits_for = answer.reason

    def _loss(self, answer: Answer, failed: Answer) -> TargetLostError:
        """`answer` is the answer to the plain message, and `failed` is the answer to the message that failed first."""
        if _gave_up(answer):
            reason = f"the target {answer.reason}, and the longest wait is {self._longest_wait:g} s"
            return TargetLostError(reason, failed, excused=True)
        if not is_about_the_client(answer):
            return TargetLostError(f"the target stopped answering ({answer.reason})", failed)
        to = "" if answer.location is None else f", Location: {answer.location}"
        why = ": the session or the credentials probably expired" if _is_unauthenticated(answer) else ""
        rejection = "the target now rejects an ordinary valid message that it accepted before"
        return TargetLostError(f"{rejection} ({answer.reason}{to}){why}", failed, excused=True)


def is_answer(answer: Answer) -> bool:
    return answer.reached and answer.kind != "timeout"


def _is_failure(answer: Answer) -> bool:
    return is_about_the_client(answer) or not answer.reached or answer.kind in ("crashed", "timeout")


def is_usual(answer: Answer) -> bool:
    """Returns whether this answer to the plain message, which the target accepted before, shows that it works."""
    return answer.kind == "accepted" or (
        answer.reached and answer.kind == "rejected" and not is_about_the_client(answer)
    )


def is_about_the_client(answer: Answer) -> bool:
    """Returns whether the answer is about the client or the connection, not about the message."""
    return answer.status in ABOUT_THE_CLIENT or _is_unauthenticated(answer)


def _is_unauthenticated(answer: Answer) -> bool:
    """A redirect counts too, because its destination may be a login page."""
    is_redirect = answer.status is not None and 300 <= answer.status < 400
    return answer.kind == "rejected" and (is_redirect or answer.status in UNAUTHENTICATED)


def _gave_up(answer: Answer) -> bool:
    """Returns whether the target asked brokerfuzz to wait longer than it may wait (see `Answer.pause`)."""
    return not answer.reached and answer.pause is not None
