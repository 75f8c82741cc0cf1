"""Asks the target for answers, except for messages whose answers are already known. Limits the number of requests per
second.
"""

import asyncio
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from time import monotonic

from brokerfuzz.campaign.contradictions import CONFLICT
from brokerfuzz.campaign.exchanges import Exchange, KnownAnswers
from brokerfuzz.campaign.sporadic import SporadicAnswers, is_server_error
from brokerfuzz.campaign.target_health import FirstContact, TargetHealth
from brokerfuzz.cases.case import Case, message_id
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.contract_names import IDENTIFIERS
from brokerfuzz.errors import JournalError, UnreachableError
from brokerfuzz.targets import Answer, Message, Target
from brokerfuzz.targets.waiting import pauses, repeated

_OF_CASES = ("case", "twin")
"""The roles whose sporadic failures are counted. Messages with other roles are changed cases."""


class UnsendableError(Exception):
    """The message cannot be sent to this target."""


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


@dataclass
class Timing:
    """`seconds` contains the latency of each answer, in the order of the answers. `pauses` counts how often the target
    asked brokerfuzz to wait.
    """

    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    pauses: int = 0

    def quantiles(self, *shares: float) -> list[float]:
        """Returns the latencies (in seconds) within which these shares of the answers (0 to 1) arrived, or zeros if
        there are no answers.
        """
        ordered = sorted(self.seconds) or [0.0]
        return [ordered[max(ceil(share * len(ordered)) - 1, 0)] for share in shares]


class RateLimiter:
    """Allows at most `rate` requests per second (None: no limit). Two requests start at least 1 / `rate` seconds apart,
    also after a pause.
    """

    def __init__(self, rate: float | None) -> None:
        self._interval = 1 / rate if rate else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        now = monotonic()
        mine = max(self._next, now)
        self._next = mine + self._interval
        if mine > now:
            await asyncio.sleep(mine - now)

    def pause(self, seconds: float) -> None:
        self._next = max(self._next, monotonic() + seconds)


class Sender:
    """Finds the answers to messages. `known` contains the answers that need no request, `record` is called with each
    new exchange, and `fetch` waits until a worker has sent a case.

    `requests` is the number of messages that were sent, also by earlier runs of the campaign and by workers. `started`
    is the time at which the campaign started (on the clock `time.monotonic`).
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
        self.rejects_sometimes = False
        """True if the target gives different answers to the same valid message (see `differing_answers`)."""
        self.requests = self.known.count
        self.timing = Timing()
        self.started = monotonic() - self.known.latest
        self._rate_limiter = RateLimiter(rate)
        target.pace = self._rate_limiter.wait if rate else None
        self._target, self._record_exchange, self._fresh = target, record, fresh
        self._repeated: Counter[str] = Counter()
        self._under_way: dict[tuple[str, int], asyncio.Event] = {}
        self._failed: set[str] = set()
        self._longest_wait = longest_wait
        self.isolated: bool = target.isolates_messages
        self.sporadic = SporadicAnswers(isolated=self.isolated)
        self.health = TargetHealth(self._ask_plain, longest_wait, isolated=self.isolated)

    @property
    def contact(self) -> FirstContact:
        return self.health.contact

    @property
    def waits_for(self) -> str:
        """Says why the target is not ready, while messages wait for it. Otherwise, it is empty."""
        return self.health.waits_for

    @property
    def uses_fresh_values(self) -> bool:
        return self._fresh is not None

    def can_send(self, case: Case) -> bool:
        return self._target.can_send(case.body)

    def is_conflict(self, case: Case, answer: Answer) -> bool:
        """Returns whether the target may have rejected the message only because it already knows an identifier. If the
        user listed status 409 in `--accept` or `--reject`, the status is about the message.
        """
        if answer.kind != "rejected" or answer.status != CONFLICT or self._target.rules.has_code(CONFLICT):
            return False
        return not self.is_fresh(case)

    def is_fresh(self, case: Case) -> bool:
        """Returns whether the case gets new identifiers each time that it is sent."""
        return self._fresh is not None and self._fresh.changes_all(IDENTIFIERS, case)

    async def ask(
        self, role: str, number: int, case: Case, body: bytes | None = None, *, again: bool = False
    ) -> Answer:
        """Returns the answer to a case, or to another body in place of its message. The message is not sent if its
        answer is known, unless `again` is true.

        Raises `UnsendableError` if the message cannot be sent to this target, and `TargetLostError` if the target no
        longer answers. Also raises `TargetError` or `JournalError`.
        """
        message = self._message(role, number, case, case.body if body is None else body)
        if again:
            self._repeated[message.id] += 1
            message.attempt = self._repeated[message.id]
        if self.fetch is not None and role in _OF_CASES:
            await self.fetch(case, number)
        if role == "case" and self.known.cases.get(number, message.id) != message.id:
            raise JournalError(
                f"the journal belongs to a different campaign (its message for case {number} is different): resume the "
                "campaign with its original options, contract and version of brokerfuzz"
            )
        key = message.id, message.attempt
        while key in self._under_way:
            await self._under_way[key].wait()
        answer = self.known.answer(role, *key)
        if answer is not None:
            self._count_failure(message, self.known.answer("failed", *key))
            return answer
        if not self._target.can_send(message.body):
            raise UnsendableError
        self._under_way[key] = asyncio.Event()
        try:
            return await self._checked(message)
        finally:
            self._under_way.pop(key).set()

    async def ask_anew(self, number: int, case: Case) -> Answer:
        """Sends a case even if its answer is known. Raises the same errors as `ask`."""
        return await self._checked(self._message("anew", number, case, case.body))

    async def send_plain(self, case: Case) -> Answer:
        """Sends an ordinary message without further checks. A resumed campaign sends it again, because the target may
        have changed.
        """
        message = self._message("plain", 0, case, case.body)
        answer = await self._request(message)
        self._record(message, answer)
        return answer

    def add(self, exchange: Exchange, *, writes: bool) -> None:
        """Adds an exchange of a worker. With `writes`, the worker has not yet written it to the journal."""
        if writes and self._record_exchange is not None:
            self._record_exchange(exchange)
        self.known.add(exchange)
        self.requests += 1
        self.timing.seconds.append(exchange.answer.seconds)

    # ------------------------------------------------------------------------------------------------ sending

    def _message(self, role: str, number: int, case: Case, body: bytes) -> _Question:
        identity = case.id if body is case.body else message_id(case.message_type, body)
        return _Question(role, number, case, body, identity)

    async def _ask_plain(self) -> Answer:
        case = self.contact.case
        assert case is not None, "the target answered the first message"
        return await self._request(self._message("plain", 0, case, case.body))

    async def _checked(self, message: _Question) -> Answer:
        answer, failed = await self.health.checked(partial(self._request, message))
        if failed is not None and message.role == "alone" and is_server_error(failed, isolated=self.isolated):
            answer = failed  # no other message can have caused it
        self._record(message, answer)
        self.known.remember(message.role, message.id, message.attempt, answer)
        if failed is not None and message.role in _OF_CASES:
            self._count_failure(message, failed)
            self._record(message, failed, "failed")
        return answer

    def _count_failure(self, message: _Question, failed: Answer | None) -> None:
        if failed is not None and message.id not in self._failed:
            self._failed.add(message.id)
            self.sporadic.add_failure(message.number, message.case, failed)

    async def _request(self, message: _Question) -> Answer:
        answer = await self._first_sent(message)
        if answer.pause is not None:
            send = partial(self._sent, message)
            answer = await repeated(send, lambda one: one.pause is None, self._longest_wait, answer, self._pause)
            self.health.waits_for = ""
        return answer

    async def _first_sent(self, message: _Question) -> Answer:
        """Sends a message. If the target has never answered, it may still be starting, so the message is sent again
        until the longest wait is over.
        """
        for pause in pauses(self._longest_wait):
            try:
                return await self._sent(message)
            except UnreachableError as problem:
                self.health.waits_for = problem.reason
                await asyncio.sleep(pause)
        return await self._sent(message)

    def _pause(self, answer: Answer, seconds: float) -> None:
        """Lets all messages wait, because the target asked for it."""
        self._rate_limiter.pause(seconds)
        self.timing.pauses += 1
        self.health.waits_for = f"it {answer.reason}"

    async def _sent(self, message: _Question) -> Answer:
        await self._rate_limiter.wait()
        self.requests += 1
        case, body = message.case, message.body
        message.sent = body if self._fresh is None else self._fresh.of(case, body)
        answer = await self._target.send(Message(message.sent, message.id))
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # A request that finishes while it is cancelled would hide the cancellation.
            raise asyncio.CancelledError
        self.timing.seconds.append(answer.seconds)
        return answer

    def _record(self, message: _Question, answer: Answer, role: str | None = None) -> None:
        if self._record_exchange is None or not answer.reached:
            return  # a resumed campaign sends a message again if the target did not process it
        self._record_exchange(
            Exchange(
                role or message.role,
                message.number,
                message.attempt,
                message.id,
                message.body,
                message.sent,
                answer,
                monotonic() - self.started,
            )
        )
