"""Finds out whether other messages have the same problem as the message of a contradiction.

A message has the same problem if its verdict is the same, and if its answer says the same. If messages with several
problems are changed, this keeps one problem from turning into another one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.bounded_sending import BoundedSender, LimitReachedError
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import TEXT_MATTERS
from brokerfuzz.campaign.envelopes import malformed
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.sending import UnsendableError
from brokerfuzz.json_trees import Tree, tree_of, write_tree
from brokerfuzz.schemas import Verdict
from brokerfuzz.schemas.known_values import KNOWN_VALUES
from brokerfuzz.targets import Answer

MOST_JUDGED = 32 << 20
"""The maximum number of bytes that the oracle judges for one problem. This limits the time for a very large message."""
TRIES = 5
"""The maximum number of times that a message is sent again to measure how often the problem occurs."""

Outcome = Literal["same problem", "other verdict", "other answer"]
"""The result of sending a changed message. A message that cannot be sent has no answer, so it counts as `other
verdict`. If neither message is invalid, an answer without the problem counts as `other answer`, even if the contract
leaves one of them open.
"""


@dataclass(frozen=True)
class _Tried:
    outcome: Outcome
    verdict: Verdict
    answer: Answer


class Problem:
    """The problem of one contradiction. `body`, `verdict` and `answer` describe the last message that had it: first the
    message `body` of the contradiction, then the smaller messages for which `has` returned True.

    The function `allows` decides which messages may be sent.
    """

    def __init__(self, suspicion: Finding, judge: Judge, sender: BoundedSender) -> None:
        self.body, self.verdict, self.answer = suspicion.body, suspicion.verdict, suspicion.answer
        self.sent = self.shown = 0
        self._kind, self._case, self._judge = suspicion.kind, suspicion.case, judge
        self._sender = sender
        self.allows: Callable[[Tree], bool] = lambda _: True
        self._wanted = signature(self.verdict)
        self._text = text_of(self.answer, self.body)
        self._tried: dict[bytes, _Tried] = {}
        self._judged = 0

    async def has(self, tree: Tree) -> bool:
        """Returns whether a changed message has the problem. If so, the message replaces the current one."""
        if not self.allows(tree):
            await self._sender.pause()
            return False
        return await self.has_bytes(write_tree(tree))

    async def has_bytes(self, body: bytes) -> bool:
        if body == self.body:
            return True
        tried = await self._tried_with(body, any_verdict=False)
        if tried.outcome == "same problem":
            self.body, self.verdict, self.answer = body, tried.verdict, tried.answer
            # if it names only one of two problems, the other must not follow
            self._text = text_of(tried.answer, body)
        return tried.outcome == "same problem"

    async def outcome(self, tree: Tree) -> Outcome:
        """Says whether a changed message has the problem, and does not replace the current message."""
        return (await self._tried_with(write_tree(tree), any_verdict=True)).outcome

    async def _tried_with(self, body: bytes, *, any_verdict: bool) -> "_Tried":
        await self._sender.pause()
        key = blake2b(body, digest_size=16).digest()
        if key not in self._tried:
            self._tried[key] = await self._try(body, any_verdict=any_verdict)
        return self._tried[key]

    async def _try(self, body: bytes, *, any_verdict: bool) -> "_Tried":
        self._judged += len(body)
        if self._judged > MOST_JUDGED:
            raise LimitReachedError
        verdict = self._judge.of(self._case, body)
        has_same_verdict = signature(verdict) == self._wanted
        if not has_same_verdict and not (any_verdict and "invalid" not in (verdict.label, self._wanted[0])):
            return _Tried("other verdict", verdict, self.answer)
        try:
            answer = await self._sender.answer(body)
        except UnsendableError:
            return _Tried("other verdict", verdict, self.answer)
        if not self.is_shown(answer, body):
            return _Tried("other answer", verdict, answer)
        return _Tried("same problem" if has_same_verdict else "other verdict", verdict, answer)

    def is_shown(self, answer: Answer, body: bytes) -> bool:
        """Returns whether the answer to a message shows the problem."""
        if self._kind == "malformed-answer":
            return malformed(answer, self._judge.demands) is not None
        if answer.kind != self.answer.kind:
            return False
        return self._kind not in TEXT_MATTERS or self._text.includes(text_of(answer, body))

    async def recurs(self) -> bool:
        """Sends the message again, and returns whether the problem occurs again. If not, sends it several more times,
        to measure how often the problem occurs.
        """
        while self.sent < TRIES:
            await self.repeat()
            if self.sent == self.shown:
                return True
        return False

    async def repeat(self) -> None:
        answer = await self._sender.answer(self.body, again=True)
        self.sent += 1
        if self.is_shown(answer, self.body):
            self.shown += 1
            self.answer = answer

    @property
    def tree(self) -> Tree:
        return tree_of(self.body)


def signature(verdict: Verdict) -> tuple[str, frozenset[str], bool]:
    """Returns the facts about a message that a change must keep: the label, the broken rules, and whether the message
    contains an unknown value.
    """
    unknown = any(touched.ambiguity == KNOWN_VALUES for touched in verdict.ambiguities)
    return verdict.label, frozenset(entry.rule for entry in verdict.broken), unknown
