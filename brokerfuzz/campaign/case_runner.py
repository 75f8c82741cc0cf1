"""Sends the cases of a campaign.

If the target rejects a message that is not valid, brokerfuzz also sends the twin (the valid counterpart). A twin that
is also a case is not sent again, and any other twin is sent once per shard (see `sharding`). The module `proof` decides
whether the rejection is proven. All asyncio tasks take the cases from the same iterator, so only a few cases are in
memory at any time.
"""

import asyncio
from collections.abc import Container, Coroutine, Iterator, Mapping
from time import monotonic
from typing import Any

from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.journal import BLOCK, Key, NotRecalledError
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.options import Options
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.proof import Rejection
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.campaign.twins import twin_of_probe
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer
from brokerfuzz.wording import counted

TWINS_KEPT = 8192
"""The maximum number of valid messages whose answers are kept in memory. A catalogue has only about two thousand
different twins.
"""

TURN = 0.002
"""The runner pauses after this time (in seconds). During the pause, other tasks run, such as the task that checks the
time limit. Without these pauses, answers that arrive without waiting (from a journal, or from an application in this
process) would block other tasks.
"""

Numbered = tuple[int, Case]


class CaseRunner:
    """Sends cases to a target and collects the results in `seen`. If the campaign ends before the last case, `stop`
    contains the reason.

    `twins_elsewhere` contains the IDs of twins that this runner does not send, because they are cases of the campaign.
    """

    def __init__(
        self, cases: Iterator[Numbered], sender: Sender, options: Options, *, twins_elsewhere: Container[str] = ()
    ) -> None:
        self.seen = Observations(sporadic=sender.sporadic)
        self.stop: Stop | None = None
        self._cases, self._sender, self._options, self._judge = cases, sender, options, options.judge
        self._twins_elsewhere = twins_elsewhere
        self._twins: dict[str, Answer | None] = {}
        self._waiting: dict[str, list[Rejection]] = {}
        self._running: asyncio.Task[Any] | None = None
        self._turn_ends = 0.0
        self._findings_begin = float("inf")

    async def run(self, seconds: float | None = None) -> None:
        """Sends several cases at the same time, until no case is left, `seconds` have passed, or a limit of the options
        is reached.
        """
        self._running = asyncio.current_task()
        if seconds is not None:
            self._findings_begin = monotonic() + seconds - self._options.time_for_findings
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                await together(*(self._work() for _ in range(self._options.concurrency)))
        except TimeoutError:
            if not limit.expired():
                raise
            self.stop = self.stop or time_limit(self._options)

    async def _work(self) -> None:
        while self.stop is None:
            if monotonic() > self._turn_ends:
                await asyncio.sleep(0)
                self._turn_ends = monotonic() + TURN
                if monotonic() > self._findings_begin and needs_time(self.seen):
                    self.stop = self.stop or time_limit(self._options)
                continue
            found = self._next()
            if found is None:
                return
            number, case = found
            try:
                await self._fire(number, case)
            except (NotRecalledError, TargetLostError):
                continue

    def _next(self) -> Numbered | None:
        try:
            return next(self._cases, None)
        except KeyboardInterrupt:  # without this line, the event loop would stop while tasks are still running
            if self._running is not None:
                self._running.cancel()
            return None

    async def _fire(self, number: int, case: Case) -> None:
        is_twin = case.label == "valid" and not case.headers
        if is_twin:
            self._remember(case.id, None)
        try:
            answer = await self._send("case", number, case)
        except UnsendableError:
            self.seen.left_out += 1
            return
        rejection = self.seen.add(number, case, answer, self._judge)
        self._consider_stopping()
        if is_twin:
            self._set_twin_answer(case.id, answer)
        elif rejection is not None:
            rejection.is_conflict = self._sender.is_conflict(case, answer)
            await self._check_rejection(rejection)

    async def _send(self, phase: str, number: int, case: Case) -> Answer:
        """If the target no longer answers, the campaign stops. All messages that were sent but not answered count as
        one finding.
        """
        try:
            return await self._sender.send(Key(phase, number), case, case.body)
        except TargetLostError as lost:
            self.stop = self.stop or Stop(lost.reason, "target")
            if lost.sent and not lost.excused:
                self.seen.suspicions.add("stopped-answering", number, case, self._judge.verdict(case), lost.answer)
            raise

    # ------------------------------------------------------------------------------------------------ twins

    async def _check_rejection(self, rejection: Rejection) -> None:
        """Sends the twin of a rejected message, because the answer to the twin can prove the rejection (see `proof`).
        If the twin was already sent, the method uses the earlier answer.
        """
        case, plain = rejection.case, self._sender.contact.case
        twin = case.twin
        if twin is None and plain is not None and not case.faults:
            twin = twin_of_probe(case, rejection.verdict, plain, self._judge)
        if twin is None or not self._sender.can_send(twin):
            self._settle(rejection)
            return
        rejection.twin = twin
        is_case = twin.id in self._twins or twin.id in self._twins_elsewhere
        name = twin.id if is_case else f"{rejection.number // BLOCK}:{twin.id}"
        if name not in self._twins and not is_case:
            self._remember(name, None)
            answer = await self._send("twin", rejection.number, twin)
            self._check_twin(rejection.number, twin, answer)
            self._set_twin_answer(name, answer)
        self._settle_with_twin(rejection, name)

    def _settle_with_twin(self, rejection: Rejection, name: str) -> None:
        """Settles a rejection as soon as the answer to its twin is known. `name` is the key of the twin in `_twins`."""
        rejection.twin_answer = self._twins.get(name)
        if rejection.twin_answer is None:
            self._waiting.setdefault(name, []).append(rejection)
        else:
            self._settle(rejection)

    def _set_twin_answer(self, name: str, answer: Answer) -> None:
        self._remember(name, answer)
        for rejection in self._waiting.pop(name, ()):
            rejection.twin_answer = answer
            self._settle(rejection)

    @property
    def waiting(self) -> list[Rejection]:
        """The rejections whose twins are cases that this runner has not sent."""
        return [rejection for some in self._waiting.values() for rejection in some]

    @property
    def answers_to_twins(self) -> Mapping[str, Answer]:
        """The answers to cases that may be twins of cases in other shards, with the IDs of these cases."""
        return {
            name: answer for name, answer in self._twins.items() if answer is not None and name in self._twins_elsewhere
        }

    def absorb(self, seen: Observations, waiting: list[Rejection], answers_to_twins: Mapping[str, Answer]) -> None:
        """Adds the results of another runner."""
        self.seen.absorb(seen)
        for name, answer in answers_to_twins.items():
            self._set_twin_answer(name, answer)
        for rejection in waiting:
            if rejection.twin is not None:
                self._settle_with_twin(rejection, rejection.twin.id)

    def _settle(self, rejection: Rejection) -> None:
        self.seen.settle(rejection, self._judge, plain_accepted=self._sender.contact.accepted)

    def _remember(self, name: str, answer: Answer | None) -> None:
        self._twins[name] = answer
        if len(self._twins) > TWINS_KEPT:
            del self._twins[next(iter(self._twins))]

    def _check_twin(self, number: int, twin: Case, answer: Answer) -> None:
        self.seen.twins_sent += 1
        self.seen.twins_accepted += answer.kind == "accepted"
        kind = contradiction(twin.label, answer.kind)
        if kind is not None:
            self.seen.suspicions.add(kind, number, twin, twin.verdict, answer)
            self._consider_stopping()

    def _consider_stopping(self) -> None:
        limit = self._options.max_findings
        if limit is not None and self.seen.suspicions.new(self._options.known) >= limit:
            self.stop = self.stop or findings_limit(limit)


def needs_time(seen: Observations) -> bool:
    """Returns whether there is something to shrink or to retest."""
    return bool(seen.suspicions) or bool(seen.proofs.waiting)


def time_limit(options: Options) -> Stop:
    return Stop(f"the time limit of {options.time:g} s was reached", "limit")


def findings_limit(max_findings: int) -> Stop:
    return Stop(f"the limit of {counted(max_findings, 'finding')} was reached", "limit")


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Runs all coroutines at the same time. If a coroutine raises an exception, the function cancels the other
    coroutines and raises the exception.

    A TaskGroup of Python 3.11 or 3.12 would leave the current task marked as cancelled, so a time limit would look like
    Ctrl-C.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
