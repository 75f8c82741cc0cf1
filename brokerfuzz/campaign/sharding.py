"""Runs a campaign in several processes, and combines the results.

A shard is a part of the cases. Any process can send any shard. The result of the campaign is the same for any number of
workers. If a worker is lost, the campaign ends, and can be continued from its journal.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

from brokerfuzz.campaign.case_runner import CaseRunner, Numbered
from brokerfuzz.campaign.journal import Answered, CollectedLines, Journal, Recalled, Writer
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.options import Options
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.proof import Rejection
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.target_health import FirstContact
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.targets import Answer, Target, event_loop
from brokerfuzz.targets.target import opened
from brokerfuzz.workers import Workers


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
    lines.
    """

    plan: Shards
    target: Target
    options: Options
    begun: float
    contact: FirstContact
    journal: str | None


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


class ShardTask(NamedTuple):
    """A shard to send, the seconds that are left, and the answers that are already in the journal."""

    shard: int
    seconds: float | None
    answered: Answered | None


def fire_shard(settings: ShardSettings, task: ShardTask) -> ShardResult:
    """Sends the cases of one shard, except for cases with an answer. Raises `TargetError` or `JournalError`."""
    return event_loop.run(_fire_shard(settings, task))


async def _fire_shard(settings: ShardSettings, task: ShardTask) -> ShardResult:
    options = settings.options
    journal: Writer = CollectedLines() if settings.journal is None else Journal.joined(settings.journal)
    sender = Sender(
        settings.target,
        rate=options.rate,
        journal=journal,
        recalled=task.answered,
        ago=time.time() - settings.begun,
        fresh=options.fresh_values,
        longest_wait=options.longest_wait,
    )
    sender.health.contact = settings.contact
    plan = settings.plan
    runner = CaseRunner(plan.cases(task.shard), sender, options, twins_elsewhere=plan.valid_ids)
    with closing(journal):
        async with opened(settings.target):
            await runner.run(task.seconds)
    return ShardResult(
        task.shard,
        runner.seen,
        sender.timing,
        sender.requests,
        runner.stop,
        runner.waiting,
        runner.answers_to_twins,
        journal.lines if isinstance(journal, CollectedLines) else [],
    )


def fire_shards(
    settings: ShardSettings,
    workers: Workers,
    on_result: Callable[[ShardResult], Stop | None],
    recalled: Recalled | None,
    seconds: float | None,
) -> None:
    """Sends shards until no shard is left, `seconds` have passed, or `on_result` returns a reason to stop.

    `on_result` is called with the result of each shard, in the order of the shards. Raises `WorkerError` if a worker is
    lost.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    stopped = False

    def tasks() -> Iterator[ShardTask]:
        for shard in settings.plan.shards():
            if stopped:
                return
            left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
            yield ShardTask(shard, left, recalled.block(shard) if recalled else None)

    with closing(workers.map(partial(fire_shard, settings), tasks())) as results:
        for result in results:
            stop = on_result(result)
            stopped = stopped or stop is not None or result.is_empty
            if stop is not None and stop.cause == "target":
                return  # the target no longer answers, so the other shards would only wait
