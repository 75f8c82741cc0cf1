"""Counts wrong answers that did not occur again when the message was sent again.

Such an answer says nothing about the message, so it is no finding. For example, a load balancer answers with a page of
its own, or the target fails under load. All of these answers together are one line of each report.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.usual_answers import is_server_error
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer, AnswerKind

SAMPLES: Final = 3
"""The number of crashes with the same answer that are repeated at the end."""


@dataclass
class _Alike:
    """Answers with the same status or reason: the first one, the number of its case, and how many there are. `crashes`
    contains the first errors of the application itself.
    """

    number: int
    answer: Answer
    count: int = 0
    crashes: dict[int, tuple[int, Case, Answer]] = field(default_factory=dict)


class SporadicAnswers:
    """Counts sporadic answers for each status or reason.

    `rules` counts those to cases to which no other answer is known, for each broken rule and each kind of answer.
    """

    def __init__(self, *, isolated: bool) -> None:
        self.rules: Counter[tuple[str, AnswerKind]] = Counter()
        self._isolated = isolated
        self._by_head: dict[str, _Alike] = {}

    def add_failure(self, number: int, case: Case, answer: Answer) -> None:
        """Counts a failure after which the same message got another answer. Errors of the application itself are
        repeated at the end, because they may occur again. `number` is the number of the case.
        """
        alike = self._count(number, answer)
        if is_server_error(answer, isolated=self._isolated):
            alike.crashes.setdefault(number, (number, case, answer))
            if len(alike.crashes) > SAMPLES:
                del alike.crashes[max(alike.crashes)]

    def add(self, failure: Failure) -> None:
        """Counts a wrong answer that did not occur again, unless `add_failure` has counted it."""
        alike = self._by_head.get(text_of(failure.answer).head)
        if alike is not None and failure.number in alike.crashes:
            return
        self._count(failure.number, failure.answer)
        if len(failure.case.faults) == 1:
            self.rules[failure.case.faults[0].rule, failure.answer.kind] += 1

    def remove(self, failure: Failure) -> None:
        """Removes a crash that is a finding after all."""
        self._by_head[text_of(failure.answer).head].count -= 1

    def _count(self, number: int, answer: Answer) -> _Alike:
        alike = self._by_head.setdefault(text_of(answer).head, _Alike(number, answer))
        alike.count += 1
        if number < alike.number:
            alike.number, alike.answer = number, answer
        return alike

    def answers(self) -> list[tuple[Answer, int]]:
        """Returns an example of each answer, and how many messages got such an answer."""
        return [(alike.answer, alike.count) for _, alike in sorted(self._by_head.items()) if alike.count]

    def crashes(self) -> list[tuple[int, Case, Answer]]:
        """Returns samples of the errors of the application itself: the number of the case, the case and the answer."""
        samples = [crash for alike in self._by_head.values() for crash in alike.crashes.values()]
        return sorted(samples, key=lambda crash: crash[0])
