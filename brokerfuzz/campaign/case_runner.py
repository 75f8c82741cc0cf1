"""Sends the cases of a campaign. Several processes can share this work.

If the target rejects an invalid message, brokerfuzz also sends the twin (the valid counterpart), unless it was already sent as a
case. The rejection shows that the target checks the rule only if the target accepts the twin.

A fixed number of workers take the cases from one iterator, so only a few cases are in memory at any time.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from typing import Any

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.journal import Key, NotRecalledError
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer
from brokerfuzz.wording import counted

TWINS_KEPT = 8192
"""The maximum number of valid messages whose answers are kept in memory. A catalogue has only about two thousand different twins."""

GONE = "the target no longer accepts connections"
Numbered = tuple[int, Case]


class CaseRunner:
    """Sends cases to a target and collects the results in `seen`. If it stops early, `stopped` contains the reason."""

    def __init__(self, cases: Iterator[Numbered], sender: Sender, judge: Judge, *, max_findings: int | None = None) -> None:
        self.seen = Observations()
        self.stopped: str | None = None
        self._cases, self._sender, self._judge, self._max_findings = cases, sender, judge, max_findings
        self._twins: dict[str, Answer | None] = {}
        self._waiting: dict[str, list[Numbered]] = {}
        self._running: asyncio.Task[Any] | None = None

    async def run(self, concurrency: int, seconds: float | None = None) -> None:
        """Sends cases until there are no more cases, the time is up, or enough findings have occurred."""
        self._running = asyncio.current_task()
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                await together(self._work(), *(self._work() for _ in range(1, concurrency)))
        except TimeoutError:
            if not limit.expired():
                raise
            self.stopped = f"the time limit of {seconds:g} s was reached"

    async def _work(self) -> None:
        while self.stopped is None:
            found = self._next()
            if found is None:
                return
            number, case = found
            with suppress(NotRecalledError):
                await self._fire(number, case)

    def _next(self) -> Numbered | None:
        try:
            return next(self._cases, None)
        except KeyboardInterrupt:  # would stop the event loop while tasks are still running
            if self._running is not None:
                self._running.cancel()
            return None

    async def _fire(self, number: int, case: Case) -> None:
        is_twin = case.label == "valid" and not case.headers
        if is_twin:
            self._remember(case.id, None)
        try:
            answer = await self._sender.send(Key("case", number), case, case.body)
        except UnsendableError:
            self.seen.left_out += 1
            return
        self.seen.add(number, case, answer, self._judge)
        self._consider_stopping(answer)
        if is_twin:
            self._set_twin_answer(case.id, answer)
        elif answer.kind == "rejected" and case.twin is not None and case.faults:
            with suppress(UnsendableError):
                await self._send_twin(number, case, case.twin)

    # ------------------------------------------------------------------------------------------------ twins

    async def _send_twin(self, number: int, case: Case, twin: Case) -> None:
        """Sends the twin of a rejected message, unless the answer to the twin is already known."""
        if twin.id not in self._twins:
            self._remember(twin.id, None)
            answer = await self._sender.send(Key("twin", number), twin, twin.body)
            self._check_twin(number, twin, answer)
            self._set_twin_answer(twin.id, answer)
        known = self._twins.get(twin.id)
        if known is None:
            self._waiting.setdefault(twin.id, []).append((number, case))
        else:
            self._note_twin_answer(number, case, known)

    def _set_twin_answer(self, twin_id: str, answer: Answer) -> None:
        self._remember(twin_id, answer)
        for number, case in self._waiting.pop(twin_id, ()):
            self._note_twin_answer(number, case, answer)

    def _note_twin_answer(self, number: int, case: Case, answer: Answer) -> None:
        if answer.kind != "accepted":
            self.seen.attribution.twin_rejected(number, case, answer)

    def _remember(self, twin_id: str, answer: Answer | None) -> None:
        self._twins[twin_id] = answer
        if len(self._twins) > TWINS_KEPT:
            del self._twins[next(iter(self._twins))]

    def _check_twin(self, number: int, twin: Case, answer: Answer) -> None:
        kind = contradiction(twin.label, answer.kind)
        if kind is not None:
            self.seen.suspicions.add(kind, number, twin, twin.verdict, answer)
            self._consider_stopping(answer)

    def _consider_stopping(self, answer: Answer) -> None:
        if not answer.reached:
            self.stopped = GONE if answer.status is None else f"the target {answer.reason}"
        elif self._max_findings is not None and len(self.seen.suspicions) >= self._max_findings:
            self.stopped = self.stopped or f"the limit of {counted(self._max_findings, 'finding')} was reached"


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Runs all coroutines at the same time. If one of them fails, it cancels the others and raises the exception."""
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in work:
                group.create_task(coroutine)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
