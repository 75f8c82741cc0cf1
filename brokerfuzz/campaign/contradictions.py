"""Which verdict and which answer contradict each other.

A message that must be accepted was rejected, one that must be rejected was accepted, or the target crashed or fell
silent, which no message excuses. Where the contract says nothing, acceptance and rejection are both right.
"""

from typing import Literal

from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Label
from brokerfuzz.targets.answers import ANSWER_KINDS, AnswerKind

FindingKind = Literal["valid-rejected", "invalid-accepted", "crashed", "timeout", "malformed-answer"]
"""The last one says nothing of the message: the response is no proper envelope, and the user has pinned that it has to be."""


def contradiction(label: Label, answer: AnswerKind) -> FindingKind | None:
    """The kind of finding that an answer to a message of this label is; None where they agree."""
    return _TABLE[label, answer]


_BY_ANSWER: dict[AnswerKind, FindingKind] = {"crashed": "crashed", "timeout": "timeout"}
_TABLE: dict[tuple[Label, AnswerKind], FindingKind | None] = {
    **{(label, answer): _BY_ANSWER.get(answer) for label in LABELS for answer in ANSWER_KINDS},
    ("valid", "rejected"): "valid-rejected",
    ("invalid", "accepted"): "invalid-accepted",
}
