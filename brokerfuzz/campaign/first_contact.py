"""The first messages of a campaign: plain valid messages. The answers to the plain messages show whether the target accepts
messages at all.
"""

from dataclasses import dataclass

from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer


@dataclass(frozen=True)
class FirstContact:
    """The first plain message that the target accepted, and its answer. If the target accepted no plain message, this is the
    first message that it answered. `case` and `answer` are None if the target answered no message. `rejected` is the number of
    plain messages that the target answered, but did not accept.
    """

    case: Case | None = None
    answer: Answer | None = None
    rejected: int = 0

    @property
    def accepted(self) -> bool:
        """True if the target accepted a plain message."""
        return self.answer is not None and self.answer.kind == "accepted" and self.case is not None and self.case.label == "valid"
