"""Runs a campaign in several processes, and combines the results.

A shard is a part of the cases. Any process can send any shard. If a worker process is lost, another worker sends the same shard
again, except for the messages whose answers are in the journal. The result of the campaign is the same for any number of workers.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from brokerfuzz.campaign.case_runner import CaseRunner, Numbered
from brokerfuzz.campaign.journal import Answered, CollectedLines, Journal, Recalled, Writer
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.options import Options
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.target_health import FirstContact
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.errors import WorkerError
from brokerfuzz.targets import Target, event_loop
from brokerfuzz.targets.target import opened
from brokerfuzz.workers import WorkerPool

AHEAD = 2
"""The maximum number of shards per worker that are running or queued. The queue prevents workers from waiting for their next shard."""
ATTEMPTS = 3
"""The maximum number of times that a shard is started. If its worker is lost every time, the shard is probably the reason, so the campaign fails."""


class Shards(Protocol):
    """Cases that are divided into shards, such as `cases.plan.Plan`. Each worker receives a copy of this object."""

    def shards(self) -> Iterator[int]: ...

    def cases(self, shard: int) -> Iterator[Numbered]: ...


@dataclass(frozen=True)
class ShardSettings:
    """The settings that all workers share.

    `options.rate` applies to each worker separately. `begun` is the time at which the campaign started (on the clock `time.time`).
    `journal` is the file to which the workers append lines. If `journal` is None, the workers return the lines.
    """

    plan: Shards
    target: Target
    options: Options
    begun: float
    contact: FirstContact
    journal: str | None


@dataclass
class ShardResult:
    shard: int
    seen: Observations
    timing: Timing
    requests: int
    stop: Stop | None
    lines: list[bytes] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True if the shard contains no cases. Then the campaign sends no further shards."""
        return not self.seen.counts and not self.seen.left_out


def fire_shard(settings: ShardSettings, shard: int, seconds: float | None, answered: Answered | None) -> ShardResult:
    """Sends the cases of one shard, except for cases whose answers are in `answered`. Raises `TargetError` or `JournalError`."""
    return event_loop.run(_fire_shard(settings, shard, seconds, answered))


async def _fire_shard(settings: ShardSettings, shard: int, seconds: float | None, answered: Answered | None) -> ShardResult:
    options = settings.options
    journal: Writer = CollectedLines() if settings.journal is None else Journal.joined(settings.journal)
    sender = Sender(
        settings.target,
        rate=options.rate,
        journal=journal,
        recalled=answered,
        ago=time.time() - settings.begun,
        fresh=options.fresh_values,
        patience=options.patience,
    )
    sender.health.contact = settings.contact
    runner = CaseRunner(settings.plan.cases(shard), sender, options.judge, max_findings=options.max_findings)
    with closing(journal):
        async with opened(settings.target):
            await runner.run(options.concurrency, seconds)
    return ShardResult(shard, runner.seen, sender.timing, sender.requests, runner.stop, journal.lines if isinstance(journal, CollectedLines) else [])


class Sharding:
    def __init__(self, settings: ShardSettings, pool: WorkerPool) -> None:
        self._settings, self._pool = settings, pool
        self._attempts: dict[int, int] = {}
        self._under_way: dict[Future[ShardResult], int] = {}
        self._lost: list[int] = []

    def run(self, on_result: Callable[[ShardResult], Stop | None], recalled: Recalled | None, seconds: float | None) -> None:
        """Sends shards until no shard is left, `seconds` have passed, or `on_result` returns a reason to stop.

        `on_result` is called with the result of each shard. Raises `WorkerError` if workers are lost repeatedly.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        waiting = iter(self._settings.plan.shards())
        stopped = False
        while True:
            room = 0 if stopped else self._pool.workers * AHEAD - len(self._under_way)
            for shard in islice(waiting, room):
                self._submit(shard, recalled, deadline)
            if self._lost:
                self._restart_lost(recalled, deadline)
            elif not self._under_way:
                return
            stopped = self._gather(on_result) or stopped

    def _submit(self, shard: int, recalled: Recalled | None, deadline: float | None) -> None:
        self._attempts[shard] = self._attempts.get(shard, 0) + 1
        if self._attempts[shard] > ATTEMPTS:
            raise WorkerError(f"workers were lost {ATTEMPTS} times while they sent shard {shard}: check that the workers have enough memory")
        left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
        answered = recalled.block(shard) if recalled else None
        try:
            self._under_way[self._pool.executor.submit(fire_shard, self._settings, shard, left, answered)] = shard
        except BrokenExecutor:  # a worker was lost since the last check
            self._lost.append(shard)

    def _gather(self, on_result: Callable[[ShardResult], Stop | None]) -> bool:
        """Passes the results of finished shards to `on_result`. If a worker was lost, adds its shard to `_lost`. Returns whether
        the campaign must stop.
        """
        stopped = False
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in done:
            shard = self._under_way.pop(future)
            try:
                part = future.result()
                stop = on_result(part)
                stopped = stop is not None or part.is_empty or stopped
                if stop is not None and stop.cause == "target":
                    self._cancel_waiting()
            except BrokenExecutor:
                self._lost.append(shard)
        return stopped

    def _cancel_waiting(self) -> None:
        """Cancels the shards that no worker has begun. The target no longer answers, so these shards would only wait."""
        for future in list(self._under_way):
            if future.cancel():
                del self._under_way[future]

    def _restart_lost(self, recalled: Recalled | None, deadline: float | None) -> None:
        lost = [*self._lost, *self._under_way.values()]
        self._lost.clear()
        self._under_way.clear()
        self._pool.renew()
        journal = self._settings.journal
        with closing(Recalled(journal)) if journal else nullcontext(recalled) as known:
            for shard in sorted(lost):
                self._submit(shard, known, deadline)
