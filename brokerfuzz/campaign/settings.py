"""The settings of a campaign: the plan of its cases, its options, and what follows from them."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from secrets import token_hex
from typing import Any

from brokerfuzz.campaign.baseline import Baseline
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.fresh_values import FreshValues, check_property
from brokerfuzz.cases.plan import Plan
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.targets import Target
from brokerfuzz.version import __version__

NOT_FRESH = "off"
"""The value of `--fresh` with which no property gets new values."""
CAMPAIGN_ID = re.compile(r"[0-9a-f]{8}")
SHRINK_REQUESTS = 200
"""The maximum number of requests for shrinking a finding, and for the search for its causes."""


def new_campaign_id() -> str:
    return token_hex(4)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a campaign, without its target.

    If `resume` is true, the campaign in the file `journal` continues. Otherwise, `journal` must be a new file. `known`
    is what the baseline says.
    """

    plan: Plan
    options: FireOptions = field(default_factory=lambda: completed(FireOptions))
    campaign_id: str = field(default_factory=new_campaign_id)
    resume: bool = False
    known: Baseline = ()
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        if self.fresh is not None:
            check_property(self.fresh, self.plan.message_type, self.plan.loaded_contract)

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

    @cached_property
    def judge(self) -> Judge:
        contract = self.plan.loaded_contract
        return Judge(self.now, contract, contract.check_policies(self.options["policies"]))

    @cached_property
    def fresh_values(self) -> FreshValues | None:
        return None if self.fresh is None else FreshValues(self.fresh, self.judge.of)

    @cached_property
    def plain(self) -> tuple[Case, ...]:
        """The ordinary valid messages with which the campaign begins, to check that the target works."""
        return plain_messages(self.plan.message_type, contract=self.plan.loaded_contract)

    @property
    def shrink_requests(self) -> int:
        shrink = self.options["shrink"]
        return round(SHRINK_REQUESTS * max(shrink / 60, 1)) if shrink else 0

    @property
    def time_for_findings(self) -> float:
        """The seconds at the end of `max_time` in which the campaign sends no more cases if there are findings."""
        return min((self.options["max_time"] or 0) / 2, 60)

    @property
    def uses_workers(self) -> bool:
        """True if other processes send the cases."""
        return self.options["workers"] != 1

    def journal_head(self, target: Target) -> dict[str, Any]:
        return {
            "brokerfuzz": __version__,
            "started": self.started.isoformat(timespec="seconds"),
            "campaign": self.campaign_id,
            "target": target.name,
            "plan": self.plan.data(),
            "policies": self.judge.policies,
            "fresh": self.fresh,
            "judged_at": self.now.isoformat() if self.now else None,
        }
