"""Judges the cases of a campaign with the contract, the policies and the current time of this campaign."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Policies, Verdict, check, load_contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE

_SKEWS = (timedelta(seconds=-5), timedelta(), timedelta(seconds=5))
"""The clock of the target may differ from the clock of this machine by a few seconds. This difference must not lead to
a finding.
"""


def _may_depend_on_the_clock(case: Case, contract: Contract) -> bool:
    """The contract forbids future times in some properties. Returns True if the message may contain such a property.
    Unicode escapes in the body, or headers such as `Content-Encoding`, could hide its name. In these cases, the
    function always returns True.
    """
    return bool(case.headers) or b"\\u" in case.body or any(name in case.body for name in _clock_properties(contract))


@lru_cache(maxsize=16)
def _clock_properties(contract: Contract) -> frozenset[bytes]:
    rules = contract.rules_by_id.values()
    return frozenset(
        rule.site.rpartition(".")[2].removesuffix("[]").encode() for rule in rules if rule.keyword == NOT_IN_FUTURE
    )


@dataclass(frozen=True)
class Judge:
    """The oracle with its settings. The defaults are the current time and the built-in contract."""

    now: datetime | None = None
    contract: Contract | None = None
    policies: Policies = field(default_factory=Policies)

    @property
    def demands(self) -> Contract:
        return self.contract or load_contract()

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
        if self.now is not None or not _may_depend_on_the_clock(case, self.demands):
            return True
        now = datetime.now(UTC)
        return all(replace(self, now=now + skew).of(case, case.body).label == verdict.label for skew in _SKEWS)

    def of(self, case: Case, body: bytes) -> Verdict:
        """Returns the verdict for this body with the headers of the case."""
        return check(
            case.message_type, body, now=self.now, contract=self.contract, policies=self.policies, headers=case.headers
        )
