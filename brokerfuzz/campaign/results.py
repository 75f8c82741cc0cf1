"""What comes of a campaign, while it runs and when it is over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from brokerfuzz.campaign.attribution import Attribution
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.schemas import Label
from brokerfuzz.targets import AnswerKind


@dataclass(frozen=True)
class CampaignProgress:
    """How far a campaign is. `phase` is `firing` or `shrinking`; `findings` are not yet merged by their smallest messages."""

    phase: str
    cases: int
    findings: int
    requests: int
    seconds: float
    total: int | None = None

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Result:
    """A campaign's result.

    `counts` says how many cases of each verdict got which answer, `rules` how many faults of each rule did; `left_out` is how many cases the target
    cannot be given. `requests` counts those of twins and of shrinking too. `stopped` says why the campaign ended before its cases did; None where
    it did not. `failed` says that it stopped because its journal could not be written.
    """

    target: str
    counts: Mapping[tuple[Label, AnswerKind], int]
    findings: tuple[Finding, ...]
    ambiguities: tuple[Observed, ...]
    cases: int
    requests: int
    seconds: float
    stopped: str | None = None
    rules: Mapping[tuple[str, AnswerKind], int] = field(default_factory=dict)
    attribution: Attribution = field(default_factory=Attribution)
    timing: Timing = field(default_factory=Timing)
    left_out: int = 0
    failed: bool = False
    started: datetime = datetime(1970, 1, 1, tzinfo=UTC)


def exit_status(result: Result) -> int:
    """0 where there is no finding that is not known, 1 where there is one; 2 is for what raises a `BrokerfuzzError`."""
    return 1 if any(not finding.known for finding in result.findings) else 0
