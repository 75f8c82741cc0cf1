"""Runs a campaign: sends cases to a target, compares the answers with the verdicts, and shrinks the contradictions.

A campaign stores only counts and a few cases, so it needs little memory for any number of cases. After all cases were
sent, brokerfuzz shrinks the findings in the order of their cases. For this reason, the findings do not depend on the
order in which answers arrive.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic, time

from brokerfuzz.campaign import accepting_everything, confirming, repeated_number, retesting
from brokerfuzz.campaign.bounded_sending import Bounds
from brokerfuzz.campaign.case_runner import CaseRunner, Numbered, findings_limit, needs_time, time_limit
from brokerfuzz.campaign.confirming import Confirmation
from brokerfuzz.campaign.explanation import Explanations, accepted_examples
from brokerfuzz.campaign.findings import findings_of
from brokerfuzz.campaign.headlines import headlines_of
from brokerfuzz.campaign.identity import without_combinations
from brokerfuzz.campaign.journal import Recalled, Writer
from brokerfuzz.campaign.options import Options
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.refused_contact import advice_for_program, refusal
from brokerfuzz.campaign.replaying import Outcome, ReplayRequest, replay_known
from brokerfuzz.campaign.results import CampaignProgress, Result
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.sharding import ShardResult, Shards, ShardSettings, fire_shards
from brokerfuzz.campaign.target_health import FirstContact, TargetLostError
from brokerfuzz.cases.case import Case
from brokerfuzz.errors import HookError, JournalError
from brokerfuzz.targets import Target, event_loop
from brokerfuzz.targets.target import opened
from brokerfuzz.workers import Workers

TICK = 0.1
"""The time between two progress reports, in seconds."""

WAITING = "waiting for the target"
INTERRUPTED = Stop("interrupted", "interrupt")
OnProgress = Callable[[CampaignProgress], None]
OnContact = Callable[[FirstContact], None]
OnKnown = Callable[[Mapping[str, Outcome]], None]


def fire(
    cases: Iterable[Case], target: Target, options: Options | None = None, on_progress: OnProgress | None = None
) -> Result:
    """Sends the cases to the target and returns the result. `on_progress` is called about ten times per second.

    Ctrl-C ends the campaign at once, and the result contains everything that was found so far. Raises `TargetError` if
    the target cannot be reached.
    """
    return run(Campaign(enumerate(cases), target, options or Options(), on_progress))


def run(campaign: "Campaign") -> Result:
    """Runs a campaign until it ends or Ctrl-C is pressed, and returns the result. Raises `TargetError` if the target
    cannot be reached.
    """
    try:
        event_loop.run(campaign.run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        campaign.stop = INTERRUPTED
    return campaign.result()


def run_sharded(
    campaign: "Campaign", plan: Shards, workers: Workers, journal: str | None = None, recalled: Recalled | None = None
) -> Result:
    """Runs a campaign with workers: the workers send the cases, and this process shrinks the findings.

    The cases come from `plan`, so `campaign` must not contain cases. The workers append their answers to the file
    `journal`. Raises `TargetError` if the target cannot be reached, and `WorkerError` if a worker is lost.
    """
    try:
        event_loop.run(campaign.make_contact())
        if campaign.stop is None:
            settings = campaign.shard_settings(plan, workers, journal)
            fire_shards(settings, workers, campaign.absorb, recalled, campaign.seconds_left)
    except KeyboardInterrupt:
        campaign.stop = INTERRUPTED
        return campaign.result()
    except (HookError, JournalError) as problem:
        campaign.fail(problem)
        return campaign.result()
    return run(campaign)


class Campaign:
    """A campaign that runs in an event loop. You can call `result` at any time.

    Each item of `cases` is a pair: the number that identifies the case in the journal, and the case. `recalled`
    contains the answers of an earlier run, so that these messages are not sent again. If `sends` is False, the campaign
    sends nothing, and all answers come from `recalled`. Before the first case, the campaign sends ordinary valid
    messages until the target accepts one. Then it calls `on_contact` with this message and its answer (see
    `FirstContact`). Next, the campaign sends the messages of the `known` findings, and calls `on_known` with the
    results.
    """

    def __init__(
        self,
        cases: Iterable[Numbered],
        target: Target,
        options: Options,
        on_progress: OnProgress | None = None,
        *,
        journal: Writer | None = None,
        recalled: Recalled | None = None,
        sends: bool = True,
        on_contact: OnContact | None = None,
        known: Mapping[str, ReplayRequest] | None = None,
        on_known: OnKnown | None = None,
    ) -> None:
        self.options = options
        self.stop: Stop | None = None
        self._judge = options.judge
        self._target = target
        self._sends = sends
        self._on_progress, self._on_contact, self._on_known = on_progress, on_contact, on_known
        self._known = known or {}
        self._replayed: Mapping[str, Outcome] = {}
        self._contacted = False
        self._journal = journal
        ago = recalled.latest if recalled else 0.0
        self._sender = Sender(
            target,
            rate=options.rate,
            journal=journal,
            recalled=recalled,
            ago=ago,
            sends=sends,
            fresh=options.fresh_values,
            longest_wait=options.longest_wait,
        )
        self._runner = CaseRunner(iter(cases), self._sender, options)
        self._begun = datetime.now(UTC)
        self._deadline = float("inf") if options.time is None else monotonic() + options.time
        self._ended: float | None = None
        self._explanations: Explanations | None = None
        self._phase = "firing"

    async def run(self) -> None:
        """Raises `TargetError` if the target cannot be reached."""
        ticking = asyncio.create_task(self._tick())
        try:
            async with self._time_limit():
                if self._sends:
                    await self._target.open()
                await self._fire()
                self._phase = "retesting"
                await self._retest()
                self._phase = "shrinking"
                await self._shrink()
        except (HookError, JournalError) as problem:
            self.fail(problem)
        finally:
            ticking.cancel()
            self._ended = monotonic()
            if self._sends:
                await self._target.close()

    async def make_contact(self) -> None:
        """Sends only the ordinary valid messages and the messages of known findings. Raises `TargetError` if the target
        cannot be reached.
        """
        async with opened(self._target), self._time_limit():
            await self._make_contact()

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the time limit of the campaign (None: no limit)."""
        return None if self._deadline == float("inf") else max(self._deadline - monotonic(), 0.0)

    @asynccontextmanager
    async def _time_limit(self) -> AsyncIterator[None]:
        limit = asyncio.timeout(self.seconds_left)
        try:
            async with limit:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            self.stop = self.stop or time_limit(self.options)

    async def _make_contact(self) -> None:
        if self._contacted:
            return
        options, contact = self.options, self._sender.contact
        try:
            contact = await self._sender.make_contact(
                options.plain, repeats=options.preflight and options.fresh is None
            )
        except TargetLostError as lost:
            self.stop = Stop(lost.reason, "target", advice=advice_for_program(self._target) or "")
        self._contacted = True
        if self._sends and options.preflight and contact.refused and not contact.accepted:
            self.stop = refusal(contact, self._target, self._judge.demands)
        if self._on_contact is not None:
            self._on_contact(contact)
        if self.stop is None and self._known:
            await self._send_known()

    async def _send_known(self) -> None:
        """Sends the messages of the known findings first, so that the user soon sees which findings are gone."""
        sent = await replay_known(list(self._known.values()), self._sender, self._judge, self.options.concurrency)
        self._replayed = {name: one.outcome for name, one in zip(self._known, sent, strict=True)}
        if self._on_known is not None:
            self._on_known(self._replayed)

    def shard_settings(self, plan: Shards, workers: Workers, journal: str | None) -> ShardSettings:
        """Returns the settings for the workers, which append their answers to the file `journal`."""
        options = replace(self.options, rate=self.options.rate and self.options.rate / workers.count)
        begun = time() - (monotonic() - self._sender.started)
        return ShardSettings(plan, self._target, options, begun, self._sender.contact, journal)

    def absorb(self, part: ShardResult) -> Stop | None:
        """If the campaign must stop, returns the reason."""
        self._runner.absorb(part.seen, part.waiting, part.answers_to_twins)
        self._sender.timing.absorb(part.timing)
        self._sender.requests += part.requests
        if self._journal is not None:
            for line in part.lines:
                self._journal.add(line)
        if (limit := self.options.max_findings) is not None and self._runner.seen.suspicions.new(
            self.options.known
        ) >= limit:
            self.stop = self.stop or findings_limit(limit)
        if monotonic() > self._deadline - self.options.time_for_findings and needs_time(self._runner.seen):
            self.stop = self.stop or time_limit(self.options)
        self.stop = self.stop or part.stop
        self.report_progress()
        return self.stop

    def fail(self, problem: HookError | JournalError) -> None:
        """Stops the campaign. If a hook fails at the first message, raises its error, because there is no result to
        keep.
        """
        if isinstance(problem, HookError) and not self._contacted:
            raise problem
        self.stop = (
            Stop(str(problem), "hook", problem.details)
            if isinstance(problem, HookError)
            else Stop(str(problem), "journal")
        )

    def result(self) -> Result:
        seen = self._runner.seen
        suspicions = seen.suspicions.in_order() if self._explanations is None else self._explanations.suspicions
        if (sporadic := seen.sporadic.finding()) is not None:
            suspicions = [*suspicions, sporadic]
        seconds = (self._ended or monotonic()) - self._sender.started
        findings = findings_of(suspicions, self._target, self._judge.demands, self.options.fresh_values)
        result = Result(
            target=self._target.name,
            started=self._begun,
            counts=dict(seen.counts),
            rules=dict(seen.rules),
            findings=findings,
            headlines=headlines_of(findings, seen.sent, self._judge.demands),
            ambiguities=tuple(seen.ledger.in_order(self._judge.demands)),
            proofs=seen.proofs.concluded(),
            known_findings=self._replayed,
            sporadic=tuple(seen.sporadic.answers()),
            twins_sent=seen.twins_sent,
            twins_accepted=seen.twins_accepted,
            timing=self._sender.timing,
            cases=seen.counts.total(),
            left_out=seen.left_out,
            requests=self._sender.requests,
            only_recalled=self._sender.only_recalled,
            seconds=max(seconds, 0.0),
            stop=self.stop,
        )
        return result.marked(self.options.known.names).limited(self.options.max_findings)

    async def _fire(self) -> None:
        try:
            await self._make_contact()
            if self.stop is None:
                await self._runner.run(self.seconds_left)
        finally:
            self.stop = self.stop or self._runner.stop
        if self.options.repeats and self._may_continue:
            await repeated_number.probe(self._sender, self._runner.seen, self._judge)

    @property
    def _may_continue(self) -> bool:
        """True if the campaign has sent all cases that it may send, and the target does not ask for a pause at this
        time.
        """
        return (self.stop is None or self.stop.cause == "limit") and not self._sender.waits_for

    async def _retest(self) -> None:
        contact = self._sender.contact
        if contact.case is None or not contact.accepted or not self._may_continue:
            return
        now = monotonic()
        # The other half of the time is for shrinking.
        deadline = min(now + retesting.SECONDS, (now + self._deadline) / 2)
        seen, sender = self._runner.seen, self._sender
        retests = retesting.Retesting(seen, sender, self._judge, contact.case, deadline)
        await retests.run(self.options.concurrency)

    async def _shrink(self) -> None:
        options, seen = self.options, self._runner.seen
        suspicions = seen.suspicions.of_first_findings(options.max_findings, options.known)
        suspicions = without_combinations(suspicions)
        if self.stop is None or self.stop.cause == "limit":
            suspicions = await accepting_everything.merged(suspicions, seen, self._sender, self._judge)
        bounds = Bounds(options.shrink_requests, min(monotonic() + options.shrink_seconds, self._deadline))
        ordinary = [*accepted_examples(seen.sent), *options.plain]
        explanations = Explanations(suspicions, self._sender, self._judge, ordinary, bounds)
        self._explanations = explanations
        if (self.stop is not None and self.stop.cause == "target") or self._sender.waits_for:
            return
        now = monotonic()
        deadline = min(now + confirming.SECONDS, (now + self._deadline) / 2)
        confirmation = Confirmation(seen.sporadic, explanations.variants, deadline)
        await confirmation.confirm(explanations.suspicions)
        if options.shrink_requests > 0:
            await explanations.run(options.concurrency)
            confirmation.remove_sporadic(explanations.suspicions)
        if (lost := self._sender.health.lost) is not None:
            self.stop = self.stop or Stop(lost.reason, "target")

    async def _tick(self) -> None:
        while True:
            self.report_progress()
            await asyncio.sleep(TICK)

    def report_progress(self) -> None:
        if self._on_progress is not None:
            seen = self._runner.seen
            seconds = monotonic() - self._sender.started
            waits_for = self._sender.waits_for
            phase = f"{WAITING} ({waits_for})" if waits_for else self._phase
            progress = CampaignProgress(
                phase, seen.counts.total(), seen.suspicions.kinds(), self._sender.requests, seconds, self.options.total
            )
            self._on_progress(progress)
