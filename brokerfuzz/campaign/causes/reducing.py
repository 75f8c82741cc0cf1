"""Reduces a failing message to the fewest differences from an ordinary message, by experiments with the target.

    failing       {"number": "A", "comments": "it's", "description": "%", "orderMinimum": 7, …}   crashed
    ordinary      {"number": "OFF-1", "comments": "Plain", "description": "Flyer", …}              accepted
    reduced       {"number": "OFF-1", "comments": "'", "description": "Flyer", …}                  crashed

Each difference that remains was undone once, and then the answer was right.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from brokerfuzz.campaign.difference import Difference, OrdinaryValues, fewest, undone
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.json_trees import Tree, tree_of
from brokerfuzz.pointers import is_within
from brokerfuzz.schemas import Site


class Reducer:
    """Reduces messages of one type. All methods raise `LimitReachedError`."""

    def __init__(self, ordinary: OrdinaryValues, sites: Mapping[str, Site]) -> None:
        self._ordinary, self.sites = ordinary, sites

    def differences(self, body: bytes) -> tuple[Difference, ...]:
        tree = tree_of(body)
        return () if tree is None else tuple(self._ordinary.differences(tree))

    def sites_within(self, paths: Collection[str]) -> list[Site]:
        return [site for path, site in self.sites.items() if any(is_within(path, outer) for outer in paths)]

    async def causes(self, problem: Problem) -> tuple[Difference, ...]:
        """Reduces the message of the problem, and returns the differences that cause it. Returns none if the notation
        of the message is the cause, or if the message is not JSON.
        """
        tree = tree_of(problem.failure.body)
        if tree is None or not await problem.adopt(tree):
            return ()
        differences = tuple(self._ordinary.differences(tree))

        def with_only(remaining: Collection[Difference]) -> Tree:
            return undone(tree, [difference for difference in differences if difference not in remaining])

        async def suffice(remaining: tuple[Difference, ...]) -> bool:
            return await problem.adopt(with_only(set(remaining)))

        needed = await fewest(differences, suffice)
        causes = [
            difference
            for difference in needed
            if await problem.outcome(with_only({*needed} - {difference})) == "other answer"
        ]
        sites = {difference.site for difference in causes or needed}
        await Shrinker(problem, self.sites).simplify(sites)
        return self._at(sites, problem.failure.body)

    async def shrink(self, problem: Problem, causes: Sequence[Difference]) -> tuple[Difference, ...]:
        """Removes what the problem does not need. Returns the causes in the smallest message: fewer differences are
        needed there than in a large one, which may be invalid without them.
        """
        failure = problem.failure
        sites = {cause.site for cause in causes}
        before = failure.body, failure.verdict, failure.answer
        await Shrinker(problem, self.sites).shrink()
        if causes and await self._stays_without(sites, problem, tree_of(failure.body)):
            # The smallest message has another problem with the same answer, so each step must keep the cause.
            failure.body, failure.verdict, failure.answer = before
            problem.keeps = lambda tree: self._goes_without(sites, problem, tree)
            await Shrinker(problem, self.sites).shrink()
        tree, remaining = tree_of(failure.body), self._at(sites, failure.body)
        needed = [cause for cause in remaining if await problem.outcome(undone(tree, [cause])) != "same problem"]
        return tuple(needed or remaining)

    async def _stays_without(self, sites: Collection[str], problem: Problem, tree: Tree) -> bool:
        """Returns whether the problem stays if the values at these sites are undone."""
        undoing = [difference for difference in self._ordinary.differences(tree) if difference.site in sites]
        return await problem.outcome(undone(tree, undoing)) == "same problem"

    async def _goes_without(self, sites: Collection[str], problem: Problem, tree: Tree) -> bool:
        return not await self._stays_without(sites, problem, tree)

    def _at(self, sites: set[str], body: bytes) -> tuple[Difference, ...]:
        """Returns the differences at these sites, one for each place: a property that the ordinary message lacks may
        have an unusual value, too.
        """
        causes: dict[str, Difference] = {}
        for difference in self.differences(body):
            if difference.site in sites:
                earlier = causes.get(difference.place)
                combined = difference if earlier is None else replace(earlier, is_added=True, undo=difference.undo)
                causes[difference.place] = combined
        return tuple(causes.values())
