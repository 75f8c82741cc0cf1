"""Fires cases at a target, compares verdicts with answers, shrinks what contradicts.

A fixed number of workers take cases from one iterator, so that no more cases exist at a time than there are workers.
What is kept is counts, one case a kind of contradiction, and one a silence and answer: memory does not grow with
the number of cases. Shrinking comes when the cases have been sent, in the order of the cases that it starts from: so
a target that answers alike gets the same findings, however the answers of workers overtook each other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from time import monotonic
from typing import Any

from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.findings import finding_of
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.campaign.pacing import Pacer
from brokerfuzz.campaign.reductions import Schemas
from brokerfuzz.campaign.results import Progress, Result
from brokerfuzz.campaign.shrinking import Bounds, Shrinker
from brokerfuzz.campaign.suspicions import Suspicion, Suspicions, first_of_each, merged
from brokerfuzz.campaign.turning import Turning
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Label, Stances, Verdict, check, load_contract
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer, AnswerKind
from brokerfuzz.targets.target import Target

TICK = 0.1
"""Seconds between two reports of progress."""

INTERRUPTED = "interrupted"
OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to fire.

    `concurrency` is how many messages are on their way at once, `rate` the most requests a second (None: as fast as it
    goes). After `time` seconds no case is sent any more, and those on their way are given up; after `max_findings`
    different contradictions none is begun. `now`, `contract` and `stances` are what the cases are judged by: give those
    that they were made with. A finding is shrunk in at most `shrink_requests` requests (0: not at all), and at most as many
    again find what its smallest message lacks; all findings together in `shrink_seconds`. `total` is how many cases there
    will be, if known: only progress speaks of it.
    """

    concurrency: int = 16
    rate: float | None = None
    time: float | None = None
    max_findings: int | None = None
    now: datetime | None = None
    contract: Contract | None = None
    stances: Stances | None = None
    shrink_requests: int = 200
    shrink_seconds: float = 60.0
    total: int | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "rate", "time", "max_findings"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name}={value!r}, but only a number above 0 leaves anything to do")


def fire(cases: Iterable[Case], target: Target, options: Options | None = None, on_progress: OnProgress | None = None) -> Result:
    """Fires the cases at the target and says what came of it.

    `on_progress` is called about ten times a second. Ctrl-C ends the campaign at once, with the result of what was
    found so far. Raises `TargetError` where the target cannot be reached at all.
    """
    campaign = Campaign(cases, target, options or Options(), on_progress)
    try:
        asyncio.run(campaign.run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        campaign.stopped = INTERRUPTED
    return campaign.result()


class Campaign:
    """One campaign: `run` it in an event loop, and ask for the `result` whenever you like."""

    def __init__(self, cases: Iterable[Case], target: Target, options: Options, on_progress: OnProgress | None = None) -> None:
        self.options = options
        self.stopped: str | None = None
        self._contract = options.contract or load_contract()
        self._cases = iter(cases)
        self._target = target
        self._on_progress = on_progress
        self._pacer = Pacer(options.rate)
        self._numbers = count()
        self._counts: dict[tuple[Label, AnswerKind], int] = {}
        self._suspicions = Suspicions()
        self._ledger = Ledger(self._contract)
        self._requests = 0
        self._started = self._ended = monotonic()
        self._phase = "firing"
        self._running: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Fires, then shrinks. Raises `TargetError` where the target cannot be reached at all."""
        self._started, self._running = monotonic(), asyncio.current_task()
        ticking = asyncio.create_task(self._tick())
        try:
            await self._target.open()
            await self._fire()
            self._phase = "shrinking"
            await self._shrink()
        finally:
            ticking.cancel()
            self._ended = monotonic()
            await self._target.close()

    def result(self) -> Result:
        """What is known now."""
        suspicions = merged(self._suspicions.in_order())
        return Result(
            target=self._target.name,
            counts=dict(self._counts),
            findings=tuple(finding_of(suspicion, self._target, self._contract) for suspicion in suspicions),
            silences=tuple(self._ledger.in_order()),
            cases=sum(self._counts.values()),
            requests=self._requests,
            seconds=max(self._ended - self._started, 0.0),
            stopped=self.stopped,
        )

    # ------------------------------------------------------------------------------------------------ firing

    async def _fire(self) -> None:
        limit = asyncio.timeout(self.options.time)
        try:
            async with limit:
                await _together(self._work(), *(self._work() for _ in range(1, self.options.concurrency)))
        except TimeoutError:
            if not limit.expired():
                raise
            self.stopped = f"the time of {self.options.time:g} s was up"

    async def _work(self) -> None:
        while self.stopped is None:
            case = self._next()
            if case is None:
                return
            number = next(self._numbers)
            self._take(number, case, await self._send(case.body, case.headers))

    def _next(self) -> Case | None:
        try:
            return next(self._cases, None)
        except KeyboardInterrupt:  # would tear the event loop down around the tasks that it still has
            if self._running is not None:
                self._running.cancel()
            return None

    async def _send(self, body: bytes, headers: Headers) -> Answer:
        if self._pacer.limited:
            await self._pacer.turn()
        self._requests += 1
        answer = await (self._target.send(body, headers) if headers else self._target.send(body))
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # a request that ends as it is cancelled takes the cancellation with it
            raise asyncio.CancelledError
        return answer

    def _take(self, number: int, case: Case, answer: Answer) -> None:
        verdict = self._verdict(case)
        counted = verdict.label, answer.kind
        self._counts[counted] = self._counts.get(counted, 0) + 1
        if verdict.label == "unspecified" and answer.reached:
            self._ledger.observe(case, verdict, answer.kind)
        kind = contradiction(*counted)
        if kind is not None and self._still_judged_so(case, verdict):
            self._suspicions.add(kind, number, case, verdict, answer)
            self._consider_stopping(answer)

    def _verdict(self, case: Case) -> Verdict:
        """The case's verdict, judged anew where the user has pinned a silence that may be touched."""
        return self._judge(case, case.body) if self.options.stances and case.verdict.silences else case.verdict

    def _still_judged_so(self, case: Case, verdict: Verdict) -> bool:
        """Whether the case is still what it was when it was made: what was in the future may be past by now."""
        return self.options.now is not None or self._judge(case, case.body).label == verdict.label

    def _judge(self, case: Case, body: bytes) -> Verdict:
        """The verdict on bytes that go as the case's do."""
        options = self.options
        return check(case.message_type, body, now=options.now, contract=self._contract, stances=options.stances, headers=case.headers)

    def _consider_stopping(self, answer: Answer) -> None:
        if not answer.reached:
            self.stopped = "the target takes no connections any more"
        elif self.options.max_findings is not None and len(self._suspicions) >= self.options.max_findings:
            self.stopped = self.stopped or f"{len(self._suspicions)} different contradictions were found"

    # ------------------------------------------------------------------------------------------------ shrinking

    async def _shrink(self) -> None:
        waiting = iter([suspicion for suspicion in self._suspicions.in_order() if suspicion.answer.reached])
        bounds = Bounds(self.options.shrink_requests, monotonic() + self.options.shrink_seconds)
        if self.options.shrink_requests > 0:
            await _together(*(self._each(waiting, bounds, self._shrink_one) for _ in range(self.options.concurrency)))
            shrunk = iter([suspicion for suspicion in first_of_each(self._suspicions.in_order()) if suspicion.reproduced])
            await _together(*(self._each(shrunk, bounds, self._explain_one) for _ in range(self.options.concurrency)))

    async def _each(self, waiting: Iterable[Suspicion], bounds: Bounds, do: Callable[[Suspicion, Bounds], Awaitable[None]]) -> None:
        for suspicion in waiting:
            await do(suspicion, bounds)

    async def _shrink_one(self, suspicion: Suspicion, bounds: Bounds) -> None:
        case = suspicion.case
        shrinker = Shrinker(
            suspicion.body,
            suspicion.verdict,
            suspicion.answer,
            send=lambda body: self._send(body, case.headers),
            judge=lambda body: self._judge(case, body),
            schemas=self._schemas(case),
            bounds=bounds,
        )
        try:
            await shrinker.run()
        finally:  # what is reached so far counts, when the campaign is interrupted too
            suspicion.body, suspicion.verdict, suspicion.answer = shrinker.body, shrinker.verdict, shrinker.answer
            suspicion.places, suspicion.reproduced, suspicion.whole = shrinker.places, shrinker.reproduced, shrinker.whole

    async def _explain_one(self, suspicion: Suspicion, bounds: Bounds) -> None:
        """Finds what the smallest message lacks, where it is one that should have been accepted."""
        case = suspicion.case
        turning = Turning(
            suspicion.body,
            send=lambda body: self._send(body, case.headers),
            judge=lambda body: self._judge(case, body),
            schemas=self._schemas(case),
            bounds=bounds,
            known=suspicion.places,
            thorough=suspicion.whole and not suspicion.places and not case.headers,
        )
        try:
            await turning.run()
        finally:
            suspicion.hangs_on(turning.places)

    def _schemas(self, case: Case) -> Schemas:
        return {path: site.schema for path, site in self._contract.sites[case.message_type].items()}

    # ------------------------------------------------------------------------------------------------ progress

    async def _tick(self) -> None:
        while self._on_progress is not None:
            cases = sum(self._counts.values())
            seconds = monotonic() - self._started
            self._on_progress(Progress(self._phase, cases, len(self._suspicions), self._requests, seconds, self.options.total))
            await asyncio.sleep(TICK)


async def _together(*work: Coroutine[Any, Any, None]) -> None:
    """Does the work at once; the first that fails ends the others and raises what it raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for piece in work:
                group.create_task(piece)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
