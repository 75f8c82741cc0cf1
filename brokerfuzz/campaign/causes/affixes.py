"""Parts that all accepted strings of a property have, such as `.pdf` at the end or `OMS-` at the beginning.

accepted      "a.pdf", "b/c.pdf"      both end with ".pdf"
smallest      "0"                     rejected
with a part   "0.pdf"                 accepted: the end is the cause, unless "0." is accepted, too
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from brokerfuzz.campaign.causes.attributes import Attribute
from brokerfuzz.campaign.causes.conditions import LACKS, LACKS_BEGINNING, LACKS_END, ConditionKind
from brokerfuzz.campaign.difference import Difference
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.json_trees import replaced, tree_of

LONGEST_AFFIX: Final = 12
"""Most longer beginnings and ends are those of the generator."""


async def missing_parts(
    problem: Problem, causes: Sequence[Difference], accepted: Callable[[str], Sequence[str]]
) -> list[Attribute]:
    """Returns what strings among the causes lack: with these parts, the answer is right. `accepted` returns the
    accepted strings of a site. Raises `LimitReachedError`.
    """
    attributes = []
    for cause in causes:
        if isinstance(cause.tree, str):
            experiment = _Experiment(problem, cause, accepted(cause.site))
            attributes += await experiment.missing_mark() or await experiment.missing_ends()
    return attributes


class _Experiment:
    """Adds parts to a string that the target rejects. `accepted` are the strings that it accepts at this place."""

    def __init__(self, problem: Problem, cause: Difference, accepted: Sequence[str]) -> None:
        self._problem, self._cause, self._accepted = problem, cause, accepted
        self._tree = tree_of(problem.failure.body)
        self._text = cause.tree or "0"
        self._shortest = min(accepted, key=len, default="")

    async def missing_mark(self) -> list[Attribute]:
        for mark in dict.fromkeys(self._shortest):
            is_common = not mark.isalnum() and self._all_have(str.__contains__, mark)
            if is_common and await self._is_cured_by(self._text + mark):
                return [await self._attribute(LACKS, mark)]
        return []

    async def missing_ends(self) -> list[Attribute]:
        """Returns the shortest beginning or end that the string needs, or both if one of them does not suffice."""
        lengths = range(1, min(len(self._shortest), LONGEST_AFFIX) + 1)
        beginnings = [part for n in lengths if self._all_have(str.startswith, part := self._shortest[:n])]
        ends = [part for n in lengths if self._all_have(str.endswith, part := self._shortest[-n:])]
        pairs = [*product(beginnings, [""]), *product([""], ends), *product(beginnings, ends[-1:])]
        for beginning, end in pairs:
            if await self._is_cured_by(beginning + self._text + end):
                parts = [(LACKS_BEGINNING, beginning), (LACKS_END, await self._shortest_end(beginning, ends, end))]
                return [await self._attribute(kind, part) for kind, part in parts if part]
        return []

    async def _shortest_end(self, beginning: str, ends: Sequence[str], longest: str) -> str:
        for end in ends if longest else ():
            if await self._is_cured_by(beginning + self._text + end):
                return end
        return longest

    def _all_have(self, has: Callable[[str, str], bool], part: str) -> bool:
        return all(has(text, part) for text in self._accepted)

    async def _attribute(self, kind: ConditionKind, part: str) -> Attribute:
        includes_empty = not await self._is_cured_by("")
        return Attribute(kind.of((part, includes_empty)), self._cause.site)

    async def _is_cured_by(self, text: str) -> bool:
        """The target may know an accepted string, so this one shows nothing."""
        changed = replaced(self._tree, self._cause.path, text)
        return text not in self._accepted and await self._problem.outcome(changed) == "other answer"
