"""Fires cases: the part of a campaign that can be split among processes.

A fixed number of workers take cases from one iterator, so that no more cases exist at a time than there are workers. Each rejected fault's
twin is sent too, unless it was among the cases: a rejection proves something of the rule only where the twin is accepted.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from typing import Any

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.journal import Key, NotRecalledError
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.sending import Sender, UncarriedError
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer

TWINS_KEPT = 8192
"""Of how many valid messages the answer is remembered. A catalogue's faults share some two thousand twins."""

GONE = "the target takes no connections any more"
Numbered = tuple[int, Case]


class Volley:
    """Cases on their way to a target. `seen` is what their answers taught, `stopped` why no further case is begun."""

    def __init__(self, cases: Iterator[Numbered], sender: Sender, judge: Judge, *, max_findings: int | None = None) -> None:
        self.seen = Observations()
        self.stopped: str | None = None
        self._cases, self._sender, self._judge, self._max_findings = cases, sender, judge, max_findings
        self._twins: dict[str, Answer | None] = {}
        self._waiting: dict[str, list[Numbered]] = {}
        self._running: asyncio.Task[Any] | None = None

    async def run(self, concurrency: int, seconds: float | None = None) -> None:
        """Fires until there is no case left, or the time is up, or there are enough findings."""
        self._running = asyncio.current_task()
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                await together(self._work(), *(self._work() for _ in range(1, concurrency)))
        except TimeoutError:
            if not limit.expired():
                raise
            self.stopped = f"the time of {seconds:g} s was up"

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
        except KeyboardInterrupt:  # would tear the event loop down around the tasks that it still has
            if self._running is not None:
                self._running.cancel()
            return None

    async def _fire(self, number: int, case: Case) -> None:
        serves = case.label == "valid" and not case.headers
        if serves:
            self._remember(case.id, None)
        try:
            answer = await self._sender.send(Key("case", number), case, case.body)
        except UncarriedError:
            self.seen.left_out += 1
            return
        self.seen.take(number, case, answer, self._judge)
        self._consider_stopping(answer)
        if serves:
            self._answered(case.id, answer)
        elif answer.kind == "rejected" and case.twin is not None and case.faults:
            with suppress(UncarriedError):
                await self._prove(number, case, case.twin)

    # ------------------------------------------------------------------------------------------------ twins

    async def _prove(self, number: int, case: Case, twin: Case) -> None:
        """Asks what the target does with the twin of a fault that it rejected."""
        if twin.id not in self._twins:
            self._remember(twin.id, None)
            answer = await self._sender.send(Key("twin", number), twin, twin.body)
            self._contradicts(number, twin, answer)
            self._answered(twin.id, answer)
        known = self._twins.get(twin.id)
        if known is None:
            self._waiting.setdefault(twin.id, []).append((number, case))
        else:
            self._proved(number, case, known)

    def _answered(self, twin_id: str, answer: Answer) -> None:
        self._remember(twin_id, answer)
        for number, case in self._waiting.pop(twin_id, ()):
            self._proved(number, case, answer)

    def _proved(self, number: int, case: Case, answer: Answer) -> None:
        if answer.kind != "accepted":
            self.seen.attribution.twin_rejected(number, case, answer)

    def _remember(self, twin_id: str, answer: Answer | None) -> None:
        self._twins[twin_id] = answer
        if len(self._twins) > TWINS_KEPT:
            del self._twins[next(iter(self._twins))]

    def _contradicts(self, number: int, twin: Case, answer: Answer) -> None:
        kind = contradiction(twin.label, answer.kind)
        if kind is not None:
            self.seen.suspicions.add(kind, number, twin, twin.verdict, answer)
            self._consider_stopping(answer)

    def _consider_stopping(self, answer: Answer) -> None:
        if not answer.reached:
            self.stopped = GONE if answer.status is None else f"the target {answer.reason}"
        elif self._max_findings is not None and len(self.seen.suspicions) >= self._max_findings:
            self.stopped = self.stopped or f"{len(self.seen.suspicions)} different contradictions were found"


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Does the work at once; the first that fails ends the others and raises what it raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for piece in work:
                group.create_task(piece)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
