"""Relations between values of a message: a property is equal to another one of its object, a number is below or above
another one, or two items of an array have the same value.

    smallest      {"orderMinimum": 7, "orderMaximum": 7}   rejected
    other values  {"orderMinimum": 8, "orderMaximum": 8}   rejected: it is not the 7
    differing     {"orderMinimum": 7, "orderMaximum": 8}   accepted: it is the relation
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from brokerfuzz.campaign.causes.attributes import MessageAttribute
from brokerfuzz.campaign.problem import LimitReachedError, Problem
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.json_trees import Tree, tree_of
from brokerfuzz.pointers import Steps, value_at
from brokerfuzz.schemas import Site


@dataclass(frozen=True)
class _Relation:
    """`groups` returns the places of a message that have the relation: those in a group have the same value, or one of
    two numbers is below the other one (`is_order`).
    """

    site: Site
    predicate: str
    groups: Callable[[Any], Sequence[Sequence[Steps]]]
    is_order: bool = False

    def attribute(self) -> MessageAttribute:
        key = f"{self.site.path}: it {self.predicate}"
        return MessageAttribute(self.predicate, key, self._holds, place=self.site.path)

    def _holds(self, trial: Trial) -> bool:
        with suppress(ValueError, RecursionError):  # not JSON, or nested too deeply
            return bool(self.groups(trial.case.value))
        return False

    async def is_proven(self, problem: Problem, message: Any) -> bool:
        return (
            await problem.outcome(self._changed(message, differing=False)) == "same problem"
            and await problem.outcome(self._changed(message, differing=True)) == "other answer"
        )

    def _changed(self, message: Any, *, differing: bool) -> Tree:
        """Gives other values to the places of each group, with the relation or (`differing`) without it."""
        changed = deepcopy(message)
        for places in self.groups(message):
            values = [value_at(message, steps) for steps in places]
            for steps, value in zip(places, self._other_values(values, differing=differing), strict=True):
                value_at(changed, steps[:-1])[steps[-1]] = value
        return tree_of(json.dumps(changed).encode())

    def _other_values(self, values: Sequence[Any], *, differing: bool) -> Sequence[Any]:
        if not differing:
            return [self._other(value, 1) for value in values]
        if self.is_order:
            return values[::-1]
        return [self._other(value, number) if number else value for number, value in enumerate(values)]

    def _other(self, value: Any, number: int) -> Any:
        if "enum" in self.site.schema:
            values = [other for other in self.site.schema["enum"] if other not in (value, None)]
            return values[number % len(values)] if values else value
        return f"{value}{number}" if isinstance(value, str) else value + number


async def proven_relations(problem: Problem, sites: Iterable[Site]) -> list[MessageAttribute]:
    """Returns the relations of values at these sites that cause the problem."""
    with suppress(ValueError, RecursionError, LimitReachedError):  # not JSON, or nested too deeply
        message = json.loads(problem.failure.body)
        relations = [relation for site in sites for relation in _relations_at(site) if relation.groups(message)]
        return [relation.attribute() for relation in relations if await relation.is_proven(problem, message)]
    return []


def _relations_at(site: Site) -> Iterator[_Relation]:
    siblings = site.parent.properties if site.parent else {}
    for name in siblings:
        if name != site.name:
            yield _Relation(site, f"is equal to {name}", _pairs(site, name, _are_equal))
            yield _Relation(site, f"is below {name}", _pairs(site, name, _is_below), is_order=True)
            yield _Relation(site, f"is above {name}", _pairs(site, name, _is_above), is_order=True)
    if site.arrays:
        yield _Relation(site, "occurs in two items", _repeated(site))


def _pairs(
    site: Site, name: str, are_related: Callable[[Any, Any], bool]
) -> Callable[[Any], Sequence[Sequence[Steps]]]:
    def groups(message: Any) -> list[list[Steps]]:
        objects = site.parent.places(message) if site.parent else []
        return [
            [(*steps, name), (*steps, site.name)]
            for steps, value in objects
            if isinstance(value, dict) and are_related(value.get(site.name), value.get(name))
        ]

    return groups


def _repeated(site: Site) -> Callable[[Any], Sequence[Sequence[Steps]]]:
    def groups(message: Any) -> list[list[Steps]]:
        places: dict[Any, list[Steps]] = defaultdict(list)
        for steps, value in site.places(message):
            if _is_comparable(value):
                places[value].append(steps)
        return [with_value for with_value in places.values() if len(with_value) > 1]

    return groups


def _are_equal(value: Any, other: Any) -> bool:
    return _is_comparable(value) and bool(value == other)


def _is_below(value: Any, other: Any) -> bool:
    return _is_number(value) and _is_number(other) and bool(value < other)


def _is_above(value: Any, other: Any) -> bool:
    return _is_below(other, value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_comparable(value: Any) -> bool:
    """Empty strings, null and booleans are often equal by chance."""
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
