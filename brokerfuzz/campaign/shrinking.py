"""Shrinks the message of a finding as far as possible, by sending smaller messages to the target.

A smaller message replaces the current message if both messages have the same verdict and the same broken rules, and if
both answers show the same problem. Shrinking uses no random numbers. So if the target always gives the same answers,
the smallest message is always the same.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Literal

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError, Send
from brokerfuzz.campaign.same_problem import SameProblem
from brokerfuzz.campaign.sending import UnsendableError
from brokerfuzz.campaign.shrink_candidates import Schemas, in_schema_order, magnitude, pieces, simpler
from brokerfuzz.json_trees import (
    JsonArray,
    Number,
    Path,
    Tree,
    at,
    children,
    paths,
    pointer,
    replaced,
    site,
    tree_of,
    without,
    write_tree,
)
from brokerfuzz.schemas import Verdict
from brokerfuzz.schemas.known_values import KNOWN_VALUES
from brokerfuzz.targets.answers import Answer

MOST_JUDGED = 32 << 20
"""The maximum number of bytes that the oracle judges for one finding. This limits the time for shrinking a very large
message.
"""

VerdictOf = Callable[[bytes], Verdict]
TRIES = 5
"""The maximum number of times that a message is sent again before shrinking, to measure how often the problem
occurs.
"""
_Outcome = Literal["holds", "other verdict", "other answer"]
"""The result of trying a smaller message. `holds` means that the smaller message shows the same problem. A message that
cannot be sent also gives `other verdict`, because it has no answer.
"""


class Shrinker:
    """Shrinks one finding. `body`, `verdict`, `answer` and `places` always describe the smallest message so far.

    The message is sent again before and after shrinking. `sent` is the number of repetitions, and the problem occurred
    in `shown` of these repetitions. If the first repetition does not show the problem, the finding is not shrunk. The
    function `allows` decides which messages may be sent. `places` are the JSON Pointers of the causes. With a simpler
    value at one of these places, the problem did not occur. `whole` is True if shrinking was completed before a limit
    was reached.
    """

    def __init__(
        self,
        body: bytes,
        verdict: Verdict,
        answer: Answer,
        *,
        send: Send,
        judge: VerdictOf,
        schemas: Schemas,
        bounds: Bounds,
        problem: SameProblem,
        allows: Callable[[Tree], bool] = lambda _: True,
    ) -> None:
        self.body, self.verdict, self.answer = body, verdict, answer
        self.sent = self.shown = 0
        self.places: tuple[str, ...] = ()
        self.whole = False
        self._problem, self._allows = problem, allows
        self._wanted = signature(verdict)
        self._sender = BoundedSender(send, bounds)
        self._judge, self._schemas = judge, schemas
        self._seen: dict[bytes, _Outcome] = {}
        self._needed: set[Path] = set()
        """The paths of the values in `body` that were removed or simplified in a message that did not show the
        problem.
        """
        self._judged = 0
        self._spent = False

    async def run(self) -> None:
        """Ends when no part of the message can be removed or simplified, or when a limit is reached."""
        try:
            if not await self._is_reproduced():
                return
            await self._shrink()
            self.whole = True
            with suppress(LimitReachedError):
                await self._repeat()
        except LimitReachedError:
            self._spent = True
        self.places = self._causes(tree_of(self.body))

    async def _is_reproduced(self) -> bool:
        """Sends the message again, and returns whether the problem occurs again. If the problem does not occur again,
        sends the message several more times, to measure how often the problem occurs.
        """
        while self.sent < TRIES:
            await self._repeat()
            if self.sent == self.shown:
                return True
        return False

    async def _repeat(self) -> None:
        answer = await self._sender.answer(self.body)
        self.sent += 1
        if self._problem.is_shown(answer, self.body):
            self.shown += 1
            self.answer = answer

    async def _shrink(self) -> None:
        tree = tree_of(self.body)
        if tree is None or not await self._holds_tree(tree):
            await self._cut_bytes()
            return
        before = None
        while tree != before:
            before = tree
            tree = await self._simplify(await self._cut(await self._order(tree), ()))

    # ---------------------------------------------------------------------------------------------- testing a candidate

    async def _holds_tree(self, tree: Tree, path: Path | None = None) -> bool:
        """In the message `tree`, the value at `path` of the current message is simpler or missing."""
        if not self._allows(tree):
            await self._sender.pause()
            return False
        body, before = write_tree(tree), self.body
        holds = await self._holds(body)
        if self.body != before:
            self._needed.clear()
        if path is not None and self._seen[_key(body)] == "other answer":
            self._needed.add(path)
        return holds

    async def _holds(self, body: bytes) -> bool:
        await self._sender.pause()
        key = _key(body)
        if key not in self._seen:
            self._seen[key] = await self._try(body)
        return self._seen[key] == "holds"

    async def _try(self, body: bytes) -> _Outcome:
        if body == self.body:
            return "holds"
        self._judged += len(body)
        if self._judged > MOST_JUDGED:
            raise LimitReachedError
        verdict = self._judge(body)
        if signature(verdict) != self._wanted:
            return "other verdict"
        try:
            return "holds" if await self._shows_problem(body, verdict) else "other answer"
        except UnsendableError:
            return "other verdict"

    async def _shows_problem(self, body: bytes, verdict: Verdict) -> bool:
        answer = await self._sender.answer(body)
        if not self._problem.is_shown(answer, body):
            return False
        self._problem.narrow(answer, body)
        self.body, self.verdict, self.answer = body, verdict, answer
        return True

    # ------------------------------------------------------------------------------------------------ reducing

    async def _cut(self, tree: Tree, path: Path) -> Tree:
        """Removes as many properties and array items as possible, beginning with the outermost ones."""
        length = len(children(at(tree, path)))
        while length:
            start = 0
            while start < len(children(at(tree, path))):
                candidate = replaced(tree, path, without(at(tree, path), start, start + length))
                if await self._holds_tree(candidate, (*path, start) if length == 1 else None):
                    tree = candidate
                else:
                    start += length
            length = min(length // 2, len(children(at(tree, path))))
        for step in range(len(children(at(tree, path)))):
            tree = await self._cut(tree, (*path, step))
        return tree

    async def _order(self, tree: Tree) -> Tree:
        ordered = in_schema_order(tree, self._schemas)
        return ordered if await self._holds_tree(ordered) else tree

    async def _simplify(self, tree: Tree) -> Tree:
        for path in list(paths(tree)):
            tree = await self._simplify_at(tree, path)
        return tree

    async def _simplify_at(self, tree: Tree, path: Path) -> Tree:
        while True:
            for candidate in self._simpler(tree, path):
                if await self._holds_tree(candidate, path):
                    tree = candidate
                    break
            else:
                return await self._halve(tree, path)

    async def _halve(self, tree: Tree, path: Path) -> Tree:
        """If the value at `path` is an integer, moves it as close to zero as possible by binary search, so that the
        problem still occurs.
        """
        number = at(tree, path)
        high = magnitude(number.literal) if isinstance(number, Number) else None
        if not isinstance(number, Number) or high is None:
            return tree
        low, sign = 0, number.literal[: number.literal.startswith("-")]
        while high - low > 1:
            middle = (low + high) // 2
            candidate = replaced(tree, path, Number(f"{sign}{middle}"))
            if await self._holds_tree(candidate, path):
                tree, high = candidate, middle
            else:
                low = middle
        return tree

    def _simpler(self, tree: Tree, path: Path) -> Iterator[Tree]:
        for value in simpler(at(tree, path), self._schemas.get(site(tree, path), {})):
            yield replaced(tree, path, value)

    async def _cut_bytes(self) -> None:
        """Shrinks a message that is not JSON, or whose exact bytes (such as spaces) cause the problem. The method
        removes parts that look like properties, then single bytes.
        """
        before = None
        while before != self.body:
            before = self.body
            await self._cut_parts(pieces(self.body))
            await self._cut_parts([self.body[place : place + 1] for place in range(len(self.body))])

    async def _cut_parts(self, parts: list[bytes]) -> None:
        length = len(parts)
        while length:
            for end in range(len(parts), 0, -length):  # from the end, so that the remaining parts keep their positions
                candidate = parts[: max(end - length, 0)] + parts[end:]
                if await self._holds(b"".join(candidate)):
                    parts = candidate
            length = min(length // 2, len(parts))

    # ------------------------------------------------------------------------------------------------ explaining

    def _causes(self, tree: Tree) -> tuple[str, ...]:
        found = [path for path in paths(tree) if path in self._needed]
        deepest = [path for path in found if not any(other[: len(path)] == path and other != path for other in found)]
        counted = [
            path
            for path in paths(tree)
            if isinstance(at(tree, path), JsonArray) and self._length_matters(at(tree, path), path, deepest)
        ]
        return tuple(
            pointer(tree, path) for path in [*(path for path in deepest if path[:-1] not in counted), *counted]
        )

    def _length_matters(self, array: Tree, path: Path, found: Sequence[Path]) -> bool:
        """Returns whether the number of items in the array is probably a cause. This is true if there are at least two
        items, and every item seems to be a cause, because removing any item changes the number. If a limit ended the
        shrinking early, two such items suffice, because other items may be untested.
        """
        mattering = sum(other[:-1] == path for other in found if other)
        return mattering > 1 and (self._spent or mattering == len(children(array)))


def signature(verdict: Verdict) -> tuple[str, frozenset[str], bool]:
    """Returns the facts about a message that shrinking must not change: the label, the broken rules, and whether the
    message contains an unknown value.
    """
    unknown = any(touched.ambiguity == KNOWN_VALUES for touched in verdict.ambiguities)
    return verdict.label, frozenset(entry.rule for entry in verdict.broken), unknown


def _key(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).digest()
