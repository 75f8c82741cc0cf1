"""What a smallest message lacks: finds the properties whose absence, or whose plainest value, a rejection or a crash hangs on.

The message is filled up with all that the contract lets it have, and if that is accepted, what was filled in is taken away again as far as
the message stays accepted. What is left has turned the answer. Two things keep this from naming what matters nothing: both messages
are valid to the oracle, and both are sent once more before it is believed.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, Send, SpentError
from brokerfuzz.campaign.cause_candidates import lacking, others, with_property
from brokerfuzz.campaign.json_trees import JsonArray, Path, Tree, at, children, pointer, read_tree, replaced, write_tree
from brokerfuzz.campaign.sending import UncarriedError
from brokerfuzz.campaign.shrink_candidates import Schemas, chunks
from brokerfuzz.campaign.shrinking import VerdictOf
from brokerfuzz.schemas import Label, Verdict

MOST_TURNS = 4
"""How many different ways to turn an answer are looked for."""
MOST_JUDGED = 8 << 20
"""How many bytes are judged while a message is filled up."""


@dataclass(frozen=True)
class Edit:
    """A value for a path of the smallest message, or for a new property, `name`, of the object there. `place` is its JSON Pointer."""

    path: Path
    name: str | None
    value: Tree
    place: str

    def of(self, tree: Tree) -> Tree:
        """The tree with the edit made."""
        return replaced(tree, self.path, self.value) if self.name is None else with_property(tree, self.path, self.name, self.value)


class Turning:
    """One finding's search. `places` are the JSON Pointers of what turns the answer, at any time those known so far.

    `known` are places that turn it in any case: they stay as they are. `thorough` looks for parts of what could be added where all of
    it does not turn the answer: a target may have other faults. A message that breaks a rule is left alone: what turns the answer to it may
    be rejected for another reason.
    """

    def __init__(
        self, body: bytes, *, send: Send, judge: VerdictOf, schemas: Schemas, bounds: Bounds, known: tuple[str, ...] = (), thorough: bool = True
    ) -> None:
        self.places: tuple[str, ...] = ()
        self._body, self._known, self._thorough = body, known, thorough
        self._sender = BoundedSender(send, bounds)
        self._judge, self._schemas = judge, schemas
        self._wanted = _signature(judge(body))
        self._judged = 0

    async def run(self) -> None:
        """Searches until nothing else turns the answer, or the bounds are reached."""
        try:
            tree = read_tree(self._body)
        except ValueError:
            return
        if self._wanted[0] == "invalid":
            return
        with suppress(SpentError):
            await self._search(tree, await self._edits(tree))

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._sender.requests

    async def _search(self, tree: Tree, edits: list[Edit]) -> None:
        turned = await self._first_turn(tree, edits)
        for _ in range(MOST_TURNS):
            if not turned:
                return
            least = await self._least(tree, turned)
            if not await self._comes_again(tree, least):
                return
            self.places += tuple(edit.place for edit in least)
            edits = [edit for edit in edits if edit not in least]
            turned = edits if await self._turns(tree, edits) else []

    # ------------------------------------------------------------------------------------------------ filling up

    async def _edits(self, tree: Tree) -> list[Edit]:
        """All that can be added and changed at once, each addition filled up in its turn."""
        filled = tree
        made: list[tuple[Path, Path, str | None]] = []  # where in the smallest message, where in the one filled up, and the new property's name
        for path in self._open_paths(tree):
            one = self._as_a_whole(tree, path)
            for value in others(tree, path, self._schemas) if one is None else (one,):
                if await self._is_judged_so(candidate := replaced(filled, path, value)):
                    filled = candidate
                    made.append((path, path, None))
                    break
            else:
                for name, there in await self._added(filled, path):
                    filled = there
                    made.append((path, (*path, len(children(at(there, path))) - 1), name))
        filled = await self._filled(filled, [now for _, now, _ in made])
        edits = [Edit(path, name, at(filled, now), pointer(filled, now)) for path, now, name in made]
        return [edit for edit in edits if edit.place not in self._known]

    def _open_paths(self, tree: Tree, path: Path = ()) -> Iterator[Path]:
        """Every path but those below an array that is changed as a whole."""
        yield path
        if self._as_a_whole(tree, path) is None:
            for step in range(len(children(at(tree, path)))):
                yield from self._open_paths(tree, (*path, step))

    def _as_a_whole(self, tree: Tree, path: Path) -> JsonArray | None:
        """The first item of several alone, unless it is known which of them matter; None of anything else."""
        there, below = at(tree, path), f"{pointer(tree, path)}/"
        if not isinstance(there, JsonArray) or len(there.items) < 2 or any(known.startswith(below) for known in self._known):
            return None
        return JsonArray(there.items[:1])

    async def _added(self, tree: Tree, path: Path) -> list[tuple[str, Tree]]:
        """The tree with one property more at a path, and one more, for as long as there are any; the name of each."""
        found = []
        for name, values in list(lacking(tree, path, self._schemas)):
            for value in values:
                if await self._is_judged_so(candidate := with_property(tree, path, name, value)):
                    tree = candidate
                    found.append((name, tree))
                    break
        return found

    async def _filled(self, tree: Tree, waiting: Sequence[Path]) -> Tree:
        """The tree with all properties that there can be below these paths."""
        left = list(waiting)
        while left:
            path = left.pop()
            for _, there in await self._added(tree, path):
                tree = there
            left += [(*path, step) for step in range(len(children(at(tree, path))))]
        return tree

    async def _is_judged_so(self, tree: Tree) -> bool:
        body = write_tree(tree)
        self._judged += len(body)
        if self._judged > MOST_JUDGED:
            return False
        await asyncio.sleep(0)
        return _signature(self._judge(body)) == self._wanted

    # ------------------------------------------------------------------------------------------------ turning

    async def _first_turn(self, tree: Tree, edits: list[Edit]) -> list[Edit]:
        """Edits that together turn the answer: all of them, a half, a quarter, ... a single one."""
        for start, length in chunks(len(edits)) if self._thorough else _whole(edits):
            some = edits[start : start + length]
            if await self._turns(tree, some):
                return some
        return []

    async def _least(self, tree: Tree, edits: list[Edit]) -> list[Edit]:
        """As few of the edits as still turn the answer."""
        length = len(edits) // 2
        while length:
            start = 0
            while start < len(edits):
                fewer = edits[:start] + edits[start + length :]
                if await self._turns(tree, fewer):
                    edits = fewer
                else:
                    start += length
            length = min(length // 2, len(edits) - 1)
        return edits

    async def _turns(self, tree: Tree, edits: Sequence[Edit]) -> bool:
        if not edits:
            return False
        for edit in edits:
            tree = edit.of(tree)
        body = write_tree(tree)
        return _signature(self._judge(body)) == self._wanted and await self._is_accepted(body)

    async def _comes_again(self, tree: Tree, edits: Sequence[Edit]) -> bool:
        return not await self._is_accepted(self._body) and await self._turns(tree, edits)

    async def _is_accepted(self, body: bytes) -> bool:
        try:
            answer = await self._sender.answer(body)
        except UncarriedError:
            return False
        return answer.kind == "accepted"


def _signature(verdict: Verdict) -> tuple[Label, frozenset[str]]:
    return verdict.label, frozenset(touched.ambiguity for touched in verdict.ambiguities)


def _whole(edits: Sequence[Edit]) -> Iterator[tuple[int, int]]:
    yield 0, len(edits)
