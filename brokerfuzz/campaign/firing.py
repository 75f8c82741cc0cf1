"""A campaign: fires cases at a target, compares verdicts with answers, shrinks what contradicts.

What is kept is counts, one case a kind of contradiction, and one an ambiguity and answer: memory does not grow with the number of cases. Shrinking
comes when the cases have been sent, in the order of the cases that it starts from: so a target that answers alike gets the same findings, however the
answers of workers overtake each other.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic, time

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import Numbered, Volley
from brokerfuzz.campaign.finding_minimizer import Minimising
from brokerfuzz.campaign.findings import findings_of
from brokerfuzz.campaign.fresh_values import Freshness
from brokerfuzz.campaign.journal import Journal, Recalled
from brokerfuzz.campaign.results import CampaignProgress, Result
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.sharding import Orders, Sharding, ShardResult, Shards
from brokerfuzz.cases.case import Case
from brokerfuzz.errors import JournalError
from brokerfuzz.schemas import Contract, Policies
from brokerfuzz.targets import Target, event_loop

TICK = 0.1
"""Seconds between two reports of progress."""

INTERRUPTED = "interrupted"
SHRINK_REQUESTS = 200
"""The most requests that shrink one finding."""
OnProgress = Callable[[CampaignProgress], None]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to fire.

    `concurrency` is how many messages are on their way at once, `rate` the most requests a second (None: as fast as it
    goes). After `time` seconds no case is sent any more, and those on their way are given up; after `max_findings`
    different contradictions none is begun. `now`, `contract` and `policies` are what the cases are judged by: give those
    that they were made with. A finding is shrunk in at most `shrink_requests` requests (0: not at all), and at most as many
    again find what its smallest message lacks; all findings together in `shrink_seconds`. `fresh` names a property whose text is another one in each
    message that is sent. `total` is how many cases there
    will be, if known: only progress speaks of it.
    """

    concurrency: int = 16
    rate: float | None = None
    time: float | None = None
    max_findings: int | None = None
    now: datetime | None = None
    contract: Contract | None = None
    policies: Policies | None = None
    shrink_requests: int = SHRINK_REQUESTS
    shrink_seconds: float = 60.0
    fresh: str | None = None
    total: int | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "rate", "time", "max_findings"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name}={value!r}, but only a number above 0 leaves anything to do")

    @property
    def judge(self) -> Judge:
        """What judges the cases."""
        return Judge(self.now, self.contract, self.policies)

    @property
    def freshness(self) -> Freshness | None:
        """What makes messages fresh."""
        return None if self.fresh is None else Freshness(self.fresh, self.judge)


def fire(cases: Iterable[Case], target: Target, options: Options | None = None, on_progress: OnProgress | None = None) -> Result:
    """Fires the cases at the target and says what came of it.

    `on_progress` is called about ten times a second. Ctrl-C ends the campaign at once, with the result of what was
    found so far. Raises `TargetError` where the target cannot be reached at all.
    """
    return run(Campaign(enumerate(cases), target, options or Options(), on_progress))


def run(campaign: "Campaign") -> Result:
    """Runs a campaign to its end, or to Ctrl-C, and gives its result. Raises `TargetError` where the target cannot be reached at all."""
    try:
        event_loop.run(campaign.run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        campaign.stopped = INTERRUPTED
    return campaign.result()


def run_sharded(campaign: "Campaign", sharding: Sharding, recalled: Recalled | None = None) -> Result:
    """Runs a campaign whose cases are fired by other processes, and that is begun without cases of its own: what they found is shrunk here.

    Raises `TargetError` where the target cannot be reached at all, `WorkerError` where workers are lost again and again.
    """
    try:
        sharding.run(campaign.absorb, recalled, campaign.options.time)
    except KeyboardInterrupt:
        campaign.stopped = INTERRUPTED
        return campaign.result()
    except JournalError as problem:
        campaign.fail(problem)
        return campaign.result()
    return run(campaign)


class Campaign:
    """One campaign: `run` it in an event loop, and ask for the `result` whenever you like.

    `cases` come with their numbers, by which they are known in the `journal`, which is written if there is one. What `recalled` holds was
    answered before, and is not sent again; where it `sends` nothing at all, what comes of it is what the journal knows.
    """

    def __init__(
        self,
        cases: Iterable[Numbered],
        target: Target,
        options: Options,
        on_progress: OnProgress | None = None,
        *,
        journal: Journal | None = None,
        recalled: Recalled | None = None,
        sends: bool = True,
    ) -> None:
        self.options = options
        self.stopped: str | None = None
        self._failed = False
        self._judge = options.judge
        self._target = target
        self._sends = sends
        self._on_progress = on_progress
        self._journal = journal
        ago = recalled.latest if recalled else 0.0
        self._sender = Sender(target, rate=options.rate, journal=journal, recalled=recalled, ago=ago, sends=sends, fresh=options.freshness)
        self._volley = Volley(iter(cases), self._sender, self._judge, max_findings=options.max_findings)
        self._begun = datetime.now(UTC)
        self._ended: float | None = None
        self._phase = "firing"

    async def run(self) -> None:
        """Fires, then shrinks. Raises `TargetError` where the target cannot be reached at all."""
        ticking = asyncio.create_task(self._tick())
        try:
            if self._sends:
                await self._target.open()
            await self._fire()
            self._phase = "shrinking"
            await self._shrink()
        except JournalError as problem:
            self.fail(problem)
        finally:
            ticking.cancel()
            self._ended = monotonic()
            if self._sends:
                await self._target.close()

    def orders(self, plan: Shards, workers: int, journal: str | None) -> Orders:
        """What workers are told who fire the plan's shards for this campaign; `journal` is a file that they can append to."""
        options = self.options
        rate = options.rate and options.rate / workers
        begun = time() - (monotonic() - self._sender.started)
        return Orders(plan, self._target, self._judge, options.concurrency, rate, options.max_findings, begun, options.freshness, journal)

    def absorb(self, part: ShardResult) -> str | None:
        """Takes in what a shard's firing gave, and says why no further one should be begun, if so."""
        self._volley.seen.absorb(part.seen)
        self._sender.timing.absorb(part.timing)
        self._sender.requests += part.requests
        if self._journal is not None:
            for line in part.lines:
                self._journal.add(line)
        if (most := self.options.max_findings) is not None and len(self._volley.seen.suspicions) >= most:
            self.stopped = self.stopped or f"{len(self._volley.seen.suspicions)} different contradictions were found"
        self.stopped = self.stopped or part.stopped
        self.tell()
        return self.stopped

    def fail(self, problem: JournalError) -> None:
        """Stops: what would be sent now would not be written down."""
        self.stopped, self._failed = str(problem), True

    def result(self) -> Result:
        """What is known now."""
        seen = self._volley.seen
        seconds = (self._ended or monotonic()) - self._sender.started
        return Result(
            target=self._target.name,
            started=self._begun,
            counts=dict(seen.counts),
            rules=dict(seen.rules),
            findings=findings_of(seen.suspicions, self._target, self._judge.demands),
            ambiguities=tuple(seen.ledger.in_order(self._judge.demands)),
            attribution=seen.attribution,
            timing=self._sender.timing,
            cases=seen.counts.total(),
            left_out=seen.left_out,
            requests=self._sender.requests,
            seconds=max(seconds, 0.0),
            stopped=self.stopped,
            failed=self._failed,
        )

    async def _fire(self) -> None:
        try:
            await self._volley.run(self.options.concurrency, self.options.time)
        finally:
            self.stopped = self.stopped or self._volley.stopped

    async def _shrink(self) -> None:
        options = self.options
        if options.max_findings is not None:
            self._volley.seen.suspicions.keep(options.max_findings)
        suspicions = self._volley.seen.suspicions.in_order()
        shrinking = Minimising(suspicions, self._sender, self._judge, requests=options.shrink_requests, seconds=options.shrink_seconds)
        await shrinking.run(options.concurrency)

    async def _tick(self) -> None:
        while True:
            self.tell()
            await asyncio.sleep(TICK)

    def tell(self) -> None:
        """Reports progress."""
        if self._on_progress is not None:
            seen = self._volley.seen
            seconds = monotonic() - self._sender.started
            told = CampaignProgress(self._phase, seen.counts.total(), len(seen.suspicions), self._sender.requests, seconds, self.options.total)
            self._on_progress(told)
