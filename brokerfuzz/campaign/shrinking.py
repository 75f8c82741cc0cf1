"""Shrinks the message of a contradiction as far as possible, by sending smaller messages to the target.

Shrinking uses no random numbers. So if the target always gives the same answers, the smallest message is always the
same.
"""

import re

from brokerfuzz.campaign.difference import fewest
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.campaign.shrink_candidates import Schemas, in_schema_order, magnitude, simpler
from brokerfuzz.json_trees import Number, Path, Tree, at, children, only, paths, replaced, site, tree_of, write_tree


class Shrinker:
    """Shrinks `problem.body`."""

    def __init__(self, problem: Problem, schemas: Schemas) -> None:
        self._problem, self._schemas = problem, schemas

    async def run(self) -> None:
        """Ends when no part of the message can be removed or simplified. Raises `LimitReachedError`."""
        body = self._problem.finding.body
        tree = tree_of(body)
        if tree is None or (write_tree(tree) != body and not await self._problem.has_bytes(write_tree(tree))):
            await self._cut_bytes()
            return
        before = None
        while tree != before:
            before = tree
            tree = await self._simplify(await self._cut(await self._order(tree), ()))

    async def _cut(self, tree: Tree, path: Path) -> Tree:
        """Removes as many properties and array items as possible, beginning with the outermost ones."""
        before = at(tree, path)

        async def suffice(steps: tuple[int, ...]) -> bool:
            return await self._problem.has(replaced(tree, path, only(before, steps)))

        steps = await fewest(tuple(range(len(children(before)))), suffice)
        tree = replaced(tree, path, only(before, steps))
        for step in range(len(steps)):
            tree = await self._cut(tree, (*path, step))
        return tree

    async def _order(self, tree: Tree) -> Tree:
        ordered = in_schema_order(tree, self._schemas)
        return ordered if await self._problem.has(ordered) else tree

    async def _simplify(self, tree: Tree) -> Tree:
        for path in list(paths(tree)):
            tree = await self._simplify_at(tree, path)
        return tree

    async def _simplify_at(self, tree: Tree, path: Path) -> Tree:
        schema = self._schemas.get(site(tree, path), {})
        while True:
            for value in simpler(at(tree, path), schema):
                candidate = replaced(tree, path, value)
                if await self._problem.has(candidate):
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
            if await self._problem.has(candidate):
                tree, high = candidate, middle
            else:
                low = middle
        return tree

    async def _cut_bytes(self) -> None:
        """Shrinks a message that is not JSON, or whose exact bytes (such as spaces) cause the problem. The method
        removes parts between commas and brackets, then single bytes.
        """

        async def suffice(parts: tuple[bytes, ...]) -> bool:
            return await self._problem.has_bytes(b"".join(parts))

        before = None
        while before != self._problem.finding.body:
            before = self._problem.finding.body
            await fewest(tuple(re.split(rb"(?=[,{}\[\]])", before)), suffice)
            body = self._problem.finding.body
            await fewest(tuple(body[place : place + 1] for place in range(len(body))), suffice)
