"""Defines the result of a campaign, and the outcome, which determines the exit status and the first line of reports.

The outcome is `untested` if the answers show nothing about the target (see `Result.why_untested`). Otherwise, it is
`complete` if the campaign sent everything that the user asked for, and `partial` if the campaign ended too early.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from brokerfuzz.campaign.advice import fresh_advice
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.proof import Proofs
from brokerfuzz.campaign.settings import Settings
from brokerfuzz.campaign.sporadic import SporadicAnswers
from brokerfuzz.exit_status import FAILED, FOUND, INTERRUPTED
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.targets import Answer, AnswerKind, Target
from brokerfuzz.wording import counted, listed

KnownOutcome = Literal["still there", "gone", "unclear"]
CampaignState = Literal["complete", "partial", "untested"]
StopCause = Literal["contact", "limit", "interrupt", "target", "journal", "hook", "worker", "changed"]


@dataclass(frozen=True)
class Stop:
    """The reason why a campaign stopped before it sent every case.

    The cause is `contact` (the target accepted no plain message), `limit` (a limit that the user set), `interrupt`
    (Ctrl-C), `target` (the target no longer answers), `journal` (the journal cannot be written), `hook` (a hook
    failed), `worker` (a worker was lost), or `changed` (answers differ from those in the journal). `details` is the
    traceback of a failed hook, or the plain message and the answers to it. `advice` recommends an option.
    """

    reason: str
    cause: StopCause
    details: str = ""
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class CampaignOutcome:
    """The outcome of a campaign.

    `reason` says why the campaign is not complete. `status` is the exit status. `headline` is the outcome on one line,
    for example `partial (interrupted): 2 findings in 300 of 5,288 cases, 3 rules unproven`. `new` and `known` are the
    numbers of new and known findings. `unproven` is the number of rules for which every rejection is unproven.
    """

    state: CampaignState
    reason: str
    status: int
    headline: str
    new: int
    known: int
    unproven: int


@dataclass(frozen=True)
class CampaignProgress:
    """`phase` says in words what the campaign does, and `waits` is true if it waits for the target. `problems` says
    what the target did wrong so far, the most frequent problems first.
    """

    phase: str
    cases: int
    problems: Sequence[str]
    requests: int
    seconds: float
    total: int | None = None
    waits: bool = False

    @property
    def rate(self) -> float:
        return self.requests / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a campaign.

    `stop` is the reason why the campaign ended early. `requests` is the number of all requests, also of those of the
    earlier runs of a resumed campaign. `pauses` counts how often the target asked brokerfuzz to wait, and
    `seconds_away` is how long it was down before it worked again. `generated` is the number of all cases if no case
    remains to be sent.

    `renamed` is the number of valid messages that were accepted only with other values of `known_names`. `old` is the
    number of cases whose answers are in the journal of an earlier run, and `asked_again` is the number of those that
    were sent again, and got the same answer. `masked` is the number of rejections that prove nothing because of a
    finding, by its name.
    """

    settings: Settings = field(repr=False)  # may contain secrets
    target: Target
    seen: Observations = field(repr=False)
    sporadic_answers: SporadicAnswers = field(repr=False)
    findings: tuple[Finding, ...]
    masked: Mapping[str, int]
    advice: str
    renamed: int
    known_names: tuple[str, ...]
    old: int
    asked_again: int
    requests: int
    pauses: int
    seconds_away: float
    seconds: float
    generated: int | None
    stop: Stop | None

    @property
    def contract(self) -> Contract:
        return self.settings.judge.contract

    @property
    def counts(self) -> Mapping[tuple[Label, AnswerKind], int]:
        """The number of cases for each verdict and each kind of answer."""
        return self.seen.counts

    @cached_property
    def rules(self) -> Mapping[tuple[str, AnswerKind], int]:
        """The number of invalid messages for each broken rule and each kind of answer, without `sporadic` answers."""
        return self.seen.rules - self.sporadic_answers.rules

    @property
    def sporadic(self) -> tuple[tuple[Answer, int], ...]:
        """The wrong answers that did not occur again when the message was repeated: an example, and their number."""
        return tuple(self.sporadic_answers.answers())

    @property
    def proofs(self) -> Proofs:
        return self.seen.proofs

    @property
    def ambiguities(self) -> Sequence[Observed]:
        return self.seen.ledger.in_order(self.contract)

    @property
    def cases(self) -> int:
        return self.seen.counts.total()

    @property
    def total(self) -> int | None:
        """The number of all cases (of the catalogue only, if there is no limit), or None if it is unknown."""
        size = self.seen.catalogue_size
        return None if size is None else size + (self.settings.plan.count or 0)

    @property
    def fresh_advice(self) -> str:
        return fresh_advice(self.known_names, self.settings.fresh)

    @property
    def known_findings(self) -> dict[str, KnownOutcome]:
        """Says for each finding in the baseline whether something of it still fails. Otherwise, it is gone if the
        campaign is complete, and the answer to its case is now correct.
        """
        still_failing = {failure for finding in self.findings for failure in finding.failing}
        is_complete = self.outcome.state == "complete"
        outcomes: dict[str, KnownOutcome] = {}
        for entry in self.settings.known:
            if not still_failing.isdisjoint(entry["failing"]):
                outcomes[entry["finding"]] = "still there"
            else:
                is_gone = is_complete and entry["case"] in self.seen.correct
                outcomes[entry["finding"]] = "gone" if is_gone else "unclear"
        return outcomes

    def added_to_baseline(self, expired: frozenset[str]) -> "Result":
        """Returns the result after its findings were added to the baseline. What is in `expired` entries stays new."""
        findings = (
            replace(finding, state="known") if expired.isdisjoint(finding.failing) else finding
            for finding in self.findings
        )
        return replace(self, findings=tuple(findings))

    @property
    def stopped(self) -> str | None:
        return None if self.stop is None else self.stop.reason

    @property
    def outcome(self) -> CampaignOutcome:
        state, reason = self._state
        known = sum(finding.known for finding in self.findings)
        new = len(self.findings) - known
        status = 0 if state == "complete" else FAILED
        if self.stop is not None and self.stop.cause == "interrupt":
            status = INTERRUPTED
        elif new and not (self.stop is not None and self.stop.cause == "changed"):
            status = FOUND
        advice = f" ({self.stop.advice})" if self.stop is not None and self.stop.advice else ""
        beginning = "" if state == "complete" else f"{state} ({reason}): "
        return CampaignOutcome(
            state=state,
            reason=reason,
            status=status,
            headline=f"{beginning}{', '.join(self._numbers(new, known))}{advice}",
            new=new,
            known=known,
            unproven=len(self.unproven_rules),
        )

    def _numbers(self, new: int, known: int) -> Iterator[str]:
        """Describes the findings and the cases that were sent."""
        noun = "new finding" if known else "finding"
        findings = counted(new, noun) if new else f"no {noun}s"
        beside = f" ({known:,} known)" if known else ""
        cases = "" if self._is_unfinished else f" in {self._cases_in_words}"
        yield f"{findings}{beside}{cases}"
        if self.unproven:
            yield f"{self.unproven:,} of {counted(self.proofs.rejected, 'rejection')} prove nothing{self._because}"
        if rejections := sum(count for answer, count in self.sporadic if answer.kind == "rejected"):
            yield f"{counted(rejections, 'rejection')} of valid messages did not recur"

    @property
    def _cases_in_words(self) -> str:
        """The number of cases that were sent, and why there were not more."""
        possible = self.cases if self.total is None else self.total - self.seen.left_out
        of_all = f"{self.cases:,} of {counted(possible, 'case')}"
        cases = of_all if self.cases < possible else counted(self.cases, "case")
        if self.old:
            cases += f", {self.old:,} of them answered by the journal"
        if self.stop is not None and self.stop.cause == "limit":
            return f"{cases} ({self.stop.reason})"
        is_endless = self.settings.plan.count is None
        if self.generated is not None and (is_endless or self.generated < (self.total or 0)):
            return f"{cases} (no further messages were found)"
        return cases

    @property
    def _is_unfinished(self) -> bool:
        """True if the time limit was reached before all cases of the catalogue were sent."""
        is_at_limit = self.stop is not None and self.stop.cause == "limit"
        return is_at_limit and self.seen.catalogue_sent < (self.seen.catalogue_size or 0)

    @property
    def _because(self) -> str:
        """Names up to two findings by their numbers in the report, if they mask most of the unproven rejections."""
        names = [finding.name for finding in self.findings]
        masking = sorted((name for name in self.masked if name in names), key=lambda name: -self.masked[name])
        numbers = [str(names.index(name) + 1) for name in masking[:2]]
        is_most = 2 * sum(self.masked[name] for name in masking[:2]) > self.unproven
        return f", because of finding {' and '.join(numbers)}" if is_most else ""

    @property
    def unproven(self) -> int:
        """The number of invalid messages whose rejection is unproven."""
        return self.proofs.rejected - self.proofs.proven

    @property
    def unproven_rules(self) -> list[str]:
        """The rules for which every rejection is unproven. If the target accepted a message that breaks a rule, this
        message is already a finding, so the list omits the rule.
        """
        rejected = [rule for (rule, kind), count in self.rules.items() if kind == "rejected" and count]
        return [rule for rule in rejected if not self.proofs.rules[rule] and not self.rules.get((rule, "accepted"))]

    @property
    def _state(self) -> tuple[CampaignState, str]:
        """The state of the outcome, and the reason why the campaign is not complete."""
        stop, untested = self.stop, self.why_untested
        if stop is not None and stop.cause == "contact":
            return "untested", stop.reason
        early = "" if stop is None or (stop.cause == "limit" and not untested) else stop.reason
        if self._is_unfinished:
            cases = f"{self.seen.catalogue_sent:,} of {counted(self.seen.catalogue_size or 0, 'case')}"
            early = f"not finished: {cases}; use a longer --max-time, or fewer --rule"
        if not early and self.renamed and self.unproven:
            messages = counted(self.renamed, "valid message")
            early = f"the target rejects {messages} because it knows the {listed(self.known_names)}{self.fresh_advice}"
        if untested:
            return "untested", "; ".join(filter(None, (untested, early)))
        return ("partial", early) if early else ("complete", "")

    @property
    def why_untested(self) -> str:
        """The reason why the answers show nothing about the target, or an empty string."""
        if not self.cases:
            return "no case was sent"
        if self.old == self.cases:
            return "all answers come from the journal: start a new campaign, with another --journal"
        invalid = sum(count for (label, _), count in self.counts.items() if label == "invalid")
        shown = self.counts.get(("invalid", "accepted"), 0) + self.proofs.proven
        return "no rejection was proven" if invalid and not shown else ""
