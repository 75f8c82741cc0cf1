"""Decides whether the answer to a changed message shows the same problem as the answer to the original message."""

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.envelopes import malformed
from brokerfuzz.schemas import Contract
from brokerfuzz.targets import Answer

TEXT_MATTERS: frozenset[FindingKind] = frozenset({"crashed", "valid-rejected"})
"""For these kinds of contradictions, answers with different texts show different problems."""


class SameProblem:
    """Decides whether another answer shows the same problem as `answer`. Both answers must have the same kind. If the
    kind of the contradiction is in `TEXT_MATTERS`, the text of `answer` must also include the text of the other answer
    (see `AnswerText`).
    """

    def __init__(self, kind: FindingKind, answer: Answer, message: bytes, contract: Contract) -> None:
        self._kind, self._contract = kind, contract
        self._answer = answer.kind
        self._text = text_of(answer, message)

    def is_shown(self, answer: Answer, message: bytes) -> bool:
        if self._kind == "malformed-answer":
            return malformed(answer, self._contract) is not None
        if answer.kind != self._answer:
            return False
        return self._kind not in TEXT_MATTERS or self._text.includes(text_of(answer, message))

    def narrow(self, answer: Answer, message: bytes) -> None:
        """From now on, `is_shown` compares each new answer with `answer`. If `answer` names only one of two earlier
        problems, new answers must not name the other problem.
        """
        self._text = text_of(answer, message)
