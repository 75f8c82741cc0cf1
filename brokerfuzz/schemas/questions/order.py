"""Questions about the order of two values, and about values outside a range."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.instants import timestamp
from brokerfuzz.schemas.questions.question import LIST, NUMBER, NUMBERS, OBJECT, TEXT, Freedom, Probes, Question, Types
from brokerfuzz.schemas.validation import matches


class OrderedNumbers(Question, kind="ordered_numbers"):
    """A minimum that is greater than its maximum."""

    numbers_of_names = (2,)

    @property
    def reads(self) -> Types:
        return {(): OBJECT, **{(name,): NUMBER for name in self.names}}

    def touches(self, value: Any) -> bool:
        low, high = map(value.get, self.names)
        return type(low) in NUMBERS and type(high) in NUMBERS and low > high

    def repair(self, value: Any, free: Freedom) -> None:
        """The minimum becomes equal to the maximum. If that is not possible, one of the two is removed."""
        if not self.touches(value):
            return
        low, high = self.names
        if (high,) not in free.pinned and free.may_become(low, value[high]):
            value[low] = value[high]
        else:
            _remove_first(value, (high, low), free)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        low, high = self.names
        yield "crossed-by-one", {**value, low: 2, high: 1}
        yield "far-crossed", {**value, low: (1 << 31) - 1, high: 1}


class OrderedInstants(Question, kind="ordered_instants"):
    """An end that may be before its start, or equal to it."""

    numbers_of_names = (2,)

    @property
    def reads(self) -> Types:
        return {(): OBJECT, **{(name,): TEXT for name in self.names}}

    def touches(self, value: Any) -> bool:
        start, end = map(value.get, self.names)
        if not (isinstance(start, str) and isinstance(end, str)):
            return False
        latest_start, earliest_end = timestamp(start).latest, timestamp(end).earliest
        return latest_start is None or earliest_end is None or earliest_end <= latest_start

    def repair(self, value: Any, free: Freedom) -> None:
        if self.touches(value):
            _remove_first(value, reversed(self.names), free)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        start, end = self.names
        yield "before", {**value, start: "2024-02-29T23:59:59Z", end: "2020-01-01T00:00:00Z"}
        yield "at-once", {**value, start: "2020-01-01T00:00:00Z", end: "2020-01-01T00:00:00Z"}


def _remove_first(value: Any, names: Iterator[str] | tuple[str, ...], free: Freedom) -> None:
    """Removes the first property that a repair may remove."""
    removable = next(filter(free.may_remove, names), None)
    if removable is not None:
        del value[removable]


class WithinRange(Question, kind="within_range"):
    """A quantity of a list that is below the minimum, or above the maximum."""

    numbers_of_names = (3,)

    @property
    def reads(self) -> Types:
        quantities, *bounds = self.names
        reads: Types = {(): OBJECT, (quantities,): LIST, (quantities, 0): NUMBER}
        return {**reads, **{(bound,): NUMBER for bound in bounds}}

    def touches(self, value: Any) -> bool:
        return any(self._violated(value))

    def _violated(self, value: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yields each bound that a quantity violates, with the function that moves a quantity inside."""
        quantities, low, high = map(value.get, self.names)
        if not isinstance(quantities, list):
            return
        numbers = [quantity for quantity in quantities if type(quantity) in NUMBERS]
        if type(low) in NUMBERS and any(number < low for number in numbers):
            yield self.names[1], max
        if type(high) in NUMBERS and any(number > high for number in numbers):
            yield self.names[2], min

    def repair(self, value: Any, free: Freedom) -> None:
        """Removes the bound. If that is not possible, the quantities are changed."""
        quantities = self.names[0]
        for bound, nearest in list(self._violated(value)):
            items = free.schema["properties"][quantities].get("items", {})
            is_fixed = KNOWN in items or any(steps[:1] == (quantities,) for steps in free.pinned)
            if free.may_remove(bound):
                del value[bound]
            elif not is_fixed and matches(items, value[bound]):
                moved = [nearest(number, value[bound]) for number in value[quantities] if number is not None]
                value[quantities] = list(dict.fromkeys(moved))

    def probes(self, value: Any, now: datetime | None) -> Probes:
        quantities, low, high = self.names
        for name, numbers in (("below", [1]), ("above", [10]), ("one-of-three", [2, 9, 10])):
            yield name, {**value, quantities: numbers, low: 2, high: 9}
