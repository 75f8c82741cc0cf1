"""Makes the message of a finding as small as it can be, against the live target.

A smaller message stands for the finding where the oracle says of it what it said of the first (the same label and
exactly the same rules broken) and the target's answer shows the same. What is tried first, and in which order,
follows from the message alone; so a target that answers alike gives the same smallest message each time.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Literal

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, Send, SpentError
from brokerfuzz.campaign.json_trees import JsonArray, Number, Path, Tree, at, children, paths, pointer, read_tree, replaced, site, without, write_tree
from brokerfuzz.campaign.sending import UncarriedError
from brokerfuzz.campaign.shrink_candidates import Schemas, in_schema_order, magnitude, pieces, simpler
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets.answers import Answer

MOST_JUDGED = 32 << 20
"""How many bytes of proposals are judged for one finding, so that a huge message ends too."""

VerdictOf = Callable[[bytes], Verdict]
Shows = Callable[[Answer], bool]
"""Whether an answer shows what the finding is about."""
TRIES = 5
"""How often a message is sent again, at the most, when its answer does not come again: then it is seen how often it does."""
_Outcome = Literal["holds", "other verdict", "other answer"]
"""A message that cannot be sent tells as little as one of another verdict."""


class Shrinker:
    """One finding's shrinking. `body`, `verdict`, `answer` and `places` are at any time those of the smallest message so far.

    `sent` is how often a message that had shown it was sent once more, the first one before shrinking and the smallest one behind it, and
    `shown` how often the answer came again; a finding whose answer does not come again at once is not shrunk. `places` are the JSON
    Pointers where a change for something simpler made the target answer otherwise: what the finding hangs on, as far as was tried. `whole`
    is False where bounds ended the shrinking.
    """

    def __init__(
        self, body: bytes, verdict: Verdict, answer: Answer, *, send: Send, judge: VerdictOf, schemas: Schemas, bounds: Bounds, shows: Shows
    ) -> None:
        self.body, self.verdict, self.answer = body, verdict, answer
        self.sent = self.shown = 0
        self.places: tuple[str, ...] = ()
        self.whole = False
        self._shows = shows
        self._wanted = _signature(verdict)
        self._sender = BoundedSender(send, bounds)
        self._judge, self._schemas = judge, schemas
        self._seen: dict[bytes, _Outcome] = {}
        self._judged = 0
        self._spent = False

    async def run(self) -> None:
        """Shrinks until nothing can be taken away, or the bounds are reached."""
        try:
            if await self._comes_again():
                await self._shrink()
                self.whole = True
                with suppress(SpentError):
                    await self._try_again()
        except SpentError:
            self._spent = True
            self.places = self._where_it_hangs(self._tree())

    async def _comes_again(self) -> bool:
        """Whether the answer comes again when the message is sent once more; if not, it is tried a few times more how often it does."""
        while self.sent < TRIES:
            await self._try_again()
            if self.sent == self.shown:
                return True
        return False

    async def _try_again(self) -> None:
        answer = await self._sender.answer(self.body)
        self.sent += 1
        if self._shows(answer):
            self.shown += 1
            self.answer = answer

    async def _shrink(self) -> None:
        tree = self._tree()
        if tree is None or not await self._holds(write_tree(tree)):
            await self._cut_bytes()
            return
        before = None
        while tree != before:
            before = tree
            tree = await self._simplify(await self._cut(await self._order(tree), ()))
        self.places = self._where_it_hangs(tree)

    def _tree(self) -> Tree:
        try:
            return read_tree(self.body)
        except ValueError:
            return None

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._sender.requests

    # ------------------------------------------------------------------------------------------------ trying

    async def _holds(self, body: bytes) -> bool:
        key = _key(body)
        if key not in self._seen:
            self._seen[key] = await self._try(body)
        return self._seen[key] == "holds"

    async def _try(self, body: bytes) -> _Outcome:
        if body == self.body:
            return "holds"
        self._judged += len(body)
        if self._judged > MOST_JUDGED:
            raise SpentError
        verdict = self._judge(body)
        if _signature(verdict) != self._wanted:
            await asyncio.sleep(0)
            return "other verdict"
        try:
            return "holds" if await self._answers(body, verdict) else "other answer"
        except UncarriedError:
            return "other verdict"

    async def _answers(self, body: bytes, verdict: Verdict) -> bool:
        answer = await self._sender.answer(body)
        if not self._shows(answer):
            return False
        self.body, self.verdict, self.answer = body, verdict, answer
        return True

    # ------------------------------------------------------------------------------------------------ reducing

    async def _cut(self, tree: Tree, path: Path) -> Tree:
        """The tree with as few properties and items as will do, from the top down."""
        length = len(children(at(tree, path)))
        while length:
            start = 0
            while start < len(children(at(tree, path))):
                candidate = replaced(tree, path, without(at(tree, path), start, start + length))
                if await self._holds(write_tree(candidate)):
                    tree = candidate
                else:
                    start += length
            length = min(length // 2, len(children(at(tree, path))))
        for step in range(len(children(at(tree, path)))):
            tree = await self._cut(tree, (*path, step))
        return tree

    async def _order(self, tree: Tree) -> Tree:
        ordered = in_schema_order(tree, self._schemas)
        return ordered if await self._holds(write_tree(ordered)) else tree

    async def _simplify(self, tree: Tree) -> Tree:
        """The tree with scalars as simple as will do."""
        for path in list(paths(tree)):
            tree = await self._simplify_at(tree, path)
        return tree

    async def _simplify_at(self, tree: Tree, path: Path) -> Tree:
        while True:
            for candidate in self._simpler(tree, path):
                if await self._holds(write_tree(candidate)):
                    tree = candidate
                    break
            else:
                return await self._halve(tree, path)

    async def _halve(self, tree: Tree, path: Path) -> Tree:
        """An integer as near to zero as will do, found by halving."""
        number = at(tree, path)
        high = magnitude(number.literal) if isinstance(number, Number) else None
        if not isinstance(number, Number) or high is None:
            return tree
        low, sign = 0, number.literal[: number.literal.startswith("-")]
        while high - low > 1:
            middle = (low + high) // 2
            candidate = replaced(tree, path, Number(f"{sign}{middle}"))
            if await self._holds(write_tree(candidate)):
                tree, high = candidate, middle
            else:
                low = middle
        return tree

    def _simpler(self, tree: Tree, path: Path) -> Iterator[Tree]:
        for value in simpler(at(tree, path), self._schemas.get(site(tree, path), {})):
            yield replaced(tree, path, value)

    async def _cut_bytes(self) -> None:
        """A message that is no JSON, or whose spelling matters: what looks like properties is left out, then bytes are."""
        before = None
        while before != self.body:
            before = self.body
            await self._cut_parts(pieces(self.body))
            await self._cut_parts([self.body[place : place + 1] for place in range(len(self.body))])

    async def _cut_parts(self, parts: list[bytes]) -> None:
        length = len(parts)
        while length:
            for end in range(len(parts), 0, -length):  # from the end, so that what is left out moves nothing that is still to come
                candidate = parts[: max(end - length, 0)] + parts[end:]
                if await self._holds(b"".join(candidate)):
                    parts = candidate
            length = min(length // 2, len(parts))

    # ------------------------------------------------------------------------------------------------ explaining

    def _where_it_hangs(self, tree: Tree) -> tuple[str, ...]:
        found = [path for path in paths(tree) if self._matters(tree, path)]
        deepest = [path for path in found if not any(other[: len(path)] == path and other != path for other in found)]
        counted = [path for path in paths(tree) if isinstance(at(tree, path), JsonArray) and self._counts(at(tree, path), path, deepest)]
        return tuple(pointer(tree, path) for path in [*(path for path in deepest if path[:-1] not in counted), *counted])

    def _counts(self, array: Tree, path: Path, found: Sequence[Path]) -> bool:
        """Whether it is how many items there are that matters: each of several does, or some do where not all were tried."""
        mattering = sum(other[:-1] == path for other in found if other)
        return mattering > 1 and (self._spent or mattering == len(children(array)))

    def _matters(self, tree: Tree, path: Path) -> bool:
        proposals = list(self._simpler(tree, path))
        if path:
            above, step = path[:-1], path[-1]
            proposals.append(replaced(tree, above, without(at(tree, above), step, step + 1)))
        return any(self._seen.get(_key(write_tree(proposal))) == "other answer" for proposal in proposals)


def _signature(verdict: Verdict) -> tuple[str, frozenset[str]]:
    return verdict.label, frozenset(entry.rule for entry in verdict.broken)


def _key(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).digest()
