"""What comes of a campaign, while it runs and when it is over."""

from collections.abc import Mapping
from dataclasses import dataclass

from brokerfuzz.campaign.findings import Finding
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.schemas import Label
from brokerfuzz.targets.answers import AnswerKind


@dataclass(frozen=True)
class Progress:
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

    `counts` says how many cases of each verdict got which answer; `requests` counts those of shrinking too. `stopped`
    says why the campaign ended before its cases did; None where it did not.
    """

    target: str
    counts: Mapping[tuple[Label, AnswerKind], int]
    findings: tuple[Finding, ...]
    silences: tuple[Observed, ...]
    cases: int
    requests: int
    seconds: float
    stopped: str | None = None


def exit_status(result: Result) -> int:
    """0 where there is no finding, 1 where there is one; 2 is for what raises a `BrokerfuzzError`."""
    return 1 if result.findings else 0
