"""Mutants that check a rule only for some items of an array."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.fleet.behaviours import forgives
from benchmarks.fleet.dropped_rules import lacks
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.places import Step, every, mended, put, schema_at, steps_of
from benchmarks.fleet.plain_messages import CLOCK_RULE, Ground, written
from brokerfuzz.schemas import Rule
from brokerfuzz.schemas.flattening import Schema


def candidates(ground: Ground) -> Iterator[Candidate]:
    """Each mutant checks one rule only for some items of an array: for example, only for the first item. Yields mutants
    for each array that contains the rule's site.
    """
    for rule in ground.rules:
        if rule.keyword != CLOCK_RULE:
            for path in _arrays_above(rule.site):
                yield from _by_count(ground, rule, path)
                yield from _by_end(ground, rule, path)


def _arrays_above(site: str) -> list[str]:
    return [site[:end] for end in range(len(site)) if site.startswith("[]", end)]


def _by_count(ground: Ground, rule: Rule, path: str) -> Iterator[Candidate]:
    loose = lacks(ground.schema, rule)
    for words, count in (("the first item", 1), ("the first ten items", 10)):
        if rule.condition is None:
            behaviour = forgives(
                rule.site, mended(loose, path, partial(_checked_up_to, count, schema_at(ground.schema, f"{path}[]")))
            )
        else:
            behaviour = forgives(rule.site, ground.schema, loose, part=_cut(path, slice(count)))
        yield _candidate(ground, rule, path, words, behaviour, wrong=[count, count + 1])


def _checked_up_to(count: int, item: Schema, loose_array: Schema) -> Schema:
    return {**loose_array, "prefixItems": [item] * count}


def _by_end(ground: Ground, rule: Rule, path: str) -> Iterator[Candidate]:
    loose = lacks(ground.schema, rule)
    for words, part, wrong in (
        ("the last item", slice(-1, None), [0]),
        ("the items but the first", slice(1, None), [0]),
        ("the items but the last", slice(None, -1), [2]),
    ):
        yield _candidate(
            ground, rule, path, words, forgives(rule.site, ground.schema, loose, part=_cut(path, part)), wrong=wrong
        )


def _candidate(ground: Ground, rule: Rule, path: str, words: str, behaviour: Any, *, wrong: list[int]) -> Candidate:
    where = f"of {path}: {rule.site}:{rule.id.partition(':')[2]}"
    bodies = [written(_with_breach(ground, message, rule, path, item)) for message in ground.messages for item in wrong]
    return Candidate("misplaced", f"checks only {words}", where, rule.site, rule.id, behaviour, bodies)


def _with_breach(ground: Ground, message: Any, rule: Rule, path: str, item: int) -> Any:
    """Returns the message with at least three items in the array at `path`. Only the item with the index `item` breaks
    the rule.
    """
    message = put(message, path, ground.items(path, max(item + 1, 3)))
    broken = put(message, rule.site, ground.breach(rule), item=item)
    return put(message, f"{path}[]", _item(broken, path, item), item=item)


def _item(message: Any, path: str, item: int) -> Any:
    return every(message, path)[0][item]


def _cut(path: str, part: slice) -> Callable[[Any], Any]:
    """Returns a function that keeps only the slice `part` of each array at `path`."""
    steps = steps_of(path)

    def cut(value: Any) -> Any:
        return _cut_at(value, steps, part)

    return cut


def _cut_at(value: Any, steps: list[Step], part: slice) -> Any:
    if not steps:
        return (value[part] or value[:1]) if isinstance(value, list) else value
    step, *rest = steps
    if step == "[]":
        return [_cut_at(item, rest, part) for item in value] if isinstance(value, list) else value
    return {**value, step: _cut_at(value[step], rest, part)} if isinstance(value, dict) and step in value else value
