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

from collections.abc import Iterable

from brokerfuzz.campaign.answer_texts import AnswerText, text_of, without_details
from brokerfuzz.campaign.contradictions import TEXT_MATTERS, WITH_CAUSES
from brokerfuzz.campaign.finding import Finding

IdentityKey = tuple[str, ...]


def group_key(suspicion: Finding) -> IdentityKey:
    """Returns the parts of the identity that are known before the message is explained. Contradictions with the same
    parts may have the same cause.
    """
    kind, case = suspicion.kind, suspicion.case
    if kind in ("stopped-answering", "sporadic-crash"):
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


def merged(suspicions: Iterable[Finding]) -> list[Finding]:
    """Combines the contradictions that belong to the same finding, and sets their `identity`. The result is sorted by
    the number of the first case that showed the contradiction.
    """
    found: dict[IdentityKey, Finding] = {}
    for suspicion in sorted(suspicions, key=lambda one: (one.flaky, len(one.reasons), one.index)):
        key = identity_key(suspicion)
        if key in found:
            found[key].merge(suspicion)
        else:
            found[key] = suspicion.copy()
            found[key].identity = key
    return sorted(found.values(), key=lambda one: one.index)


def _text(suspicion: Finding) -> AnswerText:
    return text_of(suspicion.answer, suspicion.body) if suspicion.kind in TEXT_MATTERS else AnswerText("")
