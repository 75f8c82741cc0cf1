"""Sends the messages of a campaign. The module limits the rate, writes the journal, and does not send messages that the journal
already answers.
"""

import asyncio
from time import monotonic

from brokerfuzz.campaign.journal import Answered, Key, NotRecalledError, Recalled, Writer
from brokerfuzz.campaign.rate_limit import RateLimiter
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.targets import Answer, Target

_RECALLED_AT_ONCE = 200
"""The number of answers from the journal after which other tasks may run."""


class UnsendableError(Exception):
    """The message cannot be sent to this target."""


class Sender:
    """Sends messages to the target of a campaign.

    `requests` is the number of messages that were sent, plus the number of answers that came from the journal. `started` is the
    time at which the campaign started (on the clock `time.monotonic`), and `ago` is the number of seconds since then.
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

    def can_send(self, case: Case) -> bool:
        return self._target.can_send(case.body, case.headers)

    async def send(self, key: Key, case: Case, body: bytes) -> Answer:
        """Sends a message with the headers of the case, and returns the answer.

        Raises `UnsendableError` if the message cannot be sent to this target. Also raises `TargetError` or `JournalError`.
        """
        if self._recalled is not None and (answer := self._recalled.get(key, body)) is not None:
            return await self._recall(answer)
        if not self._sends:
            raise NotRecalledError
        if not self._target.can_send(body, case.headers):
            raise UnsendableError
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
