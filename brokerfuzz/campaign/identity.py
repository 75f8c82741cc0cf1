"""Defines which contradictions belong to the same finding.

| contradiction | belongs to the same finding if these are equal |
|---|---|
| an invalid message was accepted | the first broken rule and the families of techniques |
| a crash, or a valid message was rejected | the answer and the sites of the causes |
| a timeout | the sites of the causes |
| a rejection or a crash because of the size of the message | the answer |
| a malformed answer | the problem of the envelope |

The identity does not depend on how brokerfuzz generated the case. Two answers are equal if they differ only in details
(see `answer_texts`).
"""

from bisect import insort
from operator import attrgetter

from brokerfuzz.campaign.answer_texts import AnswerText, text_of, without_details
from brokerfuzz.campaign.contradictions import TEXT_MATTERS, WITH_CAUSES
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.cases.techniques import family_of

SAMPLES = 8
MOST_GROUPS = 2000
"""The maximum number of groups. A campaign reaches this number only if the target's answers are always different. Then
each contradiction that belongs to no existing group is added to the first group.
"""

IdentityKey = tuple[str, ...]


def group_key(suspicion: Finding) -> IdentityKey:
    """Returns the parts of the identity that are known before the message is explained. Contradictions with the same
    parts may have the same cause.
    """
    kind, case = suspicion.kind, suspicion.case
    if kind == "stopped-answering":
        return (kind,)
    if suspicion.about:
        return (kind, case.message_type, without_details(suspicion.about))
    headers = sorted({name.lower() for name, _ in case.headers})
    head = (kind, case.message_type, *headers)
    match kind:
        case "invalid-accepted":
            return (*head, *sorted(broken.rule for broken in suspicion.reasons)[:1], *suspicion.families)
        case "crashed" | "valid-rejected":
            return (*head, *_text(suspicion).key)
        case _:
            return head


def identity_key(suspicion: Finding) -> IdentityKey:
    if suspicion.size:
        return (suspicion.kind, suspicion.case.message_type, *_text(suspicion).key, "size")
    key = group_key(suspicion)
    return (*key, *suspicion.sites) if suspicion.kind in WITH_CAUSES and not suspicion.about else key


def _text(suspicion: Finding) -> AnswerText:
    if suspicion.kind not in TEXT_MATTERS:
        return AnswerText("")
    return text_of(suspicion.answer, suspicion.body, suspicion.strings_of_causes)


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

    def add(self, new: Finding) -> None:
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
