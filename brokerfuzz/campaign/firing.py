"""Runs a campaign: sends cases to a target, compares the answers with the verdicts, and explains the contradictions.

After all cases were sent, brokerfuzz shrinks the findings in the order of their cases. For this reason, the findings do
not depend on the order in which answers arrive.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import Any

from brokerfuzz.campaign import baseline
from brokerfuzz.campaign.advice import advice_about, fresh_advice
from brokerfuzz.campaign.case_stream import CaseStream, NumberedCase
from brokerfuzz.campaign.causes.explanation import Explanation, explanation_of_loss
from brokerfuzz.campaign.causes.investigation import Investigation
from brokerfuzz.campaign.causes.laboratory import Laboratory, accepted_examples
from brokerfuzz.campaign.differing_answers import answers_differ
from brokerfuzz.campaign.exchanges import KnownAnswers
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.finding import finding_name
from brokerfuzz.campaign.findings import findings_of
from brokerfuzz.campaign.first_contact import make_contact
from brokerfuzz.campaign.journal import Journal, exchanges
from brokerfuzz.campaign.known_identifiers import KnownIdentifiers
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
from brokerfuzz.cases.plan import STRIDE
from brokerfuzz.errors import HookError, JournalError, WorkerError
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
    the cases. By default, `cases` are those of the plan, with their numbers. `on_progress` is called about ten times
    per second.
    """

    def __init__(
        self,
        settings: Settings,
        target: Target,
        on_progress: OnProgress | None = None,
        *,
        cases: Iterable[tuple[int, Case]] | None = None,
        known: KnownAnswers | None = None,
        journal: Journal | None = None,
        pool: Workers | None = None,
    ) -> None:
        self.stop: Stop | None = None
        self._settings, self._options, self._judge = settings, settings.options, settings.judge
        self._target, self._on_progress = target, on_progress
        self._workers = None if pool is None else WorkerAnswers(pool, settings, target)
        self._sender = Sender(
            target,
            rate=self._options["rate"],
            known=known,
            record=None if journal is None else journal.add,
            fresh=settings.fresh_values,
            longest_wait=self._options["longest_wait"],
        )
        self._seen = Observations(frozenset(entry["case"] for entry in settings.known))
        self._known_identifiers = KnownIdentifiers(self._sender, self._judge)
        self._old = OldAnswers(self._sender, self._known_identifiers, self._judge.contract)
        self._proving = Proving(self._sender, self._judge, self._known_identifiers)
        self._cases = CaseStream(settings.plan.numbered() if cases is None else cases)
        self._case_ids = frozenset[str]()
        self._investigation: Investigation | None = None
        self._last_message: Explanation | None = None
        self._contacted = False
        self._phase = "firing"
        self._generated: int | None = None
        """The number of cases of the catalogue, or None if it is not generated yet."""
        self._catalogue_sent = 0
        self._unanswered: list[NumberedCase] = []
        """The cases that were under way when a worker was lost."""
        self._begun, self._ended = datetime.now(UTC), float("inf")
        max_time = self._options["max_time"]
        self._deadline = float("inf") if max_time is None else monotonic() + max_time
        self._turn_ends = 0.0

    async def run(self) -> None:
        """Raises `TargetError` if the target cannot be reached."""
        ticking = asyncio.create_task(self._tick())
        try:
            await self._target.open()
            for phase in (self._make_contact, self._generate, self._fire, self._explain):
                await self._limited(phase())
        except (HookError, JournalError) as problem:
            self._fail(problem)
        finally:
            ticking.cancel()
            self._cases.close()
            if self._workers is not None:
                self._workers.close()
            self._ended = monotonic()
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

    def _fail(self, problem: HookError | JournalError) -> None:
        """Stops the campaign. If a hook fails at the first message, raises its error, because there is no result to
        keep.
        """
        if isinstance(problem, HookError) and not self._contacted:
            raise problem
        details = problem.details if isinstance(problem, HookError) else ""
        self.stop = Stop(str(problem), "hook" if isinstance(problem, HookError) else "journal", details)

    def _stop_at_time_limit(self) -> None:
        reason = f"the time limit of {self._options['max_time']:g} s was reached"
        if self._sender.waits_for:
            reason += f" while brokerfuzz waited for the target ({self._sender.waits_for})"
        self.stop = self.stop or Stop(reason, "limit")

    # ------------------------------------------------------------------------------------------------ first messages

    async def _make_contact(self) -> None:
        try:
            self.stop = await make_contact(self._sender, self._target, self._settings.plain, self._known_identifiers)
        except TargetLostError as lost:
            self.stop = Stop(lost.reason, "target", advice=self._target.advice or "")
        self._contacted = True

    async def _generate(self) -> None:
        """Generates the catalogue, which does not count towards the time limit."""
        if self.stop is not None:
            return
        self._report_progress(GENERATING)
        started = monotonic()
        plan = self._settings.plan
        self._generated = len(plan.catalogue_cases())
        self._case_ids = plan.valid_ids
        self._deadline += monotonic() - started
        if self._workers is not None:
            self._workers.begin(self._sender, self._deadline, self._case_ids)
            self._sender.fetch = self._workers.fetch

    # ------------------------------------------------------------------------------------------------ cases

    async def _fire(self) -> None:
        await together(*(self._work() for _ in range(self._options["concurrency"])))
        if self._workers is not None and self._unanswered:
            await self._recover(self._workers)

    async def _work(self) -> None:
        while self.stop is None:
            if monotonic() > self._turn_ends:
                await asyncio.sleep(0)
                self._turn_ends = monotonic() + TURN
                self._leave_time_for_findings()
                continue
            numbered_case = await self._cases.next()
            if numbered_case is None:
                return
            await self._send(*numbered_case)

    async def _recover(self, workers: WorkerAnswers) -> None:
        """After a worker was lost, adds the answers that all workers have got so far."""
        last_part = workers.recover()
        self._sender.fetch = None
        while (numbered_case := await self._cases.next()) is not None and numbered_case[0] // STRIDE <= last_part:
            self._unanswered.append(numbered_case)
        for number, case in self._unanswered:
            if self._sender.known.answer(case.id) is not None:
                await self._send(number, case)

    async def _send(self, number: int, case: Case) -> None:
        """Sends a case, and records its answer."""
        try:
            answer = await self._sender.ask("case", number, case)
            await self._record_answer(Trial(number, case, self._judge.verdict(case), answer))
        except UnsendableError:
            self._seen.left_out += 1
        except TargetLostError as lost:
            self._lose(lost, number, case)
        except WorkerError:
            advice = "check that the workers have enough memory"
            self.stop = self.stop or Stop("a worker was lost", "worker", advice=advice)
            self._unanswered.append((number, case))
            return
        self._catalogue_sent += number < self._settings.plan.first_random_number

    def _leave_time_for_findings(self) -> None:
        """Near the end of the time, stops if there is something to shrink."""
        if self._seen.problems and monotonic() > self._deadline - self._settings.time_for_findings:
            self._stop_at_time_limit()

    async def _record_answer(self, trial: Trial) -> None:
        """If the target rejected a message that is not valid, also sends what can prove the rejection."""
        if difference := await self._old.difference(trial):
            reason = f"the target has changed since the journal was written: {difference}"
            self.stop = self.stop or Stop(reason, "changed", advice="start a new campaign, with another --journal")
        await self._proving.prove(trial)
        if trial.twin is not None and trial.twin_answer is not None and trial.twin.id not in self._case_ids:
            self._seen.add_twin(trial.number, trial.twin, trial.twin_answer, self._judge.contract)
        self._seen.add(trial, self._judge)

    def _lose(self, lost: TargetLostError, number: int, case: Case) -> None:
        """Stops the campaign if the target no longer answers. All messages that were sent but not answered count as one
        finding.
        """
        if lost.sent:
            self.stop = self.stop or Stop(lost.reason, "target")
            if not lost.excused:
                failure = Failure("stopped-answering", number, case, case.body, self._judge.verdict(case), lost.answer)
                self._last_message = explanation_of_loss(failure)

    # ------------------------------------------------------------------------------------------------ after the cases

    async def _explain(self) -> None:
        self._phase = "shrinking"
        settings, options, seen = self._settings, self._options, self._seen
        self._investigation = self._investigation_of_all()
        is_lost = self.stop is not None and self.stop.cause in ("target", "changed")
        has_problems = seen.problems or self._sender.sporadic.crashes()
        if is_lost or self._sender.waits_for or not has_problems:
            return
        bounds = Bounds(settings.shrink_requests, min(monotonic() + options["shrink"], self._deadline))
        examples = [*accepted_examples(seen.trials), *settings.plain]
        repetitions = Bounds(TRIES, min(monotonic() + REPEATING, (monotonic() + self._deadline) / 2))
        laboratory = Laboratory(
            sender=self._sender,
            judge=self._judge,
            proving=self._proving,
            message_type=settings.plan.message_type,
            examples=examples,
            bounds=bounds,
            repetitions=repetitions,
            concurrency=options["concurrency"],
        )
        with suppress(TargetLostError):
            self._sender.rejects_sometimes = await answers_differ(seen.trials, self._sender, repetitions.deadline)
        await self._investigation.run(laboratory)
        if (lost := self._sender.lost) is not None:
            self.stop = self.stop or Stop(lost.reason, "target")

    def _investigation_of_all(self) -> Investigation:
        return Investigation(self._seen, self._judge.contract, self._settings.plan.message_type)

    def result(self) -> Result:
        seen, judge = self._seen, self._judge
        sporadic = self._sender.sporadic
        investigation = self._investigation or self._investigation_of_all()
        explanations = investigation.explanations()
        if self._sender.rejects_sometimes:
            explanations = investigation.with_differing_answers(explanations)
        if self._last_message is not None:
            explanations.append(self._last_message)
        findings = findings_of(
            explanations, investigation.evidence, self._target, judge.contract, self._settings.fresh_values
        )
        identifiers = judge.contract.identifiers(self._settings.plan.message_type)
        known_names = tuple(name for name in identifiers if name in self._known_identifiers.names)
        result = Result(
            target=self._target.name,
            about=self._settings.about(self._target),
            contract=judge.contract,
            started=self._begun,
            counts=dict(seen.counts),
            rules=dict(seen.rules - sporadic.rules),
            findings=findings,
            ambiguities=tuple(seen.ledger.in_order(judge.contract)),
            proofs=seen.proofs,
            renamed=self._known_identifiers.count,
            known_names=known_names,
            fresh_advice=fresh_advice(known_names, self._settings.fresh),
            sporadic=tuple(sporadic.answers()),
            timing=self._sender.timing,
            seconds_away=self._sender.seconds_away,
            cases=seen.counts.total(),
            left_out=seen.left_out,
            total=None if self._generated is None else self._generated + (self._settings.plan.count or 0),
            old=self._old.count,
            asked_again=self._old.asked_again,
            catalogue=self._generated or 0,
            catalogue_sent=self._catalogue_sent,
            is_exhausted=self._is_exhausted,
            requests=self._sender.requests,
            seconds=max(min(self._ended, monotonic()) - self._sender.started, 0.0),
            stop=self.stop,
            advice=advice_about(explanations, investigation.evidence, self._target, self._settings.fresh),
            masked={
                finding_name(kind, self._settings.plan.message_type, key): count
                for (kind, key), count in investigation.masked.items()
            },
        )
        entries = self._settings.known
        result = result.against(baseline.failing(entries, self._settings.plan.message_type))
        return replace(result, known_findings=baseline.outcomes(entries, result, seen.correct))

    @property
    def _is_exhausted(self) -> bool:
        """True if there are fewer random cases than the plan asks for."""
        count = self._settings.plan.count
        return self._cases.is_exhausted and (count is None or self._cases.count < (self._generated or 0) + count)

    # ------------------------------------------------------------------------------------------------ progress

    async def _tick(self) -> None:
        while True:
            self._report_progress(self._phase)
            await asyncio.sleep(TICK)

    def _report_progress(self, phase: str) -> None:
        if self._on_progress is None:
            return
        if waits_for := self._sender.waits_for:
            phase = f"waiting for the target ({waits_for})"
        seen, seconds, count = self._seen, monotonic() - self._sender.started, self._settings.plan.count
        total = None if self._generated is None or count is None else self._generated + count
        problems = [text for text, _ in seen.problems.most_common()]
        self._on_progress(
            CampaignProgress(
                phase, seen.counts.total(), problems, self._sender.requests, seconds, total, bool(waits_for)
            )
        )


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
