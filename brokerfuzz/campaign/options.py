from dataclasses import dataclass, field
from datetime import datetime

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.known_findings import KnownFindings
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.schemas import Contract, PolicyValues, load_contract
from brokerfuzz.targets.waiting import LONGEST_WAIT

SHRINK_REQUESTS = 200


@dataclass(frozen=True, kw_only=True)
class Options:
    """The settings of a campaign.

    `concurrency` is the number of messages that are sent at the same time. `rate` limits the number of requests per
    second (None: no limit). After `time` seconds, the campaign ends. If there are findings by then, the last quarter of
    this time (at most a minute) is for retests and shrinking, so the campaign sends no more cases. After `max_findings`
    different findings, the campaign sends no more cases.

    brokerfuzz judges the cases with `now`, `contract` and `policies`. `now` and `contract` must be the same as when the
    cases were generated. For each finding, shrinking uses at most `shrink_requests` requests (0: no shrinking). The
    search for the causes of a finding has the same limit. For all findings together, shrinking and searching take at
    most `shrink_seconds` seconds. Findings in `known` do not count for `max_findings`.

    `fresh` is the name of a property that gets a different string in each message. `plain` contains ordinary valid
    messages. The campaign first sends these messages, until the target accepts one. If the target accepts none and
    `preflight` is true, the campaign ends. Later, if the target may be down, the campaign sends the accepted message
    again, and stops if it gets no answer within `longest_wait` seconds. `total` is the number of cases, for progress
    reports. If `repeats` is true, the campaign sends an accepted offer twice at the end (see `repeated_number`).
    """

    concurrency: int = 16
    rate: float | None = None
    time: float | None = None
    max_findings: int | None = None
    now: datetime | None = None
    contract: Contract | None = None
    policies: PolicyValues | None = None
    shrink_requests: int = SHRINK_REQUESTS
    shrink_seconds: float = 60.0
    known: KnownFindings = field(default_factory=KnownFindings)
    fresh: str | None = None
    plain: tuple[Case, ...] = ()
    preflight: bool = True
    longest_wait: float = LONGEST_WAIT
    total: int | None = None
    repeats: bool = False

    def __post_init__(self) -> None:
        for name in ("concurrency", "rate", "time", "max_findings"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name}={value!r} is too small: use a number greater than 0")

    @property
    def time_for_findings(self) -> float:
        """The seconds at the end of `time` in which the campaign sends no more cases if there are findings."""
        return min((self.time or 0) / 4, 60)

    @property
    def judge(self) -> Judge:
        return Judge(self.now, self.contract, (self.contract or load_contract()).check_policies(self.policies or {}))

    @property
    def fresh_values(self) -> FreshValues | None:
        return None if self.fresh is None else FreshValues(self.fresh, self.judge.of)
