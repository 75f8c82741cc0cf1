"""Asks the target for answers, and decides whether a failure was caused by the message or by the target.

A message whose answer is known is not sent. A target that does not run yet, or that asks brokerfuzz to wait, gets the
message again after a pause.

A crash or a timeout may have nothing to do with the message: the target may be down or overloaded, or another message
may have caused the failure. After a failure, no other message is sent until all messages under way are answered. Then
the plain message (an ordinary valid message) is sent. If this message fails too, it is sent again until the target
answers it as usual. Then the failed messages are sent once more, one at a time. Only the second answer counts.

    16 messages   timeout   the plain message: timeout, a pause, the plain message: accepted
    again         15 accepted, 1 timeout: this message counts

Redirects and the statuses in `ABOUT_THE_CLIENT` also count as failures, because a session may have ended. A target that
does not answer again within `longest_wait` seconds is lost.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.exchanges import Exchange, KnownAnswers
from brokerfuzz.campaign.pace import RateLimiter
from brokerfuzz.campaign.sporadic import SporadicAnswers
from brokerfuzz.campaign.usual_answers import (
    CONFLICT,
    has_given_up,
    is_about_the_client,
    is_server_error,
    is_unauthenticated,
    is_usual,
)
from brokerfuzz.cases.case import Case, message_id
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.errors import JournalError, UnreachableError
from brokerfuzz.targets import Answer, Target
from brokerfuzz.targets.waiting import Deadline

WITHOUT_SESSION = 3.0
"""The maximum number of seconds to wait if the target answers, but rejects the plain message. A session that has ended
rarely comes back.
"""
CERTAIN = 3
"""If a failure has occurred again this many times, messages with the same failure are no longer sent again: it would
cost too much time.
"""
_OF_CASES = ("case", "twin")
"""The roles whose sporadic failures are counted. Messages with other roles are changed cases."""


class UnsendableError(Exception):
    """The message cannot be sent to this target."""


class TargetLostError(Exception):
    """The target no longer answers, or it rejects every message.

    `answer` is the answer to the last message. `excused` is true if the target did not stop because of a message: it
    asks brokerfuzz to wait for too long, or it rejects a message that it accepted before. `sent` is false if the target
    was already lost before the message was sent.
    """

    def __init__(self, reason: str, answer: Answer, *, excused: bool = False, sent: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.answer, self.excused, self.sent = reason, answer, excused, sent


@dataclass(slots=True)
class _Question:
    """A message that is sent, perhaps more than once. `sent` is the body that was sent last, which may contain a fresh
    value.
    """

    role: str
    number: int
    case: Case
    body: bytes
    id: str
    attempt: int = 0
    sent: bytes = b""


class Sender:
    """Finds the answers to messages. `known` contains the answers that need no request, `record` is called with each
    new exchange, and `fetch` waits until a worker has sent a case.

    `plain` is an ordinary message that the target accepted (see `make_contact`). As long as there is none, a message
    that fails is not sent again. If `is_trusted` is false, the target accepted no other message, so its answer may be a
    stored one.

    `requests` is the number of messages that were sent, also by earlier runs of the campaign and by workers. `started`
    is the time at which the campaign started (on the clock `time.monotonic`). `waits_for` says why messages wait for
    the target, also if a time limit has ended the waiting; otherwise, it is empty. `pauses` counts how often the target
    asked brokerfuzz to wait. `seconds_away` is how long it was down in all outages after which it worked again.
    """

    def __init__(
        self,
        target: Target,
        *,
        rate: float | None = None,
        known: KnownAnswers | None = None,
        record: Callable[[Exchange], object] | None = None,
        fresh: FreshValues | None = None,
        longest_wait: float = 0.0,
    ) -> None:
        self.known = known or KnownAnswers()
        self.fetch: Callable[[Case, int], Awaitable[None]] | None = None
        self.plain: Case | None = None
        self.is_trusted = False
        self.lost: TargetLostError | None = None
        self.isolated = target.isolates_messages
        self.sporadic = SporadicAnswers(isolated=self.isolated)
        self.requests = self.known.count
        self.started = monotonic() - self.known.latest
        self.waits_for = ""
        self.pauses = 0
        self.seconds_away = 0.0
        self._target = target
        self._rate_limiter = RateLimiter(rate)
        target.pace = self._rate_limiter.wait if rate else None
        self._record_exchange = record
        self._fresh = fresh
        self._longest_wait = longest_wait
        self._attempts: Counter[str] = Counter()
        self._asked: dict[tuple[str, int], asyncio.Event] = {}
        """The messages whose answers others wait for, too."""
        self._under_way = 0
        self._failing = 0
        """The number of messages that failed, and are about to be sent again."""
        self._change = asyncio.Event()
        self._alone = asyncio.Lock()
        self._was_up: bool | None = None
        """None if the plain message was not yet sent after the current failures."""
        self._recurring: Counter[tuple[str, ...]] = Counter()

    @property
    def uses_fresh_values(self) -> bool:
        return self._fresh is not None

    def can_send(self, case: Case) -> bool:
        return self._target.can_send(case.body)

    def is_stored(self, case: Case) -> bool:
        """Returns whether the answer to a case may be a stored one."""
        return self.plain is not None and not self.is_trusted and case.body == self.plain.body

    def is_conflict(self, case: Case, answer: Answer, identifiers: Sequence[str]) -> bool:
        """Returns whether the target may have rejected the message only because it already knows an identifier. If the
        user listed status 409 in `--accept` or `--reject`, the status is about the message.
        """
        if answer.kind != "rejected" or answer.status != CONFLICT or self._target.rules.has_code(CONFLICT):
            return False
        return not self.is_fresh(case, identifiers)

    def is_fresh(self, case: Case, identifiers: Sequence[str]) -> bool:
        """Returns whether the case gets new identifiers each time that it is sent."""
        return self._fresh is not None and self._fresh.changes_all(identifiers, case)

    def add(self, exchange: Exchange, *, writes: bool) -> None:
        """Adds an exchange of a worker. With `writes`, the worker has not written it to the journal."""
        if writes and self._record_exchange is not None:
            self._record_exchange(exchange)
        self.known.add(exchange)
        self.requests += 1

    # ------------------------------------------------------------------------------------------------ asking

    async def ask(
        self, role: str, number: int, case: Case, body: bytes | None = None, *, again: bool = False
    ) -> Answer:
        """Returns the answer to a case, or to another body in place of its message. The message is not sent if its
        answer is known, unless `again` is true.

        Raises `UnsendableError` if the message cannot be sent to this target, and `TargetLostError` if the target no
        longer answers. Also raises `TargetError` or `JournalError`.
        """
        question = _question(role, number, case, case.body if body is None else body)
        if again:
            self._attempts[question.id] += 1
            question.attempt = self._attempts[question.id]
        if self.fetch is not None and role in _OF_CASES:
            await self.fetch(case, number)
        if not self._target.can_send(question.body):
            raise UnsendableError
        key = question.id, question.attempt
        while key in self._asked:
            await self._asked[key].wait()
        answer = self.known.answer(*key)
        if role == "case" and self.known.cases.get(number, question.id) != question.id:
            raise JournalError(
                f"the journal belongs to a different campaign (its message for case {number} is different): resume the "
                "campaign with its original options, contract and version of brokerfuzz"
            )
        if answer is not None:
            if failed := self.known.take_failure(*key):
                self.sporadic.add_failure(number, case, failed)
            return answer
        self._asked[key] = asyncio.Event()
        try:
            answer = await self._answered(question)
        finally:
            self._asked.pop(key).set()
        self.known.remember(*key, answer)
        return answer

    async def ask_anew(self, number: int, case: Case) -> Answer:
        """Sends a case even if its answer is known. Raises the same errors as `ask`."""
        return await self._answered(_question("anew", number, case, case.body))

    async def ask_plain(self, case: Case) -> Answer:
        """Sends an ordinary message without further checks. A resumed campaign sends it again, because the target may
        have changed.
        """
        question = _question("plain", 0, case, case.body)
        answer = await self._sent(question)
        self._record(question, answer)
        return answer

    async def repeated(self, case: Case, is_enough: Callable[[Answer], bool], answer: Answer) -> Answer:
        """Sends an ordinary message again after longer and longer pauses, because of the insufficient `answer`. Returns
        the first answer that `is_enough` accepts, or the last answer if the target cannot be waited for any longer.
        """
        seconds = min(self._longest_wait, WITHOUT_SESSION) if is_unauthenticated(answer) else self._longest_wait
        deadline = Deadline(seconds)
        while not is_enough(answer) and not has_given_up(answer):
            if not await self._paused(deadline, answer.reason):
                break
            answer = await self._sent(_question("plain", 0, case, case.body))
        self.waits_for = ""
        return answer

    async def _answered(self, question: _Question) -> Answer:
        """Sends a message. If the message fails, finds out whether the target works, and may send the message once
        more. Returns the answer that counts. Raises `TargetLostError` if the target is lost.
        """
        while self._failing:
            await self._change.wait()
        if self.lost is not None:
            raise TargetLostError(self.lost.reason, self.lost.answer, excused=self.lost.excused, sent=False)
        self._under_way += 1
        try:
            answer = await self._sent(question)
        finally:
            self._under_way -= 1
            if self._failing:
                self._wake()
        if self.plain is None and not answer.reached:
            raise self._loss(answer, answer)
        if self.plain is not None and not is_usual(answer):
            answer = await self._confirmed(question, self.plain, answer)
        self._record(question, answer)
        return answer

    # ------------------------------------------------------------------------------------------------ failures

    async def _confirmed(self, question: _Question, plain: Case, failed: Answer) -> Answer:
        self._failing += 1
        try:
            while self._under_way:
                await self._change.wait()
            async with self._alone:
                return await self._again(question, plain, failed)
        finally:
            self._failing -= 1
            if not self._failing:
                self._was_up = None
            self._wake()

    def _wake(self) -> None:
        """Lets everything that waits for a change check its condition again."""
        self._change.set()
        self._change = asyncio.Event()

    async def _again(self, question: _Question, plain: Case, failed: Answer) -> Answer:
        if self.lost is not None:
            raise TargetLostError(self.lost.reason, failed, excused=self.lost.excused)
        if has_given_up(failed):
            self.lost = self._loss(failed, failed)
            raise self.lost
        if self._was_up is None:
            self._was_up = await self._is_up(plain, failed)
        text = text_of(failed).key
        if self._was_up and self._recurring[text] >= CERTAIN and not self._has_lost_connection(failed):
            return failed
        answer = await self._sent(question)
        if not is_usual(answer):
            await self._is_up(plain, answer)
            self._recurring[text] += 1
            return answer._replace(reached=True) if self._has_lost_connection(answer) else answer
        if not self._was_up:
            return answer
        if question.role == "alone" and is_server_error(failed, isolated=self.isolated):
            return failed  # no other message can have caused it
        if question.role in _OF_CASES:
            self.sporadic.add_failure(question.number, question.case, failed)
            self._record(question, failed, "failed")
        return answer

    def _has_lost_connection(self, answer: Answer) -> bool:
        return answer.kind == "crashed" and answer.status is None and not self.isolated

    async def _is_up(self, plain: Case, failed: Answer) -> bool:
        """Sends the plain message. If it fails too, waits until the target works again, and returns False. Raises
        `TargetLostError` with the answer `failed` if the target is lost.
        """
        started = monotonic()
        first = await self._sent(_question("plain", 0, plain, plain.body))
        answer = await self.repeated(plain, is_usual, first)
        if not is_usual(answer):
            self.lost = self._loss(answer, failed)
            raise self.lost
        if answer is first:
            return True
        self.seconds_away += monotonic() - started
        return False

    def _loss(self, answer: Answer, failed: Answer) -> TargetLostError:
        """`answer` is the answer to the plain message, and `failed` is the answer to the message that failed first."""
        if has_given_up(answer):
            reason = f"the target {answer.reason}, and the longest wait is {self._longest_wait:g} s"
            return TargetLostError(reason, failed, excused=True)
        if not is_about_the_client(answer):
            return TargetLostError(f"the target stopped answering ({answer.reason})", failed)
        to = "" if answer.location is None else f", Location: {answer.location}"
        why = ": the session or the credentials probably expired" if is_unauthenticated(answer) else ""
        rejection = "the target now rejects an ordinary valid message that it accepted before"
        return TargetLostError(f"{rejection} ({answer.reason}{to}){why}", failed, excused=True)

    # ------------------------------------------------------------------------------------------------ sending

    async def _sent(self, question: _Question) -> Answer:
        """Sends a message, and sends it again while the target does not run yet, or asks for a pause."""
        deadline = Deadline(self._longest_wait)
        has_waited = False
        while True:
            await self._rate_limiter.wait()
            self.requests += 1
            question.sent = question.body if self._fresh is None else self._fresh.of(question.case, question.body)
            try:
                answer = await self._target.send(question.sent, question.id)
            except UnreachableError as problem:
                has_waited = await self._paused(deadline, problem.reason)
                if not has_waited:
                    raise
                continue
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                # A request that finishes while it is cancelled would hide the cancellation.
                raise asyncio.CancelledError
            if answer.pause is None or not await self._paused(deadline, f"it {answer.reason}", answer.pause):
                break
            has_waited = True
        if has_waited:
            self.waits_for = ""
        return answer

    async def _paused(self, deadline: Deadline, reason: str, wanted: float | None = None) -> bool:
        """Waits before a message is sent again. With `wanted`, all messages wait, because the target asked for it.
        Returns False if the time is over.
        """
        pause = deadline.pause(wanted)
        if pause is None:
            return False
        self.waits_for = reason
        if wanted is not None:
            self._rate_limiter.pause(pause)
            self.pauses += 1
        await asyncio.sleep(pause)
        return True

    def _record(self, question: _Question, answer: Answer, role: str | None = None) -> None:
        if self._record_exchange is None or not answer.reached:
            return  # a resumed campaign sends a message again if the target did not process it
        self._record_exchange(
            Exchange(
                role or question.role,
                question.number,
                question.attempt,
                question.id,
                question.body,
                question.sent,
                answer,
                monotonic() - self.started,
            )
        )


def _question(role: str, number: int, case: Case, body: bytes) -> _Question:
    identity = case.id if body is case.body else message_id(case.message_type, body)
    return _Question(role, number, case, body, identity)
