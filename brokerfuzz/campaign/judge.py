"""Judges the cases of a campaign with the contract, the policies and the current time of this campaign."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Policies, Verdict, check, load_contract

_SKEWS = (timedelta(seconds=-5), timedelta(seconds=5))
"""The clock of the target may differ from the clock of this machine by a few seconds. This difference must not lead to
a finding.
"""


@dataclass(frozen=True)
class Judge:
    """The oracle with its settings. The defaults are the current time and the built-in contract."""

    now: datetime | None = None
    contract: Contract = field(default_factory=load_contract)
    policies: Policies = field(default_factory=Policies)

    def identifiers(self, case: Case) -> Sequence[str]:
        """Returns the properties that identify the message of a case."""
        return self.contract.identifiers(case.message_type)

    def allowing(self, ambiguity_id: str, interpretation: str) -> "Judge":
        """Returns an oracle that allows only this interpretation of the ambiguity."""
        return Judge(self.now, self.contract, Policies({**self.policies, ambiguity_id: (interpretation,)}))

    def verdict(self, case: Case) -> Verdict:
        """Returns the verdict under the policies of the campaign. `case.verdict` is the verdict without policies."""
        if not self.policies or not case.verdict.ambiguities:
            return case.verdict
        return self.of(case, case.body)

    def still(self, case: Case, verdict: Verdict) -> bool:
        """Returns whether `verdict` is correct at the current time. For example, a time in the message may have been in
        the future when the case was generated, but not now. The verdict must also be correct five seconds earlier and
        later, because the clock of the target may be wrong by a few seconds.
        """
        if self.now is not None:
            return True
        now = datetime.now(UTC)
        return all(replace(self, now=now + skew).of(case, case.body).label == verdict.label for skew in _SKEWS)

    def of(self, case: Case, body: bytes) -> Verdict:
        """Returns the verdict for this body as a message of the same type as the case."""
        return check(case.message_type, body, now=self.now, contract=self.contract, policies=self.policies)
