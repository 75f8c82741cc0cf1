"""Groups similar contradictions while a campaign runs.

A finding can consist of several groups. In most groups, the messages are so similar that brokerfuzz shrinks only the
first message. If the messages of a group may have different causes, brokerfuzz shrinks up to `SAMPLES` of these
messages.
"""

from bisect import insort
from operator import attrgetter

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import IdentityKey, group_key
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer

SAMPLES = 8
MOST_GROUPS = 2000
"""The maximum number of groups. A campaign reaches this number only if the target's answers are always different. Then
each contradiction that belongs to no existing group is added to the first group.
"""

_BY_INDEX = attrgetter("index")


class Suspicions:
    """Groups contradictions of the same kind whose messages break the same rules with similar techniques.

    If the messages break no rule, contradictions with the same edges (unusual valid values) or the same ambiguities
    form a group.
    """

    def __init__(self) -> None:
        self._groups: dict[IdentityKey, list[Finding]] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def add(self, kind: FindingKind, index: int, case: Case, verdict: Verdict, answer: Answer, about: str = "") -> None:
        new = Finding(kind, case, index, verdict, answer, about=about)
        variety, samples = _variety(new)
        key = (*group_key(new), *variety)
        if key not in self._groups and len(self._groups) >= MOST_GROUPS:
            key = next(iter(self._groups))
        group = self._groups.setdefault(key, [])
        insort(group, new, key=_BY_INDEX)  # the answer to the first case may arrive last
        if len(group) > samples:
            last = group.pop()
            group[-1].merge(last)

    def in_order(self) -> list[Finding]:
        return sorted((one for group in self._groups.values() for one in group), key=_BY_INDEX)


def _variety(suspicion: Finding) -> tuple[IdentityKey, int]:
    """Returns the rules, techniques, edges or ambiguities that determine the group of a contradiction (see
    `Suspicions`), and how many messages of this group may have different causes.
    """
    case, verdict = suspicion.case, suspicion.verdict
    if suspicion.kind == "stopped-answering" or suspicion.about:
        return (), 1
    if case.faults:
        return tuple(sorted(f"{fault.rule} {family_of(fault.technique)}" for fault in case.faults)), 1
    tags = sorted(suspicion.tags)
    broken = sorted({entry.rule for entry in verdict.broken})
    if tags or broken:
        return (verdict.label, *broken, *tags), 1
    return (verdict.label, *sorted({touched.ambiguity for touched in verdict.ambiguities})), SAMPLES
