"""Finds the cause of a rejection, a crash or a timeout, if the cause is a missing property or an ordinary value.

The search adds missing properties and changes values, if this does not change the verdict. If the target accepts the
new message, the search undoes all changes that are not necessary. The remaining changes show the cause: the absence of
a property, or the original value. To confirm the cause, the search sends the message again, with and without these
changes.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError, Send
from brokerfuzz.campaign.cause_candidates import missing_properties, other_values, with_property
from brokerfuzz.campaign.sending import UnsendableError
from brokerfuzz.campaign.shrink_candidates import Schemas, chunks, fewest
from brokerfuzz.campaign.shrinking import VerdictOf
from brokerfuzz.json_trees import JsonArray, Path, Tree, at, children, pointer, replaced, tree_of, write_tree
from brokerfuzz.schemas import Label, Verdict

MOST_CAUSES = 4
MOST_JUDGED = 8 << 20
"""While a search looks for possible changes, the oracle judges at most this number of bytes in total."""


@dataclass(frozen=True)
class Edit:
    """A change to the smallest message of a finding. If `name` is None, `value` replaces the value at `path`.
    Otherwise, the object at `path` gets the new property `name`. `place` is the JSON Pointer of the new value.
    """

    path: Path
    name: str | None
    value: Tree
    place: str

    def of(self, tree: Tree) -> Tree:
        return (
            replaced(tree, self.path, self.value)
            if self.name is None
            else with_property(tree, self.path, self.name, self.value)
        )


class CauseSearch:
    """The attribute `places` contains the JSON Pointers of the causes of one finding.

    `known` contains the JSON Pointers of causes that shrinking has already found. The search does not change the values
    at these places. The search first makes all changes together. If the target still does not accept the message, one
    of the changes may have triggered another bug. So if `thorough` is true, the search then tries smaller groups of
    changes. If the message is invalid, the search does nothing, because the target must not accept an invalid message.
    """

    def __init__(
        self,
        body: bytes,
        *,
        send: Send,
        judge: VerdictOf,
        schemas: Schemas,
        bounds: Bounds,
        known: tuple[str, ...] = (),
        thorough: bool = True,
    ) -> None:
        self.places: tuple[str, ...] = ()
        self._body, self._known, self._thorough = body, known, thorough
        self._sender = BoundedSender(send, bounds)
        self._judge, self._schemas = judge, schemas
        self._wanted = _signature(judge(body))
        self._judged = 0

    async def run(self) -> None:
        tree = tree_of(self._body)
        if tree is None or self._wanted[0] == "invalid":
            return
        with suppress(LimitReachedError):
            await self._search(tree, await self._edits(tree))

    async def _search(self, tree: Tree, edits: list[Edit]) -> None:
        effective = await self._first_change(tree, edits)
        for _ in range(MOST_CAUSES):
            if not effective:
                return
            minimal = await fewest(tuple(effective), partial(self._changes_answer, tree))
            if not await self._is_reproducible(tree, minimal):
                return
            self.places += tuple(edit.place for edit in minimal)
            edits = [edit for edit in edits if edit not in minimal]
            effective = edits if await self._changes_answer(tree, edits) else []

    # ------------------------------------------------------------------------------------------- completing the message

    async def _edits(self, tree: Tree) -> list[Edit]:
        """Returns the possible changes to the message `tree`. The changed message has the same verdict. An added object
        contains all properties that the contract allows.
        """
        completed = tree
        made: list[
            tuple[Path, Path, str | None]
        ] = []  # path in the smallest message, path in the completed message, name of a new property
        for path in self._changed_paths(tree):
            one = self._first_item_only(tree, path)
            for value in other_values(tree, path, self._schemas) if one is None else (one,):
                if await self._has_same_verdict(candidate := replaced(completed, path, value)):
                    completed = candidate
                    made.append((path, path, None))
                    break
            else:
                for name, there in await self._added(completed, path):
                    completed = there
                    made.append((path, (*path, len(children(at(there, path))) - 1), name))
        completed = await self._completed(completed, [now for _, now, _ in made])
        edits = [Edit(path, name, at(completed, now), pointer(completed, now)) for path, now, name in made]
        return [edit for edit in edits if edit.place not in self._known]

    def _changed_paths(self, tree: Tree, path: Path = ()) -> Iterator[Path]:
        """Yields the path of each value that the search changes. The search shortens some arrays (see
        `_first_item_only`). The items of these arrays are skipped, because the search may remove them.
        """
        yield path
        if self._first_item_only(tree, path) is None:
            for step in range(len(children(at(tree, path)))):
                yield from self._changed_paths(tree, (*path, step))

    def _first_item_only(self, tree: Tree, path: Path) -> JsonArray | None:
        """Returns the array at `path` with only its first item. Returns None if there is no array with at least two
        items, or if a known cause is inside the array.
        """
        there, below = at(tree, path), f"{pointer(tree, path)}/"
        if (
            not isinstance(there, JsonArray)
            or len(there.items) < 2
            or any(known.startswith(below) for known in self._known)
        ):
            return None
        return JsonArray(there.items[:1])

    async def _added(self, tree: Tree, path: Path) -> list[tuple[str, Tree]]:
        """Adds the missing properties to the object at `path`, one after another. Returns the name of each added
        property, and the message after this step.
        """
        found = []
        for name, values in list(missing_properties(tree, path, self._schemas)):
            for value in values:
                if await self._has_same_verdict(candidate := with_property(tree, path, name, value)):
                    tree = candidate
                    found.append((name, tree))
                    break
        return found

    async def _completed(self, tree: Tree, waiting: Sequence[Path]) -> Tree:
        """Adds missing properties to the objects at the paths in `waiting`, and to all objects inside these objects."""
        left = list(waiting)
        while left:
            path = left.pop()
            for _, there in await self._added(tree, path):
                tree = there
            left += [(*path, step) for step in range(len(children(at(tree, path))))]
        return tree

    async def _has_same_verdict(self, tree: Tree) -> bool:
        body = write_tree(tree)
        self._judged += len(body)
        if self._judged > MOST_JUDGED:
            return False
        await self._sender.pause()
        return _signature(self._judge(body)) == self._wanted

    # ---------------------------------------------------------------------------------------------- changing the answer

    async def _first_change(self, tree: Tree, edits: list[Edit]) -> list[Edit]:
        """Tries groups of changes, and returns the first group with which the target accepts the message. The method
        begins with all changes. If the search is thorough, it continues with halves of the changes, then quarters, and
        so on.
        """
        for start, length in chunks(len(edits)) if self._thorough else [(0, len(edits))]:
            some = edits[start : start + length]
            if await self._changes_answer(tree, some):
                return some
        return []

    async def _changes_answer(self, tree: Tree, edits: Sequence[Edit]) -> bool:
        if not edits:
            return False
        for edit in edits:
            tree = edit.of(tree)
        body = write_tree(tree)
        return _signature(self._judge(body)) == self._wanted and await self._is_accepted(body)

    async def _is_reproducible(self, tree: Tree, edits: Sequence[Edit]) -> bool:
        return not await self._is_accepted(self._body) and await self._changes_answer(tree, edits)

    async def _is_accepted(self, body: bytes) -> bool:
        try:
            answer = await self._sender.answer(body)
        except UnsendableError:
            return False
        return answer.kind == "accepted"


def _signature(verdict: Verdict) -> tuple[Label, frozenset[str]]:
    return verdict.label, frozenset(touched.ambiguity for touched in verdict.ambiguities)
