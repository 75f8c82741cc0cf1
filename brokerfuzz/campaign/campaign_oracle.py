"""Judges the cases of a campaign with a contract and policies, as of a given time."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Policies, Verdict, check, load_contract

_SKEWS = (timedelta(seconds=-5), timedelta(), timedelta(seconds=5))
"""The differences between the clocks of brokerfuzz and the target that cause no finding."""


@dataclass(frozen=True)
class Judge:
    """The oracle with its settings. `now` of None means the current time; `contract` of None means the built-in contract."""

    now: datetime | None = None
    contract: Contract | None = None
    policies: Policies = field(default_factory=Policies)

    @property
    def demands(self) -> Contract:
        """The contract of the cases, which is the built-in contract by default."""
        return self.contract or load_contract()

    def under(self, ambiguity_id: str, interpretation: str) -> "Judge":
        """Returns the same oracle with one interpretation of an ambiguity."""
        return replace(self, policies=Policies({**self.policies, ambiguity_id: (interpretation,)}))

    def verdict(self, case: Case) -> Verdict:
        """Returns the case's verdict. Judges the case again if a policy may change the verdict."""
        return self.of(case, case.body) if self.policies and case.verdict.ambiguities else case.verdict

    def still(self, case: Case, verdict: Verdict) -> bool:
        """Returns whether the case still has this verdict. The verdict can change because a time in the message was in the future
        when the case was generated, and may be in the past now.

        The clock of the target may differ by a few seconds, so the verdict must also be the same a few seconds earlier and later.
        """
        if self.now is not None:
            return True
        now = datetime.now(UTC)
        return all(replace(self, now=now + skew).of(case, case.body).label == verdict.label for skew in _SKEWS)

    def of(self, case: Case, body: bytes) -> Verdict:
        """Returns the verdict on a message with this `body` and the headers of the case."""
        return check(case.message_type, body, now=self.now, contract=self.contract, policies=self.policies, headers=case.headers)
