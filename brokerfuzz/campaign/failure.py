"""Defines a failure: one wrong answer of the target, while brokerfuzz examines it."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import at_pointer, read_tree
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets.answers import Answer


class FailingMessage(NamedTuple):
    body: bytes
    verdict: Verdict
    answer: Answer


@dataclass(eq=False)
class Failure:
    """A case to which the target gave a wrong answer. `message` is the smallest one so far that shows the same problem.
    It was sent again `sent` times, and `shown` times the problem occurred. `whole` is true if nothing can be removed
    from it. It is never replaced with a message that `has_known_cause`, because this may fail for another reason.
    `accepted` are the changed messages that the target accepted, so what they have is not the cause.
    """

    kind: FindingKind
    number: int
    case: Case
    message: FailingMessage
    sent: int = 0
    shown: int = 0
    whole: bool = False
    has_known_cause: Callable[[bytes], bool] | None = None
    accepted: list[bytes] = field(default_factory=list)

    @classmethod
    def of(cls, trial: Trial) -> "Failure":
        assert trial.contradiction is not None, "the answer is wrong"
        message = FailingMessage(trial.case.body, trial.verdict, trial.answer)
        return cls(trial.contradiction, trial.number, trial.case, message)

    @property
    def body(self) -> bytes:
        return self.message.body

    @property
    def verdict(self) -> Verdict:
        return self.message.verdict

    @property
    def answer(self) -> Answer:
        return self.message.answer

    def restart_with(self, message: FailingMessage) -> None:
        """Uses another message, which was not sent again yet."""
        self.message = message
        self.sent = self.shown = 0

    @property
    def recurred(self) -> bool:
        """True if the problem occurred each time that the message was sent again."""
        return 0 < self.sent == self.shown

    @property
    def is_sporadic(self) -> bool:
        """True if the problem did not occur again at once, and at most once later."""
        return self.shown < self.sent and self.shown < 2

    def strings_at(self, places: Iterable[str]) -> list[str]:
        """Returns the strings of the smallest message at these JSON Pointers. The answer may repeat them."""
        values = []
        for place in places:
            with suppress(LookupError, ValueError):  # there is no value, or the message is not JSON
                values.append(at_pointer(read_tree(self.body), place))
        return [value for value in values if isinstance(value, str)]
