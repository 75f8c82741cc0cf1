"""Runs campaigns for the command `fire` and for `brokerfuzz.fire`. A plan determines the cases. A campaign can use a
journal, a baseline and workers.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from brokerfuzz import workers
from brokerfuzz.campaign import Campaign, Options, Recalled, Result, baseline, run, run_sharded
from brokerfuzz.campaign.baseline import Baseline
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.firing import OnContact, OnKnown, OnProgress
from brokerfuzz.campaign.journal import AnswerLog, Journal
from brokerfuzz.campaign.known_findings import KnownFindings
from brokerfuzz.campaign.options import SHRINK_REQUESTS
from brokerfuzz.campaign.replaying import of_baseline
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.fresh_values import check_property
from brokerfuzz.cases.plan import Plan
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.schemas import Policies
from brokerfuzz.targets import Target
from brokerfuzz.targets.trace_headers import new_campaign_id
from brokerfuzz.version import __version__

NOT_FRESH = "off"
"""The value of `--fresh` with which no property gets new values."""


@dataclass(frozen=True, kw_only=True)
class PlannedCampaign:
    """A campaign without its target: the plan of its cases, and its options with their defaults.

    If `resume` is true, the campaign in the file `journal` continues. Otherwise, `journal` must be a new file. The
    campaign sends the messages of the findings in `known` before the cases, and marks these findings in the result.
    """

    plan: Plan
    options: FireOptions = field(default_factory=lambda: completed(FireOptions))
    campaign_id: str = field(default_factory=new_campaign_id)
    resume: bool = False
    known: Baseline = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.fresh is not None:
            check_property(self.fresh, self.plan.message_type, self.plan.demands)

    @property
    def now(self) -> datetime | None:
        """The time at which the oracle judges (None: the actual time)."""
        return self.options["now"]

    @property
    def fresh(self) -> str | None:
        """The property that gets a different value in each message."""
        return None if self.options["fresh"] == NOT_FRESH else self.options["fresh"]

    @property
    def journal(self) -> str | None:
        journal = self.options["journal"]
        return None if journal is None else str(journal)

    @property
    def policies(self) -> Policies:
        return self.plan.demands.check_policies(self.options["policies"])

    @property
    def plain(self) -> tuple[Case, ...]:
        """The ordinary valid messages with which the campaign begins, to check that the target works."""
        return plain_messages(self.plan.message_type, contract=self.plan.demands)

    @property
    def settings(self) -> Options:
        shrink = self.options["shrink"]
        return Options(
            time=self.options["max_time"], contract=self.plan.demands, policies=self.policies,
            known=self._known_findings, shrink_requests=round(SHRINK_REQUESTS * max(shrink / 60, 1)) if shrink else 0,
            shrink_seconds=shrink, plain=self.plain, total=self.plan.total, repeats=True,
            concurrency=self.options["concurrency"], rate=self.options["rate"], now=self.now, fresh=self.fresh,
            max_findings=self.options["max_findings"], longest_wait=self.options["longest_wait"],
            preflight=self.options["preflight"],
        )  # fmt: skip

    @property
    def _known_findings(self) -> KnownFindings:
        applying = {name: self.known[name] for name in baseline.applying(self.known)}
        messages = of_baseline(applying, self.plan.message_type).values()
        kinds: frozenset[FindingKind] = frozenset(again.kind for again in messages if again.kind is not None)
        return KnownFindings(frozenset(baseline.names(self.known)), kinds)

    @property
    def uses_workers(self) -> bool:
        """True if other processes send the cases."""
        return self.options["workers"] > 1 or self.options["cluster"] is not None

    def about(self, target: Target | None = None) -> dict[str, Any]:
        """Describes the settings of the campaign for a report. For an HTTP target, the description contains the request
        and the rules that classify answers.
        """
        now = self.now.isoformat().replace("+00:00", "Z") if self.now else None
        seed = self.plan.seed if self.plan.count != 0 else None
        about = {
            "message": self.plan.message_type,
            "seed": seed,
            "now": now,
            "campaign": self.campaign_id,
            "fresh": self.fresh,
            "request": None,
        }
        return about if target is None else {**about, **target.about}

    def run(
        self,
        target: Target,
        *,
        on_progress: OnProgress | None = None,
        on_contact: OnContact | None = None,
        on_known: OnKnown | None = None,
        on_answer: Callable[[str], object] | None = None,
    ) -> Result:
        """Runs the campaign until it ends or Ctrl-C is pressed, and returns the result.

        `on_known` receives the results for the known findings. `on_answer` receives one line for each answer. Raises
        `TargetError` if the target cannot be reached, and `WorkerError` if workers are lost. Raises `BaselineError` or
        `JournalError` if the baseline or the journal cannot be used.
        """
        with self._campaign(target, on_progress, on_contact, on_known, on_answer) as (campaign, recalled):
            result = self._run_by_workers(campaign, recalled) if self.uses_workers else run(campaign)
        return self._completed(result)

    async def run_here(self, target: Target) -> Result:
        """Runs the campaign in the event loop of the caller, without workers."""
        with self._campaign(target) as (campaign, _):
            await campaign.run()
        return self._completed(campaign.result())

    def _completed(self, result: Result) -> Result:
        total = len(self.plan.catalogue_cases()) + (self.plan.count or 0)
        return replace(result, total=total)

    @contextmanager
    def _campaign(
        self,
        target: Target,
        on_progress: OnProgress | None = None,
        on_contact: OnContact | None = None,
        on_known: OnKnown | None = None,
        on_answer: Callable[[str], object] | None = None,
    ) -> Iterator[tuple[Campaign, Recalled | None]]:
        """Yields the campaign and the answers in its journal (None for a new campaign). Closes the journal at the
        end.
        """
        with ExitStack() as stack:
            recalled = stack.enter_context(closing(Recalled(self.journal))) if self.journal and self.resume else None
            journal = stack.enter_context(closing(self._opened_journal(self.journal, target))) if self.journal else None
            writer = AnswerLog(journal, on_answer) if on_answer is not None else journal
            cases = () if self.uses_workers else self.plan.numbered()
            known = {} if self.resume else of_baseline(self.known, self.plan.message_type)
            campaign = Campaign(
                cases,
                target,
                self.settings,
                on_progress,
                journal=writer,
                recalled=recalled,
                on_contact=on_contact,
                known=known,
                on_known=on_known,
            )
            yield campaign, recalled

    def _opened_journal(self, path: str, target: Target) -> Journal:
        if self.resume:
            return Journal.continued(path)
        head = {
            "brokerfuzz": __version__,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "campaign": self.campaign_id,
            "target": target.name,
            "plan": self.plan.data(),
            "policies": self.policies,
            "fresh": self.fresh,
            "judged_at": self.now.isoformat() if self.now else None,
        }
        return Journal.begun(path, head)

    def _run_by_workers(self, campaign: Campaign, recalled: Recalled | None) -> Result:
        cluster = self.options["cluster"]
        if cluster is not None:
            with workers.cluster(cluster) as pool:
                return run_sharded(campaign, self.plan, pool, recalled=recalled)
        with workers.processes(self.options["workers"]) as processes:
            return run_sharded(campaign, self.plan, processes, self.journal, recalled)
