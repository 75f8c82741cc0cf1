"""Parts that all accepted strings of a property have, such as `.pdf` at the end or `OMS-` at the beginning.

accepted      "a.pdf", "b/c.pdf"      both end with ".pdf"
smallest      "0"                     rejected
with a part   "0.pdf"                 accepted: the end is the cause, unless "0." is accepted, too
"""

from collections.abc import Callable, Iterator, Sequence
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
    """Returns what strings among the causes lack: with this part, the answer is right. `accepted` returns the accepted
    strings of a site. Raises `LimitReachedError`.
    """
    tree = tree_of(problem.failure.body)
    attributes = []
    for cause in causes:
        if not isinstance(cause.tree, str):
            continue
        texts = accepted(cause.site)
        for kind, part, completed in _completed(cause.tree or "0", texts):
            if completed in texts:  # the target may know this one
                continue
            if await problem.outcome(replaced(tree, cause.path, completed)) == "other answer":
                includes_empty = await problem.outcome(replaced(tree, cause.path, "")) != "other answer"
                attributes.append(Attribute(kind.of((part, includes_empty)), cause.site))
                break
    return attributes


def _completed(text: str, accepted: Sequence[str]) -> Iterator[tuple[ConditionKind, str, str]]:
    """Yields the parts that all accepted strings have, each with the text to which it was added, the shortest first."""
    shortest = min(accepted, key=len, default="")
    for mark in dict.fromkeys(shortest):
        if not mark.isalnum() and all(mark in other for other in accepted):
            yield LACKS, mark, text + mark
    lengths = range(1, min(len(shortest), LONGEST_AFFIX) + 1)
    for beginning in [shortest[:length] for length in lengths]:
        if all(other.startswith(beginning) for other in accepted):
            yield LACKS_BEGINNING, beginning, beginning + text
    for end in [shortest[-length:] for length in lengths]:
        if all(other.endswith(end) for other in accepted):
            yield LACKS_END, end, text + end
