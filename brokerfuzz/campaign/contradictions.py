"""Decides which answers contradict a verdict.

Rejecting a valid message and accepting an invalid message are contradictions. A crash and a timeout are always
contradictions. For an unspecified message, acceptance and rejection are both correct.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class KindOfFinding:
    """What is said about findings of a kind: its `name` in reports, the verb of a sentence (`crashes if ...`) and that
    of what fails (`crashes at ...`, for a baseline). If `text_matters`, answers with different texts show different
    problems. A text about a rejection often names only the property, or the first of several problems.
    """

    name: str
    verb: str = ""
    failing: str = ""
    text_matters: bool = False


FINDING_KINDS: Mapping[FindingKind, KindOfFinding] = {
    "stopped-answering": KindOfFinding("end of all answers"),
    "crashed": KindOfFinding("crash", "crashes", "crashes at", text_matters=True),
    "timeout": KindOfFinding("timeout", "no answer", "does not answer"),
    "differing-answers": KindOfFinding("differing answers"),
    "invalid-accepted": KindOfFinding("wrong acceptance"),
    "valid-rejected": KindOfFinding("wrong rejection", "rejected", "rejects"),
}
"""The most important kinds first, in the order of reports."""


def contradiction(label: Label, answer: AnswerKind) -> FindingKind | None:
    if answer in RIGHT_ANSWERS[label]:
        return None
    if answer == "accepted":
        return "invalid-accepted"
    return "valid-rejected" if answer == "rejected" else answer
