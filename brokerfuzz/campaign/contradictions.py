"""The table of contradictions between verdicts and answers.

If the target rejects a valid message or accepts an invalid message, its answer is a contradiction. A crash or a timeout is always
a contradiction. If the contract does not specify the behaviour, the target may accept or reject the message.
"""

from typing import Literal

from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Label
from brokerfuzz.targets.answers import ANSWER_KINDS, AnswerKind

FindingKind = Literal["valid-rejected", "invalid-accepted", "crashed", "timeout", "malformed-answer"]
"""The kind `malformed-answer` concerns the response, not the message: the response is not a valid envelope, although a policy
requires one.
"""


def contradiction(label: Label, answer: AnswerKind) -> FindingKind | None:
    """Returns the kind of finding if the answer contradicts the verdict, else None."""
    return _TABLE[label, answer]


_BY_ANSWER: dict[AnswerKind, FindingKind] = {"crashed": "crashed", "timeout": "timeout"}
_TABLE: dict[tuple[Label, AnswerKind], FindingKind | None] = {
    **{(label, answer): _BY_ANSWER.get(answer) for label in LABELS for answer in ANSWER_KINDS},
    ("valid", "rejected"): "valid-rejected",
    ("invalid", "accepted"): "invalid-accepted",
}
