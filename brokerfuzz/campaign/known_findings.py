"""The findings of the baseline, which do not make a campaign fail."""

from dataclasses import dataclass

from brokerfuzz.campaign.contradictions import WITH_CAUSES, FindingKind
from brokerfuzz.campaign.identity import fingerprint, group_key
from brokerfuzz.campaign.suspicion import Suspicion


@dataclass(frozen=True)
class KnownFindings:
    """The names of known findings, and of the general headlines that explain them, with the kinds of these findings."""

    names: frozenset[str] = frozenset()
    kinds: frozenset[FindingKind] = frozenset()

    def may_contain(self, suspicion: Suspicion) -> bool:
        """Returns whether a contradiction that is not yet explained may belong to a known finding."""
        if suspicion.kind in WITH_CAUSES:
            return suspicion.kind in self.kinds
        if suspicion.kind == "invalid-accepted" and self.names and len(suspicion.verdict.broken) > 1:
            return True
        return fingerprint(group_key(suspicion))[:8] in self.names
