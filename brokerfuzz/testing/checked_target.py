"""Sends single cases from a test to a target, and checks the answers."""

from functools import partial
from types import TracebackType
from typing import Self

from brokerfuzz.cases.case import Case
from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS
from brokerfuzz.targets import Answer, Message, Target
from brokerfuzz.targets.threads import LoopThread
from brokerfuzz.targets.waiting import LONGEST_WAIT, repeated
from brokerfuzz.testing.failure_text import described_failure


class WrongAnswer(AssertionError):
    def __init__(self, case: Case, answer: Answer) -> None:
        self.actual = f"{answer.kind} ({answer.reason})" if answer.reason else answer.kind
        super().__init__("\n".join(described_failure(case, self.actual)))


class CheckedTarget:
    """A target to which tests send single cases. Use a `CheckedTarget` in a `with` block.

    Raises `TargetError` at the beginning of the block if the target cannot be reached.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._loop = LoopThread()
        self._answers: dict[str, Answer] = {}
        """Maps the IDs of valid cases to their answers. A valid case can be the twin of many cases, but the target gets
        it only once.
        """
        self._newly_accepted: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._loop.run(self._target.open())
            contact = self._loop.run(self._target.contact())
        except BaseException:
            self.__exit__(None, None, None)
            raise
        if not contact.reached:
            self.__exit__(None, None, None)
            raise TargetError(
                f"{self._target.name} cannot be reached ({contact.reason}): start the service, or correct the URL"
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run(self._target.close())
        self._loop.close()

    def send(self, case: Case) -> Answer:
        """Sends a case and returns the answer. The `kind` of the answer is `accepted`, `rejected`, `crashed` or
        `timeout`.

        Sends each valid message only once. Later calls return the first answer.
        """
        if case.id in self._answers:
            return self._answers[case.id]
        answer = self._loop.run(self._answer(Message(case.body, case.headers, case.id)))
        if case.label == "valid":
            self._answers[case.id] = answer
            if answer.kind == "accepted":
                self._newly_accepted.append(case.id)
        return answer

    async def _answer(self, message: Message) -> Answer:
        send = partial(self._target.send, message)
        return await repeated(send, lambda answer: answer.pause is None, LONGEST_WAIT, await send())

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
        found, self._newly_accepted = self._newly_accepted, []
        return found
