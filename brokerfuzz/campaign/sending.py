"""Sends the messages of a campaign: limits the rate, writes the journal, and skips messages whose answers are already in the journal."""

import asyncio
from time import monotonic

from brokerfuzz.campaign.fresh_values import FreshValues
from brokerfuzz.campaign.journal import Answered, Key, NotRecalledError, Recalled, Writer
from brokerfuzz.campaign.rate_limit import RateLimiter
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer, Target

_RECALLED_AT_ONCE = 200
"""The number of answers to read from the journal in a row before other tasks may run."""


class UnsendableError(Exception):
    """The message cannot be sent to this target."""


class Sender:
    """Sends messages to the target of a campaign.

    `requests` is the number of messages sent in this run, plus the number of answers read from the journal of an earlier run.
    `started` is the start of the campaign on the `time.monotonic` clock. `ago` is the number of seconds since that start.
    """

    def __init__(
        self,
        target: Target,
        *,
        rate: float | None = None,
        journal: Writer | None = None,
        recalled: Recalled | Answered | None = None,
        ago: float = 0.0,
        sends: bool = True,
        fresh: FreshValues | None = None,
    ) -> None:
        self.requests = 0
        self.timing = Timing()
        self.started = monotonic() - ago
        self._target, self._rate_limiter, self._journal, self._recalled = target, RateLimiter(rate), journal, recalled
        self._sends, self._fresh = sends, fresh
        self._in_a_row = 0

    async def send(self, key: Key, case: Case, body: bytes) -> Answer:
        """Sends a message with the headers of the case and returns the answer. Raises `TargetError`, `JournalError`, or
        `UnsendableError` if the message cannot be sent to this target.
        """
        if not self._target.can_send(body, case.headers):
            raise UnsendableError
        if self._recalled is not None and (answer := self._recalled.get(key, body)) is not None:
            return await self._recall(answer)
        if not self._sends:
            raise NotRecalledError
        if self._rate_limiter.limited:
            await self._rate_limiter.wait()
        self.requests += 1
        headers = case.headers
        sent = body if self._fresh is None else self._fresh.of(case, body)
        answer = await (self._target.send(sent, headers) if headers else self._target.send(sent))
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # a request that finishes while it is cancelled would hide the cancellation
            raise asyncio.CancelledError
        at = monotonic() - self.started
        self.timing.add(at, answer.seconds, failed=answer.kind in {"crashed", "timeout"})
        if self._journal is not None and answer.reached:  # so a resumed campaign sends an unanswered message again
            self._journal.record(key, case, body, sent, answer, at)
        return answer

    async def _recall(self, answer: Answer) -> Answer:
        self.requests += 1
        self._in_a_row += 1
        if self._in_a_row % _RECALLED_AT_ONCE == 0:
            await asyncio.sleep(0)
        return answer
