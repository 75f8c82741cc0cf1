"""Builds the twin of a finding: a valid message that differs from the smallest message in only one place. The correct
value for this place comes from the twin of the first case that showed the problem. The module makes this value as small
as possible. If the result is not valid, the module tries to remove the wrong value or a part of this value.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

from brokerfuzz.campaign.cause_candidates import with_property
from brokerfuzz.campaign.shrink_candidates import simpler
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import (
    JsonObject,
    Path,
    Tree,
    at_pointer,
    children,
    paths,
    pointer,
    replaced,
    tree_of,
    without,
    write_tree,
)
from brokerfuzz.json_trees import at as at_path
from brokerfuzz.pointers import unescape
from brokerfuzz.schemas import Label, Verdict

MOST_JUDGED = 4 << 20
"""The maximum number of bytes that the oracle judges for one twin. This limits the time for a very large message."""


def twin_of(smallest: bytes, verdict: Verdict, case: Case, label_of: Callable[[bytes], Label]) -> bytes | None:
    """Returns None if the smallest message is not JSON or does not break exactly one rule, or if no valid message is
    found.
    """
    if verdict.label != "invalid" or len(verdict.broken) != 1 or case.twin is None:
        return None
    if smallest == case.body:
        return case.twin.body
    tree, twin = tree_of(smallest), tree_of(case.twin.body)
    if tree is None or twin is None:
        return None

    judged = 0

    def is_valid(tree: Tree) -> bool:
        nonlocal judged
        body = write_tree(tree)
        judged += len(body)
        return judged <= MOST_JUDGED and label_of(body) == "valid"

    candidates = _candidates(tree, verdict.broken[0].at, twin, [fault.at for fault in case.faults])
    found = next(((candidate, copied) for candidate, copied in candidates if is_valid(candidate)), None)
    if found is None:
        return None
    candidate, copied = found
    return write_tree(candidate if copied is None else _with_smaller(candidate, copied, is_valid))


def _candidates(tree: Tree, at: str, twin: Tree, faults: list[str]) -> Iterator[tuple[Tree, Path | None]]:
    """Yields changed messages that may be valid. The path leads to the value that comes from `twin` (None: there is no
    such value).
    """
    by_pointer = {pointer(tree, path): path for path in paths(tree)}
    wrong = by_pointer.get(at)
    if wrong is None:
        yield from _with_missing(tree, by_pointer.get(at.rpartition("/")[0]), at, twin, faults)
        return
    for place in faults:
        try:
            right = at_pointer(twin, place)
        except LookupError:
            continue
        yield replaced(tree, wrong, right), wrong
        if isinstance(right, JsonObject):
            yield from _with_one_more(tree, wrong, right)
    removed = [
        replaced(tree, wrong, without(at_path(tree, wrong), step, step + 1))
        for step in range(len(children(at_path(tree, wrong))))
    ]
    if wrong:
        removed.append(replaced(tree, wrong[:-1], without(at_path(tree, wrong[:-1]), wrong[-1], wrong[-1] + 1)))
    yield from ((candidate, None) for candidate in removed)


def _with_smaller(tree: Tree, path: Path, is_valid: Callable[[Tree], bool]) -> Tree:
    """Makes the value at `path` as small as possible, but keeps the message valid."""
    for step in reversed(range(len(children(at_path(tree, path))))):
        smaller = replaced(tree, path, without(at_path(tree, path), step, step + 1))
        tree = smaller if is_valid(smaller) else tree
    for step in range(len(children(at_path(tree, path)))):
        tree = _with_smaller(tree, (*path, step), is_valid)
    simplest = (replaced(tree, path, value) for value in simpler(at_path(tree, path), {}))
    return next((smaller for smaller in simplest if is_valid(smaller)), tree)


def _with_missing(
    tree: Tree, holder: Path | None, at: str, twin: Tree, faults: list[str]
) -> Iterator[tuple[Tree, Path]]:
    """Adds a missing property to the object at `holder`. `at` is the JSON Pointer of this property. Yields one message
    for each place in `faults`: the property has the value of `twin` at this place.
    """
    name = unescape(at.rpartition("/")[2])
    for place in faults:
        with suppress(LookupError):
            if holder is not None:
                yield _with_property(tree, holder, name, at_pointer(twin, place))


def _with_one_more(tree: Tree, path: Path, right: JsonObject) -> Iterator[tuple[Tree, Path]]:
    """For each property that only the object `right` has, yields the message with this property."""
    there = at_path(tree, path)
    names = {name for name, _ in there.pairs} if isinstance(there, JsonObject) else set()
    yield from (_with_property(tree, path, name, value) for name, value in right.pairs if name not in names)


def _with_property(tree: Tree, path: Path, name: str, value: Tree) -> tuple[Tree, Path]:
    added = len(children(at_path(tree, path)))
    return with_property(tree, path, name, value), (*path, added)
