"""Decides which answers contradict a verdict.

Rejecting a valid message and accepting an invalid message are contradictions. A crash and a timeout are always
contradictions. For an unspecified message, acceptance and rejection are both correct.
"""

from collections.abc import Mapping
from typing import Literal

from brokerfuzz.schemas import Label
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS
from brokerfuzz.targets.answers import AnswerKind

FindingKind = Literal[
    "valid-rejected",
    "invalid-accepted",
    "crashed",
    "timeout",
    "stopped-answering",
    "differing-answers",
]
"""The kinds of findings. `stopped-answering`: the target no longer answers any message. `differing-answers`: the target
sometimes accepts and sometimes rejects the same valid message.
"""

CONFLICT = 409
"""The HTTP status with which services reject an offer whose number they already know. If the message got no new value
(see `FreshValues`), this status says nothing about the message.
"""
TEXT_MATTERS: frozenset[FindingKind] = frozenset({"crashed"})
"""The kinds for which answers with different texts show different problems. A text about a rejection often names only
the property, or the first of several problems.
"""


IN_WORDS: Mapping[FindingKind, str] = {
    "stopped-answering": "end of all answers",
    "crashed": "crash",
    "timeout": "timeout",
    "differing-answers": "differing answers",
    "invalid-accepted": "wrong acceptance",
    "valid-rejected": "wrong rejection",
}
"""Short names of the kinds, the most important ones first."""


def contradiction(label: Label, answer: AnswerKind) -> FindingKind | None:
    if answer in RIGHT_ANSWERS[label]:
        return None
    if answer == "accepted":
        return "invalid-accepted"
    return "valid-rejected" if answer == "rejected" else answer
