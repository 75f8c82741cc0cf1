"""Sends the message of a contradiction again, or changed ones, to find out whether they have the same problem.

A message has the same problem if its verdict is the same, and if its answer has the same status and, for crashes, says
the same. If messages with several problems are changed, this keeps one problem from turning into another one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import blake2b
from time import monotonic
from typing import Literal

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.contradictions import FINDING_KINDS
from brokerfuzz.campaign.failure import FailingMessage, Failure
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.sending import Sender, TargetLostError, UnsendableError
from brokerfuzz.json_trees import Tree, write_tree
from brokerfuzz.schemas import Verdict
from brokerfuzz.schemas.known_values import KNOWN_VALUES
from brokerfuzz.targets import Answer

MOST_JUDGED = 32 << 20
"""The maximum number of bytes that the oracle judges for one problem. This limits the time for a very large message."""
LONGEST_KEPT = 8 << 10
"""Longer messages, in bytes, are not kept as evidence."""
REJECTIONS = 8
"""If the target sometimes rejects valid messages, a rejection counts only if it occurs this number of times again, one
after another.
"""
TRIES = 5
"""The maximum number of times that a message is sent again to measure how often the problem occurs."""

ChangeOutcome = Literal["same problem", "other verdict", "other answer"]
"""The result of sending a changed message. A message that cannot be sent has no answer, so it counts as `other
verdict`. If neither message is invalid, an answer without the problem counts as `other answer`, even if the contract
leaves one of them open.
"""


@dataclass(frozen=True)
class Bounds:
    """The maximum number of messages for one search, and the time at which it must end (on the clock
    `time.monotonic`).
    """

    requests: int
    deadline: float


class LimitReachedError(Exception):
    """The search must end, because a limit is reached or the target no longer answers."""


@dataclass(frozen=True)
class _Tried:
    outcome: ChangeOutcome
    verdict: Verdict
    answer: Answer


class Problem:
    """The problem of one contradiction. `failure` changes: it always describes the last message that had the problem,
    and how often this message was sent again. If `is_uncertain` is true, the target also rejects messages by chance.

    All methods that send messages raise `LimitReachedError`.
    """

    def __init__(
        self, failure: Failure, judge: Judge, sender: Sender, role: str, bounds: Bounds, *, is_uncertain: bool = False
    ) -> None:
        self.failure = failure
        self._judge, self._sender, self._role, self._bounds = judge, sender, role, bounds
        self._is_uncertain = is_uncertain
        self._wanted = signature(failure.verdict)
        self._text = text_of(failure.answer, failure.body)
        self.earlier: list[FailingMessage] = []
        """The larger messages that showed the problem before, the largest first."""
        self.keeps: Callable[[Tree], Awaitable[bool]] | None = None
        """A further condition of messages that replace the current one."""
        self._tried: dict[bytes, _Tried] = {}
        self._requests = self._judged = 0

    async def adopt(self, tree: Tree) -> bool:
        """Returns whether a changed message has the problem. If so, the message replaces the current one."""
        body = write_tree(tree)
        if self.keeps is not None:
            tried = await self._tried_with(body, any_verdict=False)
            if tried.outcome != "same problem" or not await self.keeps(tree):
                return False
        return await self.adopt_bytes(body)

    async def adopt_bytes(self, body: bytes) -> bool:
        failure = self.failure
        if body == failure.body:
            return True
        if failure.has_known_cause is not None and failure.has_known_cause(body):
            return False
        tried = await self._tried_with(body, any_verdict=False)
        if tried.outcome == "same problem":
            self.earlier.append(failure.message)
            failure.message = FailingMessage(body, tried.verdict, tried.answer)
            # if it names only one of two problems, the other must not follow
            self._text = text_of(tried.answer, body)
        return tried.outcome == "same problem"

    async def outcome(self, tree: Tree) -> ChangeOutcome:
        """Says whether a changed message has the problem, and does not replace the current message."""
        return (await self._tried_with(write_tree(tree), any_verdict=True)).outcome

    async def _tried_with(self, body: bytes, *, any_verdict: bool) -> "_Tried":
        await self._pause()
        key = blake2b(body, digest_size=16).digest()
        if key not in self._tried:
            tried = await self._try(body, any_verdict=any_verdict)
            if tried.outcome == "other verdict" and not any_verdict:
                return tried  # not sent: `outcome` may still need the answer
            self._tried[key] = tried
        return self._tried[key]

    async def _pause(self) -> None:
        """Lets other tasks run in a search that computes without sending, so that Ctrl-C is noticed."""
        await asyncio.sleep(0)
        if monotonic() > self._bounds.deadline:
            raise LimitReachedError

    async def _try(self, body: bytes, *, any_verdict: bool) -> "_Tried":
        self._judged += len(body)
        if self._judged > MOST_JUDGED:
            raise LimitReachedError
        verdict = self._judge.of(self.failure.case, body)
        has_same_verdict = self._keeps(verdict)
        if not has_same_verdict and not (any_verdict and "invalid" not in (verdict.label, self._wanted[0])):
            return _Tried("other verdict", verdict, self.failure.answer)
        try:
            answer = await self.answer(body)
        except UnsendableError:
            return _Tried("other verdict", verdict, self.failure.answer)
        if not self.is_shown(answer, body):
            if has_same_verdict and answer.kind == "accepted" and len(body) <= LONGEST_KEPT:
                self.failure.accepted.append(body)
            return _Tried("other answer", verdict, answer)
        return _Tried("same problem" if has_same_verdict else "other verdict", verdict, answer)

    def _keeps(self, verdict: Verdict) -> bool:
        """Returns whether a message may replace the current one. A crash is as wrong for a valid message as for one
        that the contract leaves open.
        """
        return signature(verdict) == self._wanted or (self._wanted[0], verdict.label) == ("unspecified", "valid")

    async def answer(self, body: bytes, *, again: bool = False) -> Answer:
        """Returns the answer to a message. With `again`, the message is sent even if its answer is known."""
        if self._requests >= self._bounds.requests or monotonic() > self._bounds.deadline:
            raise LimitReachedError
        self._requests += 1
        answer = await self._asked(body, again=again)
        for _ in range(REJECTIONS if self._is_uncertain else 0):
            if answer.kind == "rejected":
                answer = await self._asked(body, again=True)
        return answer

    async def _asked(self, body: bytes, *, again: bool) -> Answer:
        try:
            answer = await self._sender.ask(self._role, self.failure.number, self.failure.case, body, again=again)
        except TargetLostError:
            raise LimitReachedError from None
        if not answer.reached:
            raise LimitReachedError
        return answer

    def is_shown(self, answer: Answer, body: bytes) -> bool:
        """Returns whether the answer to a message shows the problem."""
        failure = self.failure
        if answer.kind != failure.answer.kind:
            return False
        if (answer.reason, answer.body) == (failure.answer.reason, failure.answer.body):
            return True  # one of the messages may contain a word of the text by chance
        text = text_of(answer, body)
        return self._text.includes(text) if FINDING_KINDS[failure.kind].text_matters else self._text.head == text.head

    async def recurs(self, tries: int = TRIES) -> bool:
        """Sends the message again, and returns whether the problem occurs again. If not, sends it several more times,
        to measure how often the problem occurs.
        """
        for _ in range(tries):
            await self.repeat()
            if self.failure.recurred:
                return True
        return False

    async def repeat(self) -> None:
        failure = self.failure
        answer = await self.answer(failure.body, again=True)
        failure.sent += 1
        if answer.kind == failure.answer.kind:  # the text may differ: Java soon leaves out the stack traces of crashes
            failure.shown += 1
            failure.message = failure.message._replace(answer=answer)
            self._text = text_of(answer, failure.body)


def signature(verdict: Verdict) -> tuple[str, frozenset[str], bool]:
    """Returns the facts about a message that a change must keep: the label, the broken rules, and whether the message
    contains an unknown value.
    """
    unknown = any(touched.ambiguity == KNOWN_VALUES for touched in verdict.ambiguities)
    return verdict.label, frozenset(entry.rule for entry in verdict.broken), unknown
