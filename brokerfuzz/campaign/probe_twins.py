"""Builds the twin of a probe (a message that touches an ambiguity). At the places that touch the ambiguity, the twin
has usual values.

If the target also rejects the twin, the ambiguity was not the reason for rejecting the probe.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.cases.case import TWIN_TAGS, Case
from brokerfuzz.json_trees import (
    JsonObject,
    Number,
    Path,
    Tree,
    children,
    first_values,
    read_tree,
    replaced,
    site,
    write_tree,
)
from brokerfuzz.json_trees import at as at_path
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas import Verdict


def twin_of_probe(case: Case, verdict: Verdict, plain: Case | None, judge: Judge) -> Case | None:
    """Returns a valid message that differs from the probe only at the places that touch the ambiguity. If there is no
    such message, returns `plain` (an ordinary valid message, or None).
    """
    if plain is not None and _differs_at_one_place(case, verdict, plain.body):
        return plain
    for candidate in _candidates(case, verdict, plain):
        if plain is not None and candidate == _tree(plain.body):
            return plain
        twin = Case(case.message_type, write_tree(candidate), verdict, tags=TWIN_TAGS)
        if (judged := judge.of(twin, twin.body)).label == "valid":
            return replace(twin, verdict=judged)
    return plain


def _candidates(case: Case, verdict: Verdict, plain: Case | None) -> Iterator[Tree]:
    try:
        tree = read_tree(case.body)
        usual = {} if plain is None else _first_values(plain.body)
    except ValueError:
        return
    if case.headers:
        yield tree
    places = list(dict.fromkeys(touched.at for touched in verdict.ambiguities))
    for values in (usual, {}):
        candidate = tree
        for place in places:
            candidate = _with_usual(candidate, place, values)
        if candidate != tree:
            yield candidate


def _differs_at_one_place(case: Case, verdict: Verdict, plain: bytes) -> bool:
    """Returns whether the probe differs from the plain message only in the value that touches the ambiguity. The
    function compares the bytes before and after this value, and parses only the value, because parsing whole messages
    is much slower.
    """
    places = {touched.at for touched in verdict.ambiguities}
    if len(places) != 1 or case.headers or (around := _around(plain, *places)) is None:
        return False
    before, usual, after = around
    if not (case.body.startswith(before) and case.body.endswith(after)):
        return False
    try:
        return read_tree(case.body[len(before) : len(case.body) - len(after)]) != usual
    except ValueError:
        return False


@lru_cache(maxsize=256)
def _around(plain: bytes, place: str) -> tuple[bytes, Tree, bytes] | None:
    """Splits the plain message into the bytes before the value at `place`, this value, and the bytes after the value.
    Returns None if the plain message has no value at `place`. Also returns None if an earlier array item has a
    different value at the same site.
    """
    tree = _tree(plain)
    path = next(_paths_to(tree, steps_of(place)), None)
    if not path or (value := at_path(tree, path)) != _first_values(plain)[site(tree, path)]:
        return None
    before, after = write_tree(replaced(tree, path, Number("\0"))).split(b"\0")
    return before, value, after


_tree = lru_cache(maxsize=8)(read_tree)


@lru_cache(maxsize=8)
def _first_values(plain: bytes) -> Mapping[str, Tree]:
    return first_values(_tree(plain))


def _with_usual(tree: Tree, place: str, usual: Mapping[str, Tree]) -> Tree:
    """Replaces the value at `place` with the usual value of the same site. If `usual` has no value for this site, the
    property is removed. Duplicates of the property are also removed.
    """
    path = next(_paths_to(tree, steps_of(place)), None)
    if not path:
        return tree
    above, wanted = at_path(tree, path[:-1]), site(tree, path)
    if not isinstance(above, JsonObject):
        return replaced(tree, path, usual[wanted]) if wanted in usual else tree
    name = above.pairs[path[-1]][0]
    others = [pair for pair in above.pairs if pair[0] != name]
    pair = [(name, usual[wanted])] if wanted in usual else []
    return replaced(tree, path[:-1], JsonObject((*others[: path[-1]], *pair, *others[path[-1] :])))


def _paths_to(tree: Tree, steps: Sequence[str]) -> Iterator[Path]:
    """Yields the path of each value to which a JSON Pointer with these `steps` leads. There are several such values if
    an object contains the same property several times.
    """
    if not steps:
        yield ()
    for index, child in enumerate(children(tree) if steps else ()):
        name = tree.pairs[index][0] if isinstance(tree, JsonObject) else str(index)
        if name == steps[0]:
            yield from ((index, *rest) for rest in _paths_to(child, steps[1:]))
