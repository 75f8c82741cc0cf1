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
        self._by_key: dict[IdentityKey, Finding] = {}
        self._undistinguished: dict[IdentityKey, list[Finding]] = {}

    def __len__(self) -> int:
        return len(self._by_key) + len(self._undistinguished)

    def add(self, kind: FindingKind, index: int, case: Case, verdict: Verdict, answer: Answer, about: str = "") -> None:
        self._take(Finding(kind, case, index, verdict, answer, about=about))

    def in_order(self) -> list[Finding]:
        found = [*self._by_key.values(), *(one for some in self._undistinguished.values() for one in some)]
        return sorted(found, key=_BY_INDEX)

    def _take(self, new: Finding) -> None:
        variety, is_specific = _variety(new)
        key = (*group_key(new), *variety)
        if key not in self._by_key and len(self._by_key) >= MOST_GROUPS:
            key, is_specific = next(iter(self._by_key)), True
        if not is_specific:
            self._sample(self._undistinguished.setdefault(key, []), new)
            return
        known = self._by_key.get(key)
        if known is None:
            self._by_key[key] = new
            return
        first, later = (
            (new, known) if new.index < known.index else (known, new)
        )  # the answer to the first case may arrive last
        first.merge(later)
        self._by_key[key] = first

    def _sample(self, known: list[Finding], new: Finding) -> None:
        """Keeps the first `SAMPLES` contradictions of a group. Further contradictions are only counted."""
        insort(known, new, key=_BY_INDEX)
        if len(known) > SAMPLES:
            last = known.pop()
            known[-1].merge(last)


def _variety(suspicion: Finding) -> tuple[IdentityKey, bool]:
    """Returns the rules, techniques, edges or ambiguities that determine the group of a contradiction (see
    `Suspicions`). The boolean is True if all contradictions of this group probably have the same cause.
    """
    case, verdict = suspicion.case, suspicion.verdict
    if suspicion.kind == "stopped-answering" or suspicion.about:
        return (), True
    if case.faults:
        return tuple(sorted(f"{fault.rule} {family_of(fault.technique)}" for fault in case.faults)), True
    tags = sorted(suspicion.tags)
    broken = sorted({entry.rule for entry in verdict.broken})
    if tags or broken:
        return (verdict.label, *broken, *tags), True
    return (verdict.label, *sorted({touched.ambiguity for touched in verdict.ambiguities})), False
