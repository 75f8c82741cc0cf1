"""Sends a campaign's messages: paced, written to the journal, and not at all where the journal has the answer already."""

import asyncio
from time import monotonic

from brokerfuzz.campaign.fresh_values import Freshness
from brokerfuzz.campaign.journal import Answered, Key, NotRecalledError, Recalled, Writer
from brokerfuzz.campaign.rate_limit import Pacer
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer, Target

_RECALLED_AT_ONCE = 200
"""After how many recalled answers in a row others get their turn."""


class UncarriedError(Exception):
    """The target cannot be given such a message."""


class Sender:
    """The way from a campaign to its target.

    `requests` counts what was sent, and what was recalled as it was sent before; `started` is the clock (`time.monotonic`) at the
    campaign's start, `ago` seconds ago.
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
        fresh: Freshness | None = None,
    ) -> None:
        self.requests = 0
        self.timing = Timing()
        self.started = monotonic() - ago
        self._target, self._pacer, self._journal, self._recalled = target, Pacer(rate), journal, recalled
        self._sends, self._fresh = sends, fresh
        self._in_a_row = 0

    async def send(self, key: Key, case: Case, body: bytes) -> Answer:
        """The target's answer to a message that goes as the case does. Raises `TargetError`, `JournalError`, `UncarriedError`."""
        if not self._target.carries(body, case.headers):
            raise UncarriedError
        if self._recalled is not None and (answer := self._recalled.get(key, body)) is not None:
            return await self._recall(answer)
        if not self._sends:
            raise NotRecalledError
        if self._pacer.limited:
            await self._pacer.turn()
        self.requests += 1
        headers = case.headers
        sent = body if self._fresh is None else self._fresh.of(case, body)
        answer = await (self._target.send(sent, headers) if headers else self._target.send(sent))
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # a request that ends as it is cancelled takes the cancellation with it
            raise asyncio.CancelledError
        at = monotonic() - self.started
        self.timing.add(at, answer.seconds, failed=answer.kind in {"crashed", "timeout"})
        if self._journal is not None and answer.reached:  # what nobody judged is sent again by whoever goes on
            self._journal.record(key, case, body, sent, answer, at)
        return answer

    async def _recall(self, answer: Answer) -> Answer:
        self.requests += 1
        self._in_a_row += 1
        if self._in_a_row % _RECALLED_AT_ONCE == 0:
            await asyncio.sleep(0)
        return answer
