"""Questions about responses: the success that they report, and the sums of prices."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from operator import eq
from typing import Any, ClassVar

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


class Envelope(Question, kind="envelope"):
    """A response that reports success without data, or failure without a reason."""

    needs_null: ClassVar = {("failureMessages", 0): ("data",)}
    computed = (("operationWasSuccessful",), ("failureMessages", 0))

    @property
    def reads(self) -> Types:
        return {(): OBJECT, ("data",): ANYTHING, ("failureMessages",): LIST, ("operationWasSuccessful",): FLAG}

    def touches(self, value: Any) -> bool:
        failures = value.get("failureMessages")
        has_data = value.get("data") is not None
        return not has_data or failures != [] if value.get("operationWasSuccessful") else has_data or not failures

    def repair(self, value: Any, free: Freedom) -> None:
        failed = value.get("data") is None
        messages = (value.get("failureMessages") or ["a"]) if failed else []
        for name, right in (("operationWasSuccessful", not failed), ("failureMessages", messages)):
            if name in value and (name,) not in free.pinned:
                value[name] = right

    def probes(self, value: Any, now: datetime | None) -> Probes:
        success = {**value, "failureMessages": [], "operationWasSuccessful": True}
        failure = {**value, "failureMessages": ["a"], "operationWasSuccessful": False}
        yield "success-without-data", {**success, "data": None}
        yield "success-with-failures", {**success, "failureMessages": ["a"]}
        if value.get("data") is not None:
            yield "failure-with-data", failure
        yield "failure-without-message", {**failure, "data": None, "failureMessages": []}


_ROW = ("unitPrice", "quantity", "extendedPrice")
_CENT, _BILLIONTH = Decimal("0.005"), Decimal("1e-9")
_EXACT = Context(prec=1000)
"""Sums of doubles have fewer than 700 significant digits, so they are exact."""
_LARGEST_INTEGER = 2**53
"""The largest integer up to which doubles represent every integer."""


class Arithmetic(Question, kind="arithmetic"):
    """A sum that is wrong by more than rounding can explain."""

    computed = (("totalExtendedPrice",), ("offers", 0, "extendedPrice"))

    @property
    def reads(self) -> Types:
        prices = (("totalExtendedPrice",), *(("offers", 0, name) for name in _ROW))
        return {(): OBJECT, ("offers",): LIST, ("offers", 0): OBJECT, **dict.fromkeys(prices, NUMBER)}

    def touches(self, value: Any) -> bool:
        return _sums_agree(value, _nearly_equal) is False

    def repair(self, value: Any, free: Freedom) -> None:
        """Adds up the prices. They stay as they are if the user has pinned one of them."""
        if self.touches(value) and self.reads.keys().isdisjoint(free.pinned):
            with localcontext(_EXACT):
                _add_up(value, free.schema["properties"])

    def probes(self, value: Any, now: datetime | None) -> Probes:
        offers: Sequence[Any] = value.get("offers") or ()
        total = value.get("totalExtendedPrice")
        if total is None:
            return
        yield "wrong-total", {**value, "totalExtendedPrice": _off(total, 5)}
        yield "two-cents-off", {**value, "totalExtendedPrice": _off(total, 0.02)}
        if offers and total < 1e6:
            surcharged = {**offers[0], "extendedPrice": _off(offers[0]["extendedPrice"], 5)}
            yield "surcharge-beside-the-total", {**value, "offers": [surcharged, *offers[1:]]}


class Rounding(Arithmetic, kind="rounding"):
    """Sums that are right only after rounding."""

    def touches(self, value: Any) -> bool:
        return _sums_agree(value, eq) is False and _sums_agree(value, _nearly_equal) is True

    def probes(self, value: Any, now: datetime | None) -> Probes:
        offers = value.get("offers")
        if not offers:
            return
        for name, unit, quantity, extended, total in (
            ("total-rounded-down", 1.004, 1, 1.004, 1),
            ("extended-price-rounded-down", 0.3334, 3, 1, 1),
            ("sum-of-doubles", 0.1, 3, 0.3, 0.30000000000000004),
        ):
            offer = {**offers[0], "unitPrice": unit, "quantity": quantity, "extendedPrice": extended}
            yield name, {**value, "offers": [offer], "totalExtendedPrice": total}


def _sums_agree(value: Any, equal: Callable[[Decimal, Decimal], bool]) -> bool | None:
    """Returns whether the sums of a pricing response are right, or None if a price is missing or is not a number.

    The contract adds surcharges, which are not in the message, to unit price * quantity. So a higher extended price is
    valid.
    """
    offers, total = value.get("offers"), value.get("totalExtendedPrice")
    if not isinstance(offers, list) or not all(isinstance(offer, dict) for offer in offers):
        return None
    rows = [[offer.get(name) for name in _ROW] for offer in offers]
    if not all(type(cell) in NUMBERS for row in (*rows, [total]) for cell in row):
        return None
    with localcontext(_EXACT):
        prices = [tuple(map(_decimal, row)) for row in rows]
        agree = all(
            extended >= unit * quantity or equal(unit * quantity, extended) for unit, quantity, extended in prices
        )
        return agree and equal(sum((extended for _, _, extended in prices), Decimal(0)), _decimal(total))


def _add_up(data: dict[str, Any], props: Schema) -> None:
    total_schema, extended_schema = props["totalExtendedPrice"], props["offers"]["items"]["properties"]["extendedPrice"]
    are_integers = not all("number" in types_of(schema) for schema in (total_schema, extended_schema))

    def fits(amount: Decimal) -> bool:
        return _is_double(amount) and not (are_integers and amount > _LARGEST_INTEGER)

    least = extended_schema.get("minimum", 0)
    total = Decimal(0)
    for offer in data["offers"]:
        quantity = _decimal(offer["quantity"])
        extended = _rounded_up(_decimal(offer["unitPrice"]) * quantity)
        if extended < least or offer["extendedPrice"] != 1:  # a higher amount contains a surcharge, except the plain 1
            extended = max(extended, _decimal(offer["extendedPrice"]))
        if not fits(extended) or not fits(total + extended):
            extended = quantity if fits(total + quantity) else Decimal(0)
            offer["unitPrice"] = 1 if extended else 0
        offer["extendedPrice"] = _number(extended, extended_schema)
        total += extended
    data["totalExtendedPrice"] = _number(total, total_schema)


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
