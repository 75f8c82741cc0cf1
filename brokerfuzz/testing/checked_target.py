"""Sends single cases from a test to a target, and checks the answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS
from brokerfuzz.targets import Answer, HttpTarget, Target
from brokerfuzz.targets.threads import LoopThread
from brokerfuzz.targets.waiting import LONGEST_WAIT, sent_patiently
from brokerfuzz.testing.failure_text import described_failure


class WrongAnswer(AssertionError):
    def __init__(self, case: Case, answer: Answer) -> None:
        self.actual = f"{answer.kind} ({answer.reason})" if answer.reason else answer.kind
        super().__init__("\n".join(described_failure(case, self.actual)))


@contextmanager
def checked(target: Target) -> Iterator["CheckedTarget"]:
    """Opens the target during a `with` block. Raises `TargetError` if a URL cannot be reached."""
    loop = LoopThread()
    try:
        loop.run(target.open())
        if isinstance(target, HttpTarget):
            loop.run(target.head())
        yield CheckedTarget(target, loop)
    finally:
        loop.run(target.close())
        loop.close()


class CheckedTarget:
    """A target to which tests send single cases."""

    def __init__(self, target: Target, loop: LoopThread) -> None:
        self._target, self._loop = target, loop
        self._answers: dict[str, Answer] = {}
        """Maps the IDs of valid cases to their answers. A valid case can be the twin of many cases, but the target gets
        it only once.
        """
        self._newly_accepted: list[str] = []

    def send(self, case: Case) -> Answer:
        """Sends a case and returns the answer. The `kind` of the answer is `accepted`, `rejected`, `crashed` or
        `timeout`.

        Sends each valid message only once. Later calls return the first answer.
        """
        if case.id in self._answers:
            return self._answers[case.id]
        answer = self._loop.run(self._answer(case))
        if case.label == "valid":
            self._answers[case.id] = answer
            if answer.kind == "accepted":
                self._newly_accepted.append(case.id)
        return answer

    async def _answer(self, case: Case) -> Answer:
        return await sent_patiently(partial(self._target.send, case.body, case.id), LONGEST_WAIT)

    def check(self, case: Case) -> Answer:
        """Sends a case and returns the answer. Raises `WrongAnswer`, an `AssertionError`, if the answer contradicts the
        contract.

        If the target rejects an invalid message, the method also sends the twin (the valid counterpart). If the target
        also rejects the twin, the rejection proves nothing, and the summary of the test session lists the rule as
        unproven.
        """
        __tracebackhide__ = True
        answer = self.send(case)
        if answer.kind not in RIGHT_ANSWERS[case.label]:
            raise WrongAnswer(case, answer)
        if case.label == "invalid" and case.twin is not None:
            self.send(case.twin)
        return answer

    def newly_accepted(self) -> list[str]:
        case_ids, self._newly_accepted = self._newly_accepted, []
        return case_ids
