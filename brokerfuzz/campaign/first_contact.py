"""The first message of a campaign: a plain valid message. The answer to it shows whether the target accepts messages at all."""

from dataclasses import dataclass

from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer


@dataclass(frozen=True)
class FirstContact:
    """The plain message and the answer to it. Both are None if there is no plain message, or if it was not answered."""

    case: Case | None = None
    answer: Answer | None = None

    @property
    def accepted(self) -> bool:
        """Whether the target accepted the plain message."""
        return self.answer is not None and self.answer.kind == "accepted" and self.case is not None and self.case.label == "valid"
