"""Defines the progress and the result of a campaign."""

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
    """How far the campaign has come. `phase` is `firing` or `shrinking`. `findings` counts some equal findings several times."""

    phase: str
    cases: int
    findings: int
    requests: int
    seconds: float
    total: int | None = None

    @property
    def rate(self) -> float:
        """The number of requests per second."""
        return self.requests / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Result:
    """The result of a campaign.

    `counts` maps a verdict and an answer to the number of cases. `rules` maps a broken rule and an answer to the number of
    invalid messages. `left_out` is the number of cases that cannot be sent to this target. `requests` includes the requests for
    twins and for shrinking. If the campaign ended early, `stopped` is the reason. `failed` is True if the journal could not be
    written.
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
    """Returns 1 if there is a finding that the baseline does not contain, otherwise 0."""
    return 1 if any(not finding.known for finding in result.findings) else 0
