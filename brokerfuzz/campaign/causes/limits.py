"""Searches a limit by experiments: the size of a message, the length of a string, or the number of items up to which
the answer is right. All functions raise `LimitReachedError`.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final

from brokerfuzz.campaign.causes.attributes import Attribute, MessageAttribute, larger_than, larger_than_written
from brokerfuzz.campaign.causes.conditions import (
    LONGER,
    MORE_BYTES,
    MORE_ITEMS,
    MORE_UNITS,
    SHORT,
    SHORTER,
    ValueCondition,
    utf8_length,
    utf16_length,
)
from brokerfuzz.campaign.difference import Difference
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.cases.case import compact
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.generation import REQUIRED, Wish, message
from brokerfuzz.json_trees import (
    JsonArray,
    Path,
    Tree,
    children,
    first_values,
    paths,
    replaced,
    site_at,
    subtree,
    tree_of,
)
from brokerfuzz.schemas import Contract, MessageType

FEWEST_STRINGS: Final = 3
"""If shortening any of this number of strings gives the right answer, their sum is the cause."""
ENOUGH_LETTERS: Final = 32
"""Hardly any target demands longer strings."""
SMALLEST_SIZE: Final = 1024
"""A limit of the size below one kilobyte is improbable."""


async def limit_of_size(problem: Problem, plain: bytes, accepted: int) -> MessageAttribute | None:
    """Returns the attribute that a message has more bytes than the target accepts, if this is the cause. To find out,
    the `plain` message is sent with as many spaces as the failing one is longer. `accepted` is the size of the largest
    accepted message.
    """

    async def fails(size: int) -> bool:
        return await problem.adopt_bytes(plain[:-1] + b" " * (size - len(plain)) + plain[-1:])

    size, smallest = len(problem.failure.body), max(accepted, len(plain))
    if size < SMALLEST_SIZE or size <= smallest or not await fails(size):
        return None
    return larger_than(await _largest_that_passes(smallest, size, fails))


async def limits_of_text(problem: Problem) -> list[MessageAttribute]:
    """Returns what the smallest message has more of than the target accepts, counted in several ways, if shortening any
    of its strings gives the right answer: the target may count what it writes itself, where no space counts.
    """
    tree = tree_of(problem.failure.body)
    strings = [(path, text) for path in paths(tree) if isinstance(text := subtree(tree, path), str)]
    needed = [
        (path, text)
        for path, text in strings
        if text.isascii() and await _is_cured_by(problem, replaced(tree, path, text[:1]))
    ]
    if len(needed) < FEWEST_STRINGS:
        return []
    length = sum(len(text) - 1 for _, text in needed)

    async def fails(remaining: int) -> bool:
        return await problem.adopt(_with_strings_cut(tree, needed, length - remaining))

    await _largest_that_passes(0, length, fails)
    return larger_than_written(problem.failure.body)


async def _is_cured_by(problem: Problem, changed: Tree) -> bool:
    return await problem.outcome(changed) == "other answer"


def _with_strings_cut(tree: Tree, strings: Iterable[tuple[Path, str]], count: int) -> Tree:
    """Returns the tree without `count` characters at the ends of its strings. The first character of each remains."""
    for path, text in strings:
        length = max(1, len(text) - count)
        count -= len(text) - length
        tree = replaced(tree, path, text[:length])
    return tree


async def limit_of_items(problem: Problem, contract: Contract, accepted: Callable[[str], int]) -> Attribute | None:
    """Returns the attribute that an array has more items than the target accepts, if this is the cause. `accepted`
    returns the largest accepted number at a site. The smallest message is a generated one, because the items may
    differ, or have a sum.
    """
    message_type = problem.failure.case.message_type
    for site, value in first_values(tree_of(problem.failure.body)).items():
        is_known = site in contract.sites[message_type]  # an unknown property may contain arrays, too
        if not is_known or not isinstance(value, JsonArray):
            continue
        most = accepted(site)
        if len(value.items) > most:
            generated = partial(_with_items, contract, message_type, site)
            count = await _most_items(problem, generated, most, len(value.items))
            if count and await problem.outcome(_without_first_item(generated(count + 1), site)) != "same problem":
                await problem.adopt(generated(count + 1))
                return Attribute(MORE_ITEMS.of(count), site)
    return None


def _without_first_item(tree: Tree, site: str) -> Tree:
    """If this message still fails, the last item is the cause, and not the number of items."""
    path = next(path for path in paths(tree) if site_at(tree, path) == site)
    return replaced(tree, path, JsonArray(children(subtree(tree, path))[1:]))


async def _most_items(problem: Problem, generated: Callable[[int], Tree], accepted: int, too_many: int) -> int | None:
    async def fails(count: int) -> bool:
        return await problem.outcome(generated(count)) == "same problem"

    if await fails(accepted) or not await fails(too_many):
        return None
    return await _largest_that_passes(accepted, too_many, fails)


def _with_items(contract: Contract, message_type: MessageType, site: str, count: int) -> Tree:
    """Generates a valid message whose array at a site has this number of items."""
    wishes = {**wishes_at(contract, message_type, site), site: Wish(least=count, most=count)}
    return tree_of(compact(message(contract, message_type, REQUIRED, wishes)))


async def limits_of_length(problem: Problem, causes: Sequence[Difference]) -> list[Attribute]:
    """Returns the limit of the length of the longest string among the causes, if this is the cause. The target may
    count characters, units of UTF-16, or bytes in UTF-8. Of a limit of short strings, empty ones may be an exception.
    """
    strings = [cause for cause in causes if isinstance(cause.tree, str)]
    if not strings:
        return []
    longest = max(strings, key=lambda cause: len(cause.tree))
    condition = await _longest_that_passes(problem, longest)
    conditions = await _shortest_that_passes(problem, longest) if condition is None else [condition]
    return [Attribute(condition, longest.site) for condition in conditions]


async def _shortest_that_passes(problem: Problem, cause: Difference) -> list[ValueCondition]:
    tree = tree_of(problem.failure.body)
    ordinary = _ordinary_text(tree, cause)
    shortest, longest = len(cause.tree), max(len(ordinary), ENOUGH_LETTERS)

    async def fails(missing: int) -> bool:
        length = longest - missing
        text = ordinary[:length].ljust(length, "b")
        return await problem.outcome(replaced(tree, cause.path, text)) == "same problem"

    if await fails(0) or not await fails(longest - shortest):
        return []
    length = longest - await _largest_that_passes(0, longest - shortest, fails)
    return [SHORTER.of(length), SHORT.of(length)] if length > 1 else []


def _ordinary_text(tree: Tree, cause: Difference) -> str:
    text = "" if cause.is_added else subtree(cause.undo(tree), cause.path)
    return text if isinstance(text, str) else ""


async def _longest_that_passes(problem: Problem, cause: Difference) -> ValueCondition | None:
    """The strings that are sent begin as the ordinary one, so a long web address remains one."""
    text: str = cause.tree
    tree = tree_of(problem.failure.body)
    beginning = _ordinary_text(tree, cause)

    async def fails_with(text: str) -> bool:
        return await problem.outcome(replaced(tree, cause.path, text)) == "same problem"

    async def fails(length: int) -> bool:
        return await fails_with(beginning[:length].ljust(length, "b"))

    async def fails_in_bytes(size: int) -> bool:
        return await fails_with("ह" * (size // 3) + "b" * (size % 3))

    async def fails_in_units(length: int) -> bool:
        return await fails_with("🧪" * (length // 2) + "b" * (length % 2))

    for longest in (len(text), utf16_length(text), utf8_length(text)):
        if await fails(longest) and not await fails(1):  # if one letter fails, its length is not the cause
            length = await _largest_that_passes(1, longest, fails)
            if await fails_with("é" * length):
                return MORE_BYTES.of(length)
            return MORE_UNITS.of(length) if await fails_with("🧪" * length) else LONGER.of(length)
    # the contract may allow fewer characters than the target allows bytes or units
    size, units = utf8_length(text), utf16_length(text)
    if await fails_in_bytes(size) and not await fails_in_bytes(1):
        return MORE_BYTES.of(await _largest_that_passes(1, size, fails_in_bytes))
    if await fails_in_units(units) and not await fails_in_units(1):
        return MORE_UNITS.of(await _largest_that_passes(1, units, fails_in_units))
    return None


async def _largest_that_passes(passes: int, fails_at: int, fails: Callable[[int], Awaitable[bool]]) -> int:
    while fails_at - passes > 1:
        middle = (passes + fails_at) // 2
        if await fails(middle):
            fails_at = middle
        else:
            passes = middle
    return passes
