"""Runs a campaign: sends cases to a target, compares the answers with the verdicts, and explains the contradictions.

After all cases were sent, brokerfuzz shrinks the findings in the order of their cases. For this reason, the findings do
not depend on the order in which answers arrive.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from time import monotonic
from typing import Any

from brokerfuzz.campaign.advice import advice_about
from brokerfuzz.campaign.case_stream import CaseStream
from brokerfuzz.campaign.causes.investigation import Investigation
from brokerfuzz.campaign.causes.laboratory import Laboratory, accepted_examples
from brokerfuzz.campaign.exchanges import KnownAnswers
from brokerfuzz.campaign.failure import FailingMessage, Failure
from brokerfuzz.campaign.findings import findings_of
from brokerfuzz.campaign.first_contact import make_contact
from brokerfuzz.campaign.journal import Journal, exchanges
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.old_answers import OldAnswers
from brokerfuzz.campaign.problem import TRIES, Bounds
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.results import CampaignProgress, Result, Stop
from brokerfuzz.campaign.sending import Sender, TargetLostError, UnsendableError
from brokerfuzz.campaign.settings import Settings
from brokerfuzz.campaign.twins import Proving
from brokerfuzz.campaign.worker_answers import WorkerAnswers
from brokerfuzz.cases.case import Case
from brokerfuzz.errors import HookError, JournalError, TargetError, WorkerError
from brokerfuzz.targets import Target
from brokerfuzz.targets.threads import run, together
from brokerfuzz.workers import Workers
from brokerfuzz.workers import started as started_workers

TICK = 0.1
"""The time between two progress reports, in seconds."""
TURN = 0.002
"""After this time (in seconds), other tasks run, such as the task that checks the time limit. Without these pauses,
answers that arrive without waiting (from a journal, or from an application in this process) would block other tasks.
"""
GENERATING = "generating the catalogue"
REPEATING = 60.0
"""The maximum time for the repetitions of wrong answers, in seconds."""

OnProgress = Callable[[CampaignProgress], None]


class Campaign:
    """A campaign that runs in an event loop. You can call `result` at any time.

    `known` contains the answers of an earlier run, so that these messages are not sent again. Before the first case,
    the campaign sends ordinary valid messages until the target accepts one. If there is a `pool` of workers, they send
    the cases. `on_progress` is called about ten times per second.
    """

    def __init__(
        self,
        settings: Settings,
        target: Target,
        on_progress: OnProgress | None = None,
        *,
        known: KnownAnswers | None = None,
        journal: Journal | None = None,
        pool: Workers | None = None,
    ) -> None:
        self.stop: Stop | None = None
        self._settings = settings
        self._target = target
        self._on_progress = on_progress
        self._phase = "firing"
        self._deadline = monotonic() + (settings.options["max_time"] or float("inf"))
        self._cases = CaseStream(settings.plan.numbered())
        self._sender = Sender(
            target,
            rate=settings.options["rate"],
            known=known,
            record=None if journal is None else journal.add,
            fresh=settings.fresh_values,
            longest_wait=settings.options["longest_wait"],
        )
        self._workers = None if pool is None else WorkerAnswers(pool, settings, target, self._sender)
        self._proving = Proving(self._sender, settings.judge)
        self._old_answers = OldAnswers(self._sender, self._proving.known_identifiers, settings.judge.contract)
        self._seen = Observations(frozenset(entry["case"] for entry in settings.known))
        self._investigation: Investigation | None = None

    async def run(self) -> None:
        """Raises `TargetError` if the target cannot be reached."""
        ticking = asyncio.create_task(self._tick())
        try:
            await self._target.open()
            for phase in (self._make_contact, self._generate, self._fire, self._explain):
                await self._limited(phase())
        except (HookError, JournalError, TargetError) as problem:
            self._fail(problem)
        finally:
            ticking.cancel()
            self._cases.close()
            await self._target.close()

    async def _limited(self, phase: Coroutine[Any, Any, None]) -> None:
        limit = asyncio.timeout(None if self._deadline == float("inf") else max(self._deadline - monotonic(), 0))
        try:
            async with limit:
                await phase
        except TimeoutError:
            if not limit.expired():
                raise
            self._stop_at_time_limit()

    def _fail(self, problem: HookError | JournalError | TargetError) -> None:
        """Stops the campaign. Raises the error if the target has not accepted a message yet, because there is no result
        to keep.
        """
        if isinstance(problem, JournalError):
            self.stop = Stop(str(problem), "journal")
        elif self._sender.plain is None:
            raise problem
        elif isinstance(problem, HookError):
            self.stop = Stop(str(problem), "hook", problem.details)
        else:
            self.stop = Stop(str(problem), "target")

    def _stop_at_time_limit(self) -> None:
        reason = f"the time limit of {self._settings.options['max_time']:g} s was reached"
        if self._sender.waits_for:
            reason += f" while brokerfuzz waited for the target ({self._sender.waits_for})"
        self.stop = self.stop or Stop(reason, "limit")

    # ------------------------------------------------------------------------------------------------ first messages

    async def _make_contact(self) -> None:
        try:
            self.stop = await make_contact(
                self._sender, self._target, self._settings.plain, self._proving.known_identifiers
            )
        except TargetLostError as lost:
            self.stop = Stop(lost.reason, "target", advice=self._target.advice or "")

    async def _generate(self) -> None:
        """Generates the catalogue, which does not count towards the time limit."""
        if self.stop is not None:
            return
        self._report_progress(GENERATING)
        started = monotonic()
        self._seen.begin(self._settings.plan)
        self._deadline += monotonic() - started
        if self._workers is not None:
            self._workers.begin(self._deadline, self._seen.valid_ids)

    # ------------------------------------------------------------------------------------------------ cases

    async def _fire(self) -> None:
        await together(*(self._work() for _ in range(self._settings.options["concurrency"])))

    async def _work(self) -> None:
        turn_ends = 0.0
        while self.stop is None:
            if monotonic() > turn_ends:
                await asyncio.sleep(0)
                turn_ends = monotonic() + TURN
                self._leave_time_for_findings()
                continue
            numbered_case = await self._cases.next()
            if numbered_case is None:
                return
            await self._send(*numbered_case)

    async def _send(self, number: int, case: Case) -> None:
        """Sends a case, and records its answer."""
        try:
            answer = await self._sender.ask("case", number, case)
            await self._record_answer(Trial(number, case, self._settings.judge.verdict(case), answer))
        except UnsendableError:
            self._seen.add_left_out(number)
        except TargetLostError as lost:
            self._lose(lost, number, case)
        except WorkerError:
            advice = "check that the workers have enough memory"
            self.stop = self.stop or Stop("a worker was lost", "worker", advice=advice)

    def _leave_time_for_findings(self) -> None:
        """Near the end of the time, stops if there is something to shrink."""
        if self._seen.problems and monotonic() > self._deadline - self._settings.time_for_findings:
            self._stop_at_time_limit()

    async def _record_answer(self, trial: Trial) -> None:
        """If the target rejected a message that is not valid, also sends what can prove the rejection."""
        if difference := await self._old_answers.difference(trial):
            reason = f"the target has changed since the journal was written: {difference}"
            self.stop = self.stop or Stop(reason, "changed", advice="start a new campaign, with another --journal")
        await self._proving.prove(trial)
        self._seen.add(trial, self._settings.judge)

    def _lose(self, lost: TargetLostError, number: int, case: Case) -> None:
        """Stops the campaign if the target no longer answers. All messages that were sent but not answered count as one
        finding.
        """
        if lost.sent:
            self.stop = self.stop or Stop(lost.reason, "target")
            if not lost.excused:
                verdict = self._settings.judge.verdict(case)
                message = FailingMessage(case.body, verdict, lost.answer)
                self._seen.last_failure = Failure("stopped-answering", number, case, message)

    # ------------------------------------------------------------------------------------------------ after the cases

    async def _explain(self) -> None:
        self._phase = "shrinking"
        settings, sender = self._settings, self._sender
        self._investigation = Investigation(self._seen, settings.judge.contract, settings.plan.message_type)
        is_lost = self.stop is not None and self.stop.cause in ("target", "changed")
        has_problems = self._seen.problems or sender.sporadic.crashes()
        if is_lost or sender.waits_for or not has_problems:
            return
        now = monotonic()
        laboratory = Laboratory(
            sender=sender,
            judge=settings.judge,
            proving=self._proving,
            message_type=settings.plan.message_type,
            examples=accepted_examples(self._seen.trials),
            bounds=Bounds(settings.shrink_requests, min(now + settings.options["shrink"], self._deadline)),
            repetitions=Bounds(TRIES, min(now + REPEATING, (now + self._deadline) / 2)),
            concurrency=settings.options["concurrency"],
        )
        await self._investigation.run(laboratory)
        if sender.lost is not None:
            self.stop = self.stop or Stop(sender.lost.reason, "target")

    def result(self) -> Result:
        settings, sender, seen = self._settings, self._sender, self._seen
        judge, message_type = settings.judge, settings.plan.message_type
        investigation = self._investigation or Investigation(seen, judge.contract, message_type)
        explanations = investigation.explanations()
        known_identifiers = self._proving.known_identifiers
        return Result(
            settings=settings,
            target=self._target,
            seen=seen,
            sporadic_answers=sender.sporadic,
            findings=findings_of(explanations, investigation.evidence, self._target, settings),
            masked=investigation.masked,
            advice=advice_about(explanations, investigation.evidence, self._target, settings.fresh),
            renamed=known_identifiers.count,
            known_names=known_identifiers.names_of(message_type),
            old=self._old_answers.count,
            asked_again=self._old_answers.asked_again,
            requests=sender.requests,
            pauses=sender.pauses,
            seconds_away=sender.seconds_away,
            seconds=monotonic() - sender.started,
            generated=self._cases.count if self._cases.is_exhausted else None,
            stop=self.stop,
        )

    # ------------------------------------------------------------------------------------------------ progress

    async def _tick(self) -> None:
        while True:
            self._report_progress(self._phase)
            await asyncio.sleep(TICK)

    def _report_progress(self, phase: str) -> None:
        if self._on_progress is None:
            return
        waits_for = self._sender.waits_for
        seen = self._seen
        progress = CampaignProgress(
            phase=f"waiting for the target ({waits_for})" if waits_for else phase,
            cases=seen.counts.total(),
            problems=[text for text, _ in seen.problems.most_common()],
            requests=self._sender.requests,
            seconds=monotonic() - self._sender.started,
            total=None if seen.catalogue_size is None else self._settings.plan.total,
            waits=bool(waits_for),
        )
        self._on_progress(progress)


def run_campaign(settings: Settings, target: Target, on_progress: OnProgress | None = None) -> Result:
    """Runs a campaign until it ends or Ctrl-C is pressed, and returns the result.

    Raises `TargetError` if the target cannot be reached, and `WorkerError` if the workers cannot be started. Raises
    `BaselineError` or `JournalError` if the baseline or the journal cannot be used.
    """
    with _campaign(settings, target, on_progress) as campaign:
        try:
            run(campaign.run())
        except (KeyboardInterrupt, asyncio.CancelledError):
            campaign.stop = Stop("interrupted", "interrupt")
        return campaign.result()


async def run_campaign_here(settings: Settings, target: Target, on_progress: OnProgress | None = None) -> Result:
    with _campaign(settings, target, on_progress) as campaign:
        await campaign.run()
        return campaign.result()


@contextmanager
def _campaign(settings: Settings, target: Target, on_progress: OnProgress | None) -> Iterator[Campaign]:
    with ExitStack() as stack:
        known_answers, path = KnownAnswers(), settings.journal
        journal = None if path is None else stack.enter_context(closing(_journal(path, settings, target)))
        if path is not None and settings.resume:
            known_answers = KnownAnswers(partial(exchanges, path))
        pool = stack.enter_context(started_workers(settings.options["workers"])) if settings.uses_workers else None
        yield Campaign(settings, target, on_progress, known=known_answers, journal=journal, pool=pool)


def _journal(path: str, settings: Settings, target: Target) -> Journal:
    return Journal.continued(path) if settings.resume else Journal.begun(path, settings.journal_head(target))
