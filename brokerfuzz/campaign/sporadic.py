"""Counts wrong answers that did not occur again when the message was sent again.

Such an answer says nothing about the message, so it is no finding. For example, a load balancer answers with a page of
its own, or the target fails under load. All of these answers together are one line of each report.
"""

from collections import Counter, defaultdict

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer, AnswerKind

SAMPLES = 3
"""The number of crashes with the same answer that are repeated at the end."""

GATEWAY = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded services. They are not errors of the application."""


def is_sporadic(finding: Finding) -> bool:
    """Returns whether a wrong answer that was repeated did not occur again at once, and at most once later."""
    return finding.flaky and finding.shown < 2


def is_server_error(answer: Answer, *, isolated: bool) -> bool:
    """Returns whether the application itself failed. A connection that broke may have another reason, for example a
    restart. If `isolated` is true, each message has a process of its own, so there is no other reason.
    """
    if answer.kind != "crashed":
        return False
    return isolated if answer.status is None else answer.status not in GATEWAY


class SporadicAnswers:
    """Counts sporadic answers for each status or reason.

    `numbers` are those of the cases that are counted although no other answer to them is known. `rules` counts these
    cases for each broken rule and each kind of answer.
    """

    def __init__(self, *, isolated: bool) -> None:
        self.numbers: set[int] = set()
        self.rules: Counter[tuple[str, AnswerKind]] = Counter()
        self._isolated = isolated
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, tuple[int, Answer]] = {}
        """The answer to the first case, and the number of this case."""
        self._crashes: dict[str, list[Finding]] = defaultdict(list)

    def add_failure(self, number: int, case: Case, answer: Answer) -> None:
        """Counts a failure after which the same message got another answer. Errors of the application itself are
        repeated at the end, because they may occur again.
        """
        head = self._count(number, answer)
        if is_server_error(answer, isolated=self._isolated):
            crashes = [*self._crashes[head], Finding("crashed", case, number, case.verdict, answer)]
            self._crashes[head] = sorted(crashes, key=lambda crash: crash.index)[:SAMPLES]

    def take(self, suspicion: Finding, suspicions: list[Finding]) -> None:
        """Moves a contradiction from the list to the sporadic answers, if it is one."""
        if not is_sporadic(suspicion) or suspicion not in suspicions:
            return
        suspicions.remove(suspicion)
        self._count(suspicion.index, suspicion.answer, suspicion.count)
        self.numbers |= suspicion.numbers
        if len(suspicion.case.faults) == 1:
            self.rules[suspicion.case.faults[0].rule, suspicion.answer.kind] += suspicion.count

    def _count(self, number: int, answer: Answer, count: int = 1) -> str:
        head = text_of(answer).head
        self._counts[head] += count
        self._examples[head] = min(self._examples.get(head, (number, answer)), (number, answer), key=lambda one: one[0])
        return head

    def answers(self) -> list[tuple[Answer, int]]:
        """Returns an example of each answer, and how many messages got such an answer."""
        return [(self._examples[head][1], count) for head, count in sorted(self._counts.items()) if count]

    def crashes(self) -> list[Finding]:
        """Returns samples of the errors of the application itself, in the order of the cases."""
        return sorted((crash for crashes in self._crashes.values() for crash in crashes), key=lambda crash: crash.index)

    def remove(self, crash: Finding) -> None:
        """Removes a crash that is a finding after all."""
        head = text_of(crash.answer).head
        self._crashes[head].remove(crash)
        self._counts[head] -= 1
