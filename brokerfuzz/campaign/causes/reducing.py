"""Reduces a failing message to the fewest differences from an ordinary message, by experiments with the target.

    failing       {"number": "A", "comments": "it's", "description": "%", "orderMinimum": 7, …}   crashed
    ordinary      {"number": "OFF-1", "comments": "Plain", "description": "Flyer", …}              accepted
    reduced       {"number": "OFF-1", "comments": "'", "description": "Flyer", …}                  crashed

Each difference that remains was undone once, and then the answer was right.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from brokerfuzz.campaign.difference import Difference, OrdinaryValues, fewest, undone
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.json_trees import Tree, at, replaced, tree_of
from brokerfuzz.schemas import Site

SMALLEST_LIMIT: Final = 1024
"""A limit of the size below one kilobyte is improbable."""


class Reducer:
    """Reduces messages of one type. All methods raise `LimitReachedError`."""

    def __init__(self, ordinary: OrdinaryValues, sites: Mapping[str, Site]) -> None:
        self._ordinary, self.sites = ordinary, sites

    def differences(self, body: bytes) -> tuple[Difference, ...]:
        tree = tree_of(body)
        return () if tree is None else tuple(self._ordinary.differences(tree))

    async def causes(self, problem: Problem) -> tuple[Difference, ...]:
        """Reduces the message of the problem, and returns the differences that cause it. Returns none if the notation
        of the message is the cause, or if the message is not JSON.
        """
        tree = tree_of(problem.failure.body)
        if tree is None or not await problem.has(tree):
            return ()
        differences = tuple(self._ordinary.differences(tree))

        async def suffice(remaining: tuple[Difference, ...]) -> bool:
            return await problem.has(_with_only(tree, differences, remaining))

        needed = await fewest(differences, suffice)
        causes = [
            difference
            for difference in needed
            if await problem.outcome(_with_only(tree, differences, _without(needed, difference))) == "other answer"
        ]
        sites = {difference.site for difference in causes or needed}
        await self.simplify(problem, sites)
        return self._at(sites, problem.failure.body)

    async def simplify(self, problem: Problem, sites: Collection[str]) -> None:
        await self._shrinker(problem).simplify(sites)

    async def shrink(self, problem: Problem, causes: Sequence[Difference]) -> tuple[str, ...]:
        """Removes what the problem does not need, unless it then has another cause. Returns the places of the causes in
        the smallest message.
        """
        failure = problem.failure
        before = failure.body, failure.verdict, failure.answer
        await self._shrinker(problem).shrink()
        remaining = self._at({cause.site for cause in causes}, failure.body)
        if causes and await problem.outcome(undone(tree_of(failure.body), remaining)) == "same problem":
            failure.body, failure.verdict, failure.answer = before
            remaining = tuple(causes)
        return tuple(dict.fromkeys(cause.place for cause in remaining))

    async def largest_accepted(self, problem: Problem, plain: bytes, accepted: int) -> int | None:
        """If the size of the message is the cause, returns the number of bytes up to which the answer is right. To find
        out, an accepted message is sent with as many spaces as the failing one is longer. `accepted` is the size of the
        largest accepted message.
        """

        async def fails(size: int) -> bool:
            padded = plain[:-1] + b" " * (size - len(plain)) + plain[-1:]
            return await problem.has_bytes(padded)

        size, smallest = len(problem.failure.body), max(accepted, len(plain))
        if size < SMALLEST_LIMIT or size <= smallest or not await fails(size):
            return None
        return await _largest_that_passes(smallest, size, fails)

    async def longest_accepted(self, problem: Problem, cause: Difference, length: int) -> int | None:
        """If the length of a string is the cause, returns the length up to which the answer is right. `length` is the
        one that fails: a number of characters, or of bytes in UTF-8. Each character that is sent has one byte. The
        strings begin as the ordinary one, so a long web address remains one.
        """
        tree = tree_of(problem.failure.body)
        value = at(tree, cause.path)
        if not isinstance(value, str):
            return None

        ordinary = "" if cause.is_added else at(cause.undo(tree), cause.path)
        beginning = ordinary if isinstance(ordinary, str) else ""

        async def fails(length: int) -> bool:
            text = beginning[:length].ljust(length, "b")
            return await problem.outcome(replaced(tree, cause.path, text)) == "same problem"

        if not value or not await fails(length) or await fails(0):
            return None
        return await _largest_that_passes(0, length, fails)

    async def counts_bytes(self, problem: Problem, cause: Difference, length: int) -> bool:
        """Returns whether a string of `length` characters fails if each of them has two bytes in UTF-8."""
        tree = tree_of(problem.failure.body)
        return await problem.outcome(replaced(tree, cause.path, "é" * length)) == "same problem"

    async def most_items_accepted(self, problem: Problem, count: int, generated: Callable[[int], Tree]) -> int | None:
        """If the number of items of an array is the cause, returns the number up to which the answer is right. `count`
        is the one that fails, and messages with any number are `generated`: the items themselves may be right.
        """

        async def fails(count: int) -> bool:
            return await problem.outcome(generated(count)) == "same problem"

        return await _largest_that_passes(0, count, fails) if await fails(count) else None

    def _at(self, sites: set[str], body: bytes) -> tuple[Difference, ...]:
        """Returns the differences at these sites, one for each place: a property that the ordinary message lacks may
        have an unusual value, too.
        """
        causes: dict[str, Difference] = {}
        for difference in self.differences(body):
            if difference.site in sites:
                earlier = causes.get(difference.place)
                causes[difference.place] = difference if earlier is None else replace(earlier, is_added=True)
        return tuple(causes.values())

    def _shrinker(self, problem: Problem) -> Shrinker:
        schemas: Mapping[str, Any] = {path: site.schema for path, site in self.sites.items()}
        return Shrinker(problem, schemas)


def _with_only(tree: Tree, differences: Sequence[Difference], remaining: Sequence[Difference]) -> Tree:
    kept = set(map(id, remaining))
    return undone(tree, [difference for difference in differences if id(difference) not in kept])


def _without(differences: Sequence[Difference], omitted: Difference) -> tuple[Difference, ...]:
    return tuple(difference for difference in differences if difference is not omitted)


async def _largest_that_passes(passes: int, fails_at: int, fails: Any) -> int:
    while fails_at - passes > 1:
        middle = (passes + fails_at) // 2
        if await fails(middle):
            fails_at = middle
        else:
            passes = middle
    return passes
