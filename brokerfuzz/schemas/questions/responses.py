"""Questions about responses: the success that they report, and the sums of prices."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from operator import eq
from typing import Any

from brokerfuzz.pointers import Steps
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions.question import (
    ANYTHING,
    FLAG,
    LIST,
    NUMBER,
    NUMBERS,
    OBJECT,
    Freedom,
    Probes,
    Question,
    Types,
)
from brokerfuzz.schemas.verdicts import describe


class InconsistentEnvelope(Question, kind="envelope"):
    """A response that reports success without data, or failure without a reason. The names are those of the properties
    with the success, the reasons of a failure, and the data.
    """

    numbers_of_names = (3,)

    @property
    def reads(self) -> Types:
        success, failures, data = self.names
        return {(): OBJECT, (data,): ANYTHING, (failures,): LIST, (success,): FLAG}

    @property
    def computed(self) -> Sequence[Steps]:
        success, failures, _ = self.names
        return (success,), (failures, 0)

    @property
    def needs_null(self) -> Mapping[Steps, Steps]:
        _, failures, data = self.names
        return {(failures, 0): (data,)}

    def touches(self, value: Any) -> bool:
        is_successful, failures, data = map(value.get, self.names)
        has_data = data is not None
        return not has_data or failures != [] if is_successful else has_data or not failures

    def found(self, value: Any) -> str:
        return describe(value)

    def repair(self, value: Any, free: Freedom) -> None:
        success, failures, data = self.names
        has_failed = value.get(data) is None
        reasons = (value.get(failures) or ["a"]) if has_failed else []
        for name, right in ((success, not has_failed), (failures, reasons)):
            if name in value and (name,) not in free.pinned:
                value[name] = right

    def probes(self, value: Any, now: datetime | None) -> Probes:
        success, failures, data = self.names
        successful = {**value, failures: [], success: True}
        failed = {**value, failures: ["a"], success: False}
        yield "success-without-data", {**successful, data: None}
        yield "success-with-failures", {**successful, failures: ["a"]}
        if value.get(data) is not None:
            yield "failure-with-data", failed
        yield "failure-without-message", {**failed, data: None, failures: []}


_CENT, _BILLIONTH = Decimal("0.005"), Decimal("1e-9")
_EXACT = Context(prec=4000)
"""The numbers of a message lie between 1e640 and 1e-1279, so their sums and products have fewer significant digits."""
_LARGEST_INTEGER = 2**53
"""The largest integer up to which doubles represent every integer."""


class Arithmetic(Question, kind="arithmetic"):
    """A sum that is wrong by more than rounding can explain. The names are those of the array of prices, of the unit
    price, the quantity and the extended price in its items, and of the total.
    """

    numbers_of_names = (5,)

    @property
    def _cells(self) -> Sequence[str]:
        """The names of the unit price, the quantity and the extended price."""
        return self.names[1:4]

    @property
    def reads(self) -> Types:
        rows, *_, total = self.names
        prices: list[Steps] = [(total,), *((rows, 0, cell) for cell in self._cells)]
        return {(): OBJECT, (rows,): LIST, (rows, 0): OBJECT, **dict.fromkeys(prices, NUMBER)}

    @property
    def computed(self) -> Sequence[Steps]:
        rows, _, _, extended, total = self.names
        return (total,), (rows, 0, extended)

    def touches(self, value: Any) -> bool:
        return self._sums_agree(value, _nearly_equal) is False

    def found(self, value: Any) -> str:
        return describe(value)

    def repair(self, value: Any, free: Freedom) -> None:
        """Adds up the prices. They stay as they are if the user has pinned one of them."""
        if self.touches(value) and self.reads.keys().isdisjoint(free.pinned):
            with localcontext(_EXACT):
                self._add_up(value, free.schema["properties"])

    def probes(self, value: Any, now: datetime | None) -> Probes:
        rows, _, _, extended, total = self.names
        offers: Sequence[Any] = value.get(rows) or ()
        amount = value.get(total)
        if amount is None:
            return
        yield "wrong-total", {**value, total: _off(amount, 5)}
        yield "two-cents-off", {**value, total: _off(amount, 0.02)}
        if offers and amount < 1e6:
            surcharged = {**offers[0], extended: _off(offers[0][extended], 5)}
            yield "surcharge-beside-the-total", {**value, rows: [surcharged, *offers[1:]]}

    def _sums_agree(self, value: Any, equal: Callable[[Decimal, Decimal], bool]) -> bool | None:
        """Returns whether the sums of a pricing response are right, or None if a price is missing or is not a number.

        The contract adds surcharges, which are not in the message, to unit price * quantity. So a higher extended price
        is valid.
        """
        offers, total = value.get(self.names[0]), value.get(self.names[-1])
        if not isinstance(offers, list) or not all(isinstance(offer, dict) for offer in offers):
            return None
        rows = [[offer.get(cell) for cell in self._cells] for offer in offers]
        if not all(type(cell) in NUMBERS for row in (*rows, [total]) for cell in row):
            return None
        with localcontext(_EXACT):
            prices = [tuple(map(_decimal, row)) for row in rows]
            agree = all(
                extended >= unit * quantity or equal(unit * quantity, extended) for unit, quantity, extended in prices
            )
            return agree and equal(sum((extended for _, _, extended in prices), Decimal(0)), _decimal(total))

    def _add_up(self, value: dict[str, Any], props: Schema) -> None:
        rows, unit, quantity, extended, total = self.names
        total_schema, extended_schema = props[total], props[rows]["items"]["properties"][extended]
        are_integers = not all("number" in types_of(schema) for schema in (total_schema, extended_schema))

        def fits(amount: Decimal) -> bool:
            return _is_double(amount) and not (are_integers and amount > _LARGEST_INTEGER)

        least = extended_schema.get("minimum", 0)
        sum_of_rows = Decimal(0)
        for offer in value[rows]:
            number = _decimal(offer[quantity])
            amount = _rounded_up(_decimal(offer[unit]) * number)
            if amount < least or offer[extended] != 1:  # a higher amount contains a surcharge, except the plain 1
                amount = max(amount, _decimal(offer[extended]))
            if not fits(amount) or not fits(sum_of_rows + amount):
                amount = number if fits(sum_of_rows + number) else Decimal(0)
                offer[unit] = 1 if amount else 0
            offer[extended] = _number(amount, extended_schema)
            sum_of_rows += amount
        value[total] = _number(sum_of_rows, total_schema)


class Rounding(Arithmetic, kind="rounding"):
    """Sums that are right only after rounding."""

    def touches(self, value: Any) -> bool:
        return self._sums_agree(value, eq) is False and self._sums_agree(value, _nearly_equal) is True

    def probes(self, value: Any, now: datetime | None) -> Probes:
        rows, *cells, total = self.names
        for name, *prices, amount in (
            ("total-rounded-down", 1.004, 1, 1.004, 1),
            ("extended-price-rounded-down", 0.3334, 3, 1, 1),
            ("sum-of-doubles", 0.1, 3, 0.3, 0.30000000000000004),
        ):
            for first in (value.get(rows) or ())[:1]:
                offer = {**first, **dict(zip(cells, prices, strict=True))}
                yield str(name), {**value, rows: [offer], total: amount}


def _number(amount: Decimal, schema: Schema) -> float:
    """Returns the amount as a double, or as an integer if the schema allows only integers."""
    is_integer = "number" not in types_of(schema) and amount == amount.to_integral_value()
    return int(amount) if is_integer else float(amount)


def _decimal(number: float | Decimal) -> Decimal:
    """The number as it is written: 0.1 is one tenth, although a double cannot represent it."""
    return Decimal(repr(number)) if type(number) is float else Decimal(number)


def _nearly_equal(expected: Decimal, got: Decimal) -> bool:
    return abs(expected - got) <= max(_CENT, _BILLIONTH * abs(expected))


def _is_double(amount: Decimal) -> bool:
    """Returns whether a double represents the amount, so that it does not change when it is written."""
    nearest = float(amount)
    return math.isfinite(nearest) and _decimal(nearest) == amount


def _rounded_up(amount: Decimal) -> Decimal:
    """Rounds an amount with many digits up to four decimal places, or to 15 digits."""
    if _is_double(amount):
        return amount
    return amount.quantize(max(Decimal("0.0001"), Decimal(1).scaleb(amount.adjusted() - 14)), ROUND_CEILING)


def _off(amount: float, by: float) -> float:
    """Returns the amount increased by `by`. For a very large amount, returns half of the amount instead."""
    return amount + by if amount < 1e6 else amount / 2
