"""How a campaign judges: at which time, by which contract, with which policies."""

from dataclasses import dataclass
from datetime import datetime

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Policies, Verdict, check, load_contract


@dataclass(frozen=True)
class Judge:
    """The oracle with what it is asked by. `now` of None is the present; `contract` of None brokerfuzz' own."""

    now: datetime | None = None
    contract: Contract | None = None
    policies: Policies | None = None

    @property
    def demands(self) -> Contract:
        """The contract."""
        return self.contract or load_contract()

    def verdict(self, case: Case) -> Verdict:
        """The case's verdict, judged anew where the user has pinned an ambiguity that may be touched."""
        return self.of(case, case.body) if self.policies and case.verdict.ambiguities else case.verdict

    def still(self, case: Case, verdict: Verdict) -> bool:
        """Whether the case is still what it was when it was made: what was in the future may be past by now."""
        return self.now is not None or self.of(case, case.body).label == verdict.label

    def of(self, case: Case, body: bytes) -> Verdict:
        """The verdict on bytes that go as the case's do."""
        return check(case.message_type, body, now=self.now, contract=self.contract, policies=self.policies, headers=case.headers)
