"""Lets other processes send the cases of a campaign.

The plan divides the cases into parts. A worker sends all cases of a part and their twins, and returns the exchanges.
The campaign looks up each answer there, as if it came from a journal. If an answer is missing, because the target did
not answer the worker, the campaign asks the target itself. So the result does not depend on the number of workers.

Workers on this machine write each exchange to the journal as soon as the answer arrives. If a worker is lost, the
campaign ends, and a journal continues it without a loss.
"""

import asyncio
import pickle
import time
from concurrent.futures import Future
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, replace

from brokerfuzz.campaign.case_stream import CaseStream
from brokerfuzz.campaign.exchanges import Exchange
from brokerfuzz.campaign.journal import Journal
from brokerfuzz.campaign.sending import Sender, TargetLostError, UnsendableError
from brokerfuzz.campaign.settings import Settings
from brokerfuzz.campaign.twins import twin_of
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import CATALOGUE_PER_SHARD, STRIDE
from brokerfuzz.targets import Target, threads
from brokerfuzz.targets.hidden_output import output_without_secrets
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.targets.target import opened
from brokerfuzz.workers import AHEAD, Workers

_SHARE_OF_TIME = 0.9
"""The share of the remaining time after which workers return what they have."""


@dataclass(frozen=True)
class _Shared:
    """What all workers get. `target` is pickled, and `begun` is the time at which the campaign started (on the clock
    `time.time`). Workers on this machine append their exchanges to the file `journal`, and remove `secrets` from what
    they print.
    """

    settings: Settings
    target: bytes
    plain: Case | None
    rate: float | None
    begun: float
    journal: str | None
    secrets: Secrets | None
    case_ids: frozenset[str]


class WorkerAnswers:
    """The answers that the workers of `pool` get from the target, which must not be open yet."""

    def __init__(self, pool: Workers, settings: Settings, target: Target, sender: Sender) -> None:
        self._pool, self._settings, self._target = pool, settings, pickle.dumps(target)
        self._sender = sender
        self._parts = settings.plan.shards()
        self._futures: dict[int, Future[list[Exchange]]] = {}
        self._last = -1
        """The last part that was submitted."""
        is_local = isinstance(settings.options["workers"], int)
        self._journal = settings.journal if is_local else None
        self._secrets = target.secrets if is_local else None

    def begin(self, deadline: float, case_ids: frozenset[str]) -> None:
        """Begins to send cases after the first contact. `deadline` is the end of the campaign, and `case_ids` contains
        the IDs of valid cases, which may be twins. If a journal already contains some answers of a part, the campaign
        itself sends the other cases of this part.
        """
        settings, sender = self._settings, self._sender
        sender.fetch = self._fetch
        self._deadline = deadline
        rate = settings.options["rate"]
        self._shared = _Shared(
            replace(settings, known=()),
            self._target,
            sender.plain,
            rate and rate / self._pool.count,
            time.time() - (time.monotonic() - sender.started),
            self._journal,
            self._secrets,
            case_ids,
        )
        self._added = set(sender.known.parts)
        self._homes = {
            case.id: place // CATALOGUE_PER_SHARD
            for place, case in enumerate(settings.plan.catalogue_cases())
            if case.id in self._shared.case_ids
        }

    async def _fetch(self, case: Case, number: int) -> None:
        """Waits until a worker has sent a case or a twin. `number` is the number of the case. Raises `WorkerError` if a
        worker is lost.
        """
        part = self._homes.get(case.id, number // STRIDE)
        self._submit(part + AHEAD * self._pool.count)
        if part in self._added or part not in self._futures:
            return
        exchanges_of_part = await self._pool.result(self._futures[part])
        if part not in self._added:
            self._added.add(part)
            del self._futures[part]
            for exchange in exchanges_of_part:
                self._sender.add(exchange, writes=self._journal is None)

    def _submit(self, last: int) -> None:
        while self._last < last and (part := next(self._parts, None)) is not None:
            self._last = part
            if part not in self._added:
                self._futures[part] = self._pool.submit(_send_part, self._shared, part, self._end_of_part())

    def _end_of_part(self) -> float:
        """The time at which workers return what they have, in seconds since the campaign started. The campaign does not
        know earlier whether there are findings, so this is before the time for explaining them begins.
        """
        now = time.monotonic()
        explaining = self._deadline - self._settings.time_for_findings
        end = explaining if explaining > now else self._deadline
        return now + (end - now) * _SHARE_OF_TIME - self._sender.started


# ------------------------------------------------------------------------------------------------ in a worker


def _send_part(shared: _Shared, part: int, end: float) -> list[Exchange]:
    """Sends the cases of a part and their twins until the time `end`, and returns the exchanges."""
    with nullcontext() if shared.secrets is None else output_without_secrets(shared.secrets):
        return threads.run(_exchanges_of(shared, part, end))


async def _exchanges_of(shared: _Shared, part: int, end: float) -> list[Exchange]:
    settings, options = shared.settings, shared.settings.options
    target: Target = pickle.loads(shared.target)  # noqa: S301 - data from the process of the campaign
    sent: list[Exchange] = []
    with ExitStack() as stack:
        cases = stack.enter_context(closing(CaseStream(settings.plan.cases(part))))
        journal = None if shared.journal is None else stack.enter_context(closing(Journal.joined(shared.journal)))

        def record(exchange: Exchange) -> None:
            sent.append(exchange)
            if journal is not None:
                journal.add(exchange)

        sender = Sender(
            target,
            rate=shared.rate,
            record=record,
            fresh=settings.fresh_values,
            longest_wait=options["longest_wait"],
        )
        sender.started = time.monotonic() - (time.time() - shared.begun)
        sender.plain = shared.plain

        async def work() -> None:
            while (numbered_case := await cases.next()) is not None:
                with suppress(UnsendableError, TargetLostError):
                    await _send(sender, shared, *numbered_case)

        time_left = None if end == float("inf") else sender.started + end - time.monotonic()
        with suppress(TimeoutError):
            async with opened(target), asyncio.timeout(time_left):
                await threads.together(*(work() for _ in range(options["concurrency"])))
    return sent


async def _send(sender: Sender, shared: _Shared, number: int, case: Case) -> None:
    """Sends a case, and also its twin if a campaign would do so. A twin that is also a case is sent as this case."""
    answer = await sender.ask("case", number, case)
    judge = shared.settings.judge
    verdict = judge.verdict(case)
    if answer.kind == "rejected" and verdict.label != "valid":
        twin = twin_of(case, verdict, sender.plain, judge)
        if twin is not None and twin.id not in shared.case_ids:
            await sender.ask("twin", number, twin)
