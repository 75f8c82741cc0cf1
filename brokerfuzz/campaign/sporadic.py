"""Counts wrong answers that did not occur again when the message was sent again.

Such an answer says nothing about the message, so it is no finding. For example, a load balancer answers with a page of
its own, or the target fails under load. All of these answers together are one line of each report.
"""

from collections import Counter
from typing import Final

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer, AnswerKind

SAMPLES: Final = 3
"""The number of crashes with the same answer that are repeated at the end."""
GATEWAY: Final = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded services. They are not errors of the application."""


def is_server_error(answer: Answer, *, isolated: bool) -> bool:
    """Returns whether the application itself failed. A connection that broke may have another reason, for example a
    restart. If `isolated` is true, each message has a process of its own, so there is no other reason.
    """
    if answer.kind != "crashed":
        return False
    return isolated if answer.status is None else answer.status not in GATEWAY


class SporadicAnswers:
    """Counts sporadic answers for each status or reason. The same answer to a case counts once.

    `rules` counts those to cases to which no other answer is known, for each broken rule and each kind of answer.
    """

    def __init__(self, *, isolated: bool) -> None:
        self.rules: Counter[tuple[str, AnswerKind]] = Counter()
        self._isolated = isolated
        self._answers: dict[str, dict[int, Answer]] = {}
        """Maps each status or reason to the numbers of the cases, and their answers."""
        self._crashes: dict[int, tuple[int, Case, Answer]] = {}

    def add_failure(self, number: int, case: Case, answer: Answer) -> None:
        """Counts a failure after which the same message got another answer. Errors of the application itself are
        repeated at the end, because they may occur again. `number` is the number of the case.
        """
        self._count(number, answer)
        if is_server_error(answer, isolated=self._isolated):
            self._crashes[number] = number, case, answer

    def add(self, failure: Failure) -> None:
        """Counts a wrong answer that did not occur again."""
        if self._count(failure.number, failure.answer) and len(failure.case.faults) == 1:
            self.rules[failure.case.faults[0].rule, failure.answer.kind] += 1

    def remove(self, failure: Failure) -> None:
        """Removes a crash that is a finding after all."""
        self._answers[text_of(failure.answer).head].pop(failure.number, None)

    def _count(self, number: int, answer: Answer) -> bool:
        counted = self._answers.setdefault(text_of(answer).head, {})
        is_new = number not in counted
        counted.setdefault(number, answer)
        return is_new

    def answers(self) -> list[tuple[Answer, int]]:
        """Returns an example of each answer, and how many messages got such an answer."""
        return [(answers[min(answers)], len(answers)) for _, answers in sorted(self._answers.items()) if answers]

    def crashes(self) -> list[tuple[int, Case, Answer]]:
        """Returns samples of the errors of the application itself: the number of the case, the case and the answer."""
        samples: Counter[str] = Counter()
        chosen = []
        for _, crash in sorted(self._crashes.items()):
            head = text_of(crash[2]).head
            samples[head] += 1
            if samples[head] <= SAMPLES:
                chosen.append(crash)
        return chosen
