"""Relations between values of a message: a property is equal to another one of its object, a number is below or above
another one or that of the item before, a number is not the product of two others, or two items of an array have the
same value.

    smallest      {"orderMinimum": 7, "orderMaximum": 7}   rejected
    other values  {"orderMinimum": 8, "orderMaximum": 8}   rejected: it is not the 7
    differing     {"orderMinimum": 7, "orderMaximum": 8}   accepted: it is the relation
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any, Final

from brokerfuzz.campaign.causes.attributes import MessageAttribute
from brokerfuzz.campaign.problem import LimitReachedError, Problem
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.json_trees import Tree, tree_of
from brokerfuzz.pointers import Steps, is_within, value_at
from brokerfuzz.schemas import Site
from brokerfuzz.schemas.flattening import types_of

_UNREADABLE: Final = (ValueError, RecursionError)
"""Of messages that are not JSON, that contain infinite numbers, or that are nested too deeply."""
_HALF_A_CENT: Final = Fraction("0.005")
_NUMBERS: Final = ("integer", "number")


@dataclass(frozen=True)
class _Relation:
    """A relation of the value at `site` with other values of the message. `holds` compares the values."""

    site: Site
    predicate: str
    holds: Callable[..., bool]

    def groups(self, message: Any) -> list[list[Steps]]:
        """Returns the places of a message whose values have the relation."""
        raise NotImplementedError

    def attribute(self) -> MessageAttribute:
        key = f"{self.site.path}: it {self.predicate}"
        return MessageAttribute(self.predicate, key, self._is_in, place=self.site.path)

    def _is_in(self, trial: Trial) -> bool:
        with suppress(*_UNREADABLE):
            return bool(self.groups(trial.case.value))
        return False

    async def is_proven(self, problem: Problem, message: Any) -> bool:
        return (
            await problem.outcome(self._changed(message, self._other_values)) == "same problem"
            and await problem.outcome(self._changed(message, self._differing_values)) == "other answer"
        )

    def _changed(self, message: Any, new_values: Callable[[Sequence[Any]], Sequence[Any]]) -> Tree:
        """Gives new values to the places of each group."""
        changed = deepcopy(message)
        for places in self.groups(message):
            values = [value_at(message, steps) for steps in places]
            for steps, value in zip(places, new_values(values), strict=True):
                value_at(changed, steps[:-1])[steps[-1]] = value
        return tree_of(json.dumps(changed).encode())

    def _other_values(self, values: Sequence[Any]) -> Sequence[Any]:
        """Returns other values that have the relation."""
        return [self._other_value(value, 1) for value in values]

    def _differing_values(self, values: Sequence[Any]) -> Sequence[Any]:
        """Returns values without the relation: the first one and others, or two numbers in the other order."""
        if len(set(values)) > 1:
            return values[::-1]
        return [self._other_value(value, number) if number else value for number, value in enumerate(values)]

    def _other_value(self, value: Any, number: int) -> Any:
        if "enum" in self.site.schema:
            values = [other for other in self.site.schema["enum"] if other not in (value, None)]
            return values[number % len(values)] if values else value
        return f"{value}{number}" if isinstance(value, str) else value + number


@dataclass(frozen=True)
class _WithProperty(_Relation):
    """A relation with another property of the same object."""

    other: str

    def groups(self, message: Any) -> list[list[Steps]]:
        objects = self.site.parent.places(message) if self.site.parent else []
        return [
            [(*steps, self.other), (*steps, self.site.name)]
            for steps, value in objects
            if isinstance(value, dict) and self.holds(value.get(self.site.name), value.get(self.other))
        ]


class _WithOtherItems(_Relation):
    """A relation with the same value in any other item of an array."""

    def groups(self, message: Any) -> list[list[Steps]]:
        places: dict[Any, list[Steps]] = defaultdict(list)
        for steps, value in self.site.places(message):
            if self.holds(value, value):
                places[value].append(steps)
        return [with_value for with_value in places.values() if len(with_value) > 1]


class _WithItemBefore(_Relation):
    """A relation with the value in the item before."""

    def groups(self, message: Any) -> list[list[Steps]]:
        return [
            [steps_before, steps]
            for (steps_before, before), (steps, value) in pairwise(self.site.places(message))
            if _is_next(steps_before, steps) and self.holds(value, before)
        ]


@dataclass(frozen=True)
class _WithFactors(_Relation):
    """A number is not the product of two others of its object."""

    factors: tuple[str, str]

    def groups(self, message: Any) -> list[list[Steps]]:
        objects = self.site.parent.places(message) if self.site.parent else []
        names = (*self.factors, self.site.name)
        return [
            [(*steps, name) for name in names]
            for steps, value in objects
            if isinstance(value, dict) and self.holds(*map(value.get, names))
        ]

    def _other_values(self, values: Sequence[Any]) -> Sequence[Any]:
        *_, amount = values
        return amount / 2, 1, amount

    def _differing_values(self, values: Sequence[Any]) -> Sequence[Any]:
        *_, amount = values
        return amount, 1, amount


def _is_next(before: Steps, steps: Steps) -> bool:
    """Returns whether two places of a site are in neighbouring items of the innermost array."""
    *outer, index = _indexes(steps)
    return _indexes(before) == [*outer, index - 1]


def _indexes(steps: Steps) -> list[int]:
    return [step for step in steps if isinstance(step, int)]


async def proven_relations(problem: Problem, sites: Mapping[str, Site], paths: Iterable[str]) -> list[MessageAttribute]:
    """Returns the relations of values at these paths, or below them, that cause the problem."""
    outer_paths = list(paths)
    relations = [
        relation
        for path, site in sites.items()
        if any(is_within(path, outer) for outer in outer_paths)
        for relation in _relations_at(site)
    ]
    with suppress(*_UNREADABLE, LimitReachedError):
        message = json.loads(problem.failure.body)
        possible = [relation for relation in relations if relation.groups(message)]
        return [relation.attribute() for relation in possible if await relation.is_proven(problem, message)]
    return []


def _relations_at(site: Site) -> Iterator[_Relation]:
    for name in site.parent.properties if site.parent else ():
        if name != site.name:
            yield _WithProperty(site, f"is equal to {name}", _are_equal, name)
            yield _WithProperty(site, f"is below {name}", _is_below, name)
            yield _WithProperty(site, f"is above {name}", _is_above, name)
    for first, second in permutations(_numbers_beside(site), 2):
        yield _WithFactors(site, f"is not {first} * {second}", _is_not_product, (first, second))
        yield _WithFactors(site, f"is not about {first} * {second}", _is_far_from_product, (first, second))
    if site.arrays:
        yield _WithOtherItems(site, "occurs in two items", _are_equal)
        yield _WithItemBefore(site, "is below the one in the item before", _is_below)
        yield _WithItemBefore(site, "is above the one in the item before", _is_above)


def _numbers_beside(site: Site) -> list[str]:
    """Returns the names of the other numbers of an object, if the value at a site may also be a number."""
    properties = site.parent.properties if site.parent else {}
    numbers = [name for name, other in properties.items() if not types_of(other.schema).isdisjoint(_NUMBERS)]
    return [name for name in numbers if name != site.name] if site.name in numbers else []


def _are_equal(value: Any, other: Any) -> bool:
    """Empty strings, null and booleans are often equal by chance."""
    is_comparable = isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
    return is_comparable and bool(value == other)


def _is_below(value: Any, other: Any) -> bool:
    return _is_number(value) and _is_number(other) and bool(value < other)


def _is_above(value: Any, other: Any) -> bool:
    return _is_below(other, value)


def _is_not_product(first: Any, second: Any, amount: Any) -> bool:
    return _distance(first, second, amount) > 0


def _is_far_from_product(first: Any, second: Any, amount: Any) -> bool:
    return _distance(first, second, amount) > _HALF_A_CENT


def _distance(first: Any, second: Any, amount: Any) -> Fraction:
    """Returns the distance of an amount from a product, or 0 if one of them is no number. 0.1 is exactly one tenth."""
    if not all(map(_is_number, (first, second, amount))):
        return Fraction(0)
    return abs(Fraction(repr(first)) * Fraction(repr(second)) - Fraction(repr(amount)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
