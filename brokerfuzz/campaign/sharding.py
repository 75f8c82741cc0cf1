"""Runs a campaign in several processes, and combines the results.

A shard is a part of the cases. Any process can send any shard. If a worker process is lost, another worker sends the
same shard again, except for the messages whose answers are in the journal. The result of the campaign is the same for
any number of workers.
"""

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from brokerfuzz.campaign.case_runner import CaseRunner, Numbered
from brokerfuzz.campaign.journal import Answered, CollectedLines, Journal, Recalled, Writer
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.options import Options
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.proof import Rejection
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.target_health import FirstContact
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.errors import WorkerError
from brokerfuzz.targets import Answer, Target, event_loop
from brokerfuzz.targets.target import opened
from brokerfuzz.workers import WorkerPool

AHEAD = 2
"""The maximum number of shards per worker that are running or queued, or whose results wait for earlier shards. The
queue prevents workers from waiting for their next shard.
"""
MOST_LOSSES = 3
"""If workers are lost this number of times without a new result, the shards are probably the reason, so the campaign
fails.
"""


class Shards(Protocol):
    """Cases that are divided into shards, such as `cases.plan.Plan`. Each worker receives a copy of this object."""

    def shards(self) -> Iterator[int]: ...

    def cases(self, shard: int) -> Iterator[Numbered]: ...

    @property
    def valid_ids(self) -> frozenset[str]:
        """The IDs of valid cases. Each of these cases may be the twin of cases in other shards."""
        ...


@dataclass(frozen=True)
class ShardSettings:
    """The settings that all workers share.

    `options.rate` applies to each worker separately. `begun` is the time at which the campaign started (on the clock
    `time.time`). `journal` is the file to which the workers append lines. If `journal` is None, the workers return the
    lines. `folder` is the folder in which the workers store their results.
    """

    plan: Shards
    target: Target
    options: Options
    begun: float
    contact: FirstContact
    journal: str | None
    folder: str | None


@dataclass
class ShardResult:
    """The results of a shard. For `waiting` and `answers_to_twins`, see `CaseRunner`."""

    shard: int
    seen: Observations
    timing: Timing
    requests: int
    stop: Stop | None
    waiting: list[Rejection]
    answers_to_twins: Mapping[str, Answer]
    lines: list[bytes] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True if the shard contains no cases. Then the campaign sends no further shards."""
        return not self.seen.counts and not self.seen.left_out


def fire_shard(
    settings: ShardSettings, shard: int, seconds: float | None, answered: Answered | None
) -> ShardResult | Path:
    """Sends the cases of one shard, except for cases whose answers are in `answered`. Raises `TargetError` or
    `JournalError`.

    Returns the path of a file with the result, or the result itself if it cannot be written to a file. A process that
    is killed while it writes a large result to a pipe would leave the reader waiting for the rest, but a path is
    written at once.
    """
    result = event_loop.run(_fire_shard(settings, shard, seconds, answered))
    if settings.folder is None:
        return result
    path = Path(settings.folder, uuid4().hex)
    try:
        path.write_bytes(pickle.dumps(result))
    except OSError:  # the disk is full
        path.unlink(missing_ok=True)
        return result
    return path


async def _fire_shard(
    settings: ShardSettings, shard: int, seconds: float | None, answered: Answered | None
) -> ShardResult:
    options = settings.options
    journal: Writer = CollectedLines() if settings.journal is None else Journal.joined(settings.journal)
    sender = Sender(
        settings.target,
        rate=options.rate,
        journal=journal,
        recalled=answered,
        ago=time.time() - settings.begun,
        fresh=options.fresh_values,
        longest_wait=options.longest_wait,
    )
    sender.health.contact = settings.contact
    plan = settings.plan
    runner = CaseRunner(plan.cases(shard), sender, options, twins_elsewhere=plan.valid_ids)
    with closing(journal):
        async with opened(settings.target):
            await runner.run(seconds)
    return ShardResult(
        shard,
        runner.seen,
        sender.timing,
        sender.requests,
        runner.stop,
        runner.waiting,
        runner.answers_to_twins,
        journal.lines if isinstance(journal, CollectedLines) else [],
    )


def _taken(found: ShardResult | Path) -> ShardResult:
    """Returns the result of a shard, and deletes its file."""
    if isinstance(found, ShardResult):
        return found
    result: ShardResult = pickle.loads(found.read_bytes())  # noqa: S301 - only this process and its workers can write to the folder
    found.unlink()
    return result


_Running = Future[ShardResult | Path]


class Sharding:
    """`_finished` contains the results that wait for the results of earlier shards, and `_order` lists the shards
    without a result.
    """

    def __init__(self, settings: ShardSettings, pool: WorkerPool) -> None:
        self._settings, self._pool = settings, pool
        self._losses = 0
        self._under_way: dict[int, _Running] = {}
        self._finished: dict[int, ShardResult] = {}
        self._order: deque[int] = deque()

    def run(
        self, on_result: Callable[[ShardResult], Stop | None], recalled: Recalled | None, seconds: float | None
    ) -> None:
        """Sends shards until no shard is left, `seconds` have passed, or `on_result` returns a reason to stop.

        `on_result` is called with the result of each shard, in the order of the shards. Raises `WorkerError` if workers
        are lost repeatedly.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        waiting = iter(self._settings.plan.shards())
        stopped = False
        while True:
            room = 0 if stopped else max(self._pool.workers * AHEAD - len(self._order), 0)
            for shard in islice(waiting, room):
                self._order.append(shard)
                self._submit(shard, recalled, deadline)
            if not self._under_way:
                return
            try:
                self._gather()
            except BrokenExecutor as problem:
                self._restart_lost(problem, recalled, deadline)
            stopped = self._pass_on(on_result) or stopped

    def _submit(self, shard: int, recalled: Recalled | None, deadline: float | None) -> None:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
        answered = recalled.block(shard) if recalled else None
        try:
            self._under_way[shard] = self._pool.executor.submit(fire_shard, self._settings, shard, left, answered)
        except BrokenExecutor as problem:  # a worker was lost since the last check
            self._under_way[shard] = _Running()
            self._under_way[shard].set_exception(problem)

    def _gather(self) -> None:
        """Waits for results. Raises `BrokenExecutor` if a worker was lost."""
        wait(self._under_way.values(), return_when=FIRST_COMPLETED)
        for shard, future in list(self._under_way.items()):
            if future.done():
                self._finished[shard] = _taken(future.result())
                del self._under_way[shard]
                self._losses = 0

    def _pass_on(self, on_result: Callable[[ShardResult], Stop | None]) -> bool:
        """Passes results to `on_result`, except those that wait for an earlier shard. Returns whether the campaign must
        stop.
        """
        stopped = False
        while self._order and self._order[0] in self._finished:
            part = self._finished.pop(self._order.popleft())
            stop = on_result(part)
            stopped = stop is not None or part.is_empty or stopped
            if stop is not None and stop.cause == "target":
                self._cancel_waiting()
        return stopped

    def _cancel_waiting(self) -> None:
        """Cancels the shards that no worker has begun. The target no longer answers, so these shards would only
        wait.
        """
        for shard, future in list(self._under_way.items()):
            if future.cancel():
                del self._under_way[shard]
                self._order.remove(shard)

    def _restart_lost(self, problem: BrokenExecutor, recalled: Recalled | None, deadline: float | None) -> None:
        """Starts new workers, which send the shards of the lost workers again. Answers that are already in the journal
        are not lost.
        """
        journal = self._settings.journal
        self._losses += 1
        if self._losses == MOST_LOSSES:
            remedy = "check that the workers have enough memory" + (
                f", and continue with --resume {journal}" if journal else ""
            )
            raise WorkerError(
                f"workers were lost {MOST_LOSSES} times while they sent the same cases: {remedy}"
            ) from problem
        self._pool.renew()
        lost = [shard for shard, future in self._under_way.items() if isinstance(future.exception(), BrokenExecutor)]
        with closing(Recalled(journal)) if journal else nullcontext(recalled) as known:
            for shard in lost:
                self._submit(shard, known, deadline)
