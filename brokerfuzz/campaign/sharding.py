"""A campaign over many processes: each fires a shard of the cases at a time, and what it saw is put together here.

A shard can be fired by any process, and again by another where one was lost. So a campaign's result is the same for any number of workers,
and where one is killed within it: what was answered before is in the journal, and is not sent again.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import Numbered, Volley
from brokerfuzz.campaign.fresh_values import Freshness
from brokerfuzz.campaign.journal import Answered, Collected, Journal, Recalled, Writer
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.errors import WorkerError
from brokerfuzz.targets import Target, event_loop
from brokerfuzz.workers import WorkerPool

AHEAD = 2
"""How many shards a worker has waiting, so that none is idle."""
ATTEMPTS = 3
"""How often a shard is begun, at the most: a worker that is lost each time is lost for a reason."""


class Shards(Protocol):
    """Cases in shards, as `cases.plan.Plan` has them. It is sent to other processes."""

    def shards(self) -> Iterator[int]:
        """The shards' numbers."""
        ...

    def cases(self, shard: int) -> Iterator[Numbered]:
        """A shard's cases with their numbers."""
        ...


@dataclass(frozen=True)
class Orders:
    """What a worker needs to know besides its shard: what is said to each of them. `journal` is a file that it can append to; None, where
    it is to send its lines back. `begun` is when the campaign began (`time.time`)."""

    plan: Shards
    target: Target
    judge: Judge
    concurrency: int
    rate: float | None
    max_findings: int | None
    begun: float
    fresh: Freshness | None = None
    journal: str | None = None


@dataclass
class ShardResult:
    """What one shard gave."""

    shard: int
    seen: Observations
    timing: Timing
    requests: int
    stopped: str | None
    lines: list[bytes] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there was no case: what is wanted may be so little that nothing new can be drawn."""
        return not self.seen.counts and not self.seen.left_out


def fire_shard(orders: Orders, shard: int, seconds: float | None, answered: Answered | None) -> ShardResult:
    """Fires one shard, in whatever process. `answered` is what is not sent again. Raises `TargetError`, `JournalError`."""
    return event_loop.run(_fire_shard(orders, shard, seconds, answered))


async def _fire_shard(orders: Orders, shard: int, seconds: float | None, answered: Answered | None) -> ShardResult:
    journal: Writer = Collected() if orders.journal is None else Journal.joined(orders.journal)
    sender = Sender(orders.target, rate=orders.rate, journal=journal, recalled=answered, ago=time.time() - orders.begun, fresh=orders.fresh)
    volley = Volley(orders.plan.cases(shard), sender, orders.judge, max_findings=orders.max_findings)
    await orders.target.open()
    try:
        await volley.run(orders.concurrency, seconds)
    finally:
        await orders.target.close()
        journal.close()
    return ShardResult(shard, volley.seen, sender.timing, sender.requests, volley.stopped, journal.lines if isinstance(journal, Collected) else [])


class Sharding:
    """The firing of a plan's shards by the workers of a pool."""

    def __init__(self, orders: Orders, pool: WorkerPool) -> None:
        self._orders, self._pool = orders, pool
        self._attempts: dict[int, int] = {}
        self._under_way: dict[Future[ShardResult], int] = {}
        self._lost: list[int] = []

    def run(self, take: Callable[[ShardResult], str | None], recalled: Recalled | None, seconds: float | None) -> None:
        """Fires until no shard is left, the time is up, or `take`, which gets each part as it comes, gives a reason to stop. Raises
        `WorkerError` where workers are lost again and again."""
        deadline = None if seconds is None else time.monotonic() + seconds
        waiting = iter(self._orders.plan.shards())
        stopped = False
        while True:
            room = 0 if stopped else self._pool.workers * AHEAD - len(self._under_way)
            for shard in islice(waiting, room):
                self._submit(shard, recalled, deadline)
            if self._lost:
                self._begin_anew(recalled, deadline)
            elif not self._under_way:
                return
            stopped = self._gather(take) or stopped

    def _submit(self, shard: int, recalled: Recalled | None, deadline: float | None) -> None:
        self._attempts[shard] = self._attempts.get(shard, 0) + 1
        if self._attempts[shard] > ATTEMPTS:
            raise WorkerError(f"shard {shard} was begun {ATTEMPTS} times, and each time its worker was lost: is there memory enough?")
        left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
        answered = recalled.block(shard) if recalled else None
        try:
            self._under_way[self._pool.executor.submit(fire_shard, self._orders, shard, left, answered)] = shard
        except BrokenExecutor:  # a worker was lost since the last look
            self._lost.append(shard)

    def _gather(self, take: Callable[[ShardResult], str | None]) -> bool:
        """Takes what has come, and notes what was lost; whether it is time to stop."""
        stopped = False
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in done:
            shard = self._under_way.pop(future)
            try:
                part = future.result()
                stopped = take(part) is not None or part.is_empty or stopped
            except BrokenExecutor:
                self._lost.append(shard)
        return stopped

    def _begin_anew(self, recalled: Recalled | None, deadline: float | None) -> None:
        lost = [*self._lost, *self._under_way.values()]
        self._lost.clear()
        self._under_way.clear()
        self._pool.renew()
        known = Recalled(self._orders.journal) if self._orders.journal else recalled
        for shard in sorted(lost):
            self._submit(shard, known, deadline)
