"""Defines which contradictions belong to the same finding.

| contradiction | belongs to the same finding if these are equal |
|---|---|
| an invalid message was accepted | the broken rules and the families of techniques |
| a crash | the answer and the families of techniques |
| a valid message was rejected | the answer and the sites that cause the rejection |
| a timeout | the sites that cause the timeout |
| a rejection or a crash because of the size of the message | the answer |
| a malformed answer | the problem of the envelope |

The identity does not depend on how brokerfuzz generated the case. Two answers are equal if they differ only in details (see
`answer_texts`).
"""

from collections.abc import Iterable
from hashlib import sha256

from brokerfuzz.campaign.answer_texts import AnswerText, text_of, without_details
from brokerfuzz.campaign.same_problem import TEXT_MATTERS
from brokerfuzz.campaign.suspicion import Suspicion

VERSION = "3"
"""The version of the function `identity_key`. Each fingerprint depends on the version, so fingerprints of different versions never
match by chance.
"""

IdentityKey = tuple[str, ...]


def fingerprint(key: IdentityKey) -> str:
    return sha256("\n".join([VERSION, *key]).encode(errors="backslashreplace")).hexdigest()[:16]


def group_key(suspicion: Suspicion) -> IdentityKey:
    """Returns the parts of the identity that are known before the message is shrunk."""
    kind, case = suspicion.kind, suspicion.case
    if kind in ("stopped-answering", "sporadic-crash"):
        return (kind,)
    if suspicion.about:
        return (kind, case.message_type, without_details(suspicion.about))
    headers = sorted({name.lower() for name, _ in case.headers})
    head = (kind, case.message_type, *headers)
    rules = sorted({broken.rule for broken in suspicion.verdict.broken})
    match kind:
        case "invalid-accepted":
            return (*head, *rules, *suspicion.families)
        case "crashed":
            return (*head, *_text(suspicion).key, *suspicion.families)
        case "valid-rejected":
            return (*head, *_text(suspicion).key)
        case _:
            return head


def problem_key(suspicion: Suspicion) -> IdentityKey:
    """Returns the same key for all contradictions that may have the same cause. Messages that crash the target in the same way may
    have the same cause, whatever rules they break.
    """
    if suspicion.kind == "crashed" and not suspicion.about:
        return (suspicion.kind, suspicion.case.message_type, *_text(suspicion).key)
    return group_key(suspicion)


def identity_key(suspicion: Suspicion) -> IdentityKey:
    if suspicion.size:
        return (suspicion.kind, suspicion.case.message_type, *_text(suspicion).key, "size")
    key = group_key(suspicion)
    return (*key, *suspicion.sites) if suspicion.kind in ("timeout", "valid-rejected") else key


def merged(suspicions: Iterable[Suspicion]) -> list[tuple[IdentityKey, Suspicion]]:
    """Combines the contradictions that belong to the same finding. Returns each identity with its contradiction, sorted by the
    number of the first case that showed the contradiction.
    """
    found: dict[IdentityKey, Suspicion] = {}
    for suspicion in sorted(suspicions, key=lambda one: (one.reproduced is False, one.index)):
        key = identity_key(suspicion)
        if key in found:
            found[key].merge(suspicion)
        else:
            found[key] = suspicion.copy()
    return sorted(found.items(), key=lambda item: item[1].index)


def _text(suspicion: Suspicion) -> AnswerText:
    return text_of(suspicion.answer, suspicion.body) if suspicion.kind in TEXT_MATTERS else AnswerText("")
