"""Generates probes whose values are ambiguous only in combination: for example, a minimum above its maximum, repeated
items, a wrong sum, or data in a failed response.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from brokerfuzz.cases.changes import Put
from brokerfuzz.cases.probes.probe_context import Make, Probe, ProbeContext


def _crossed(context: ProbeContext) -> Iterator[Probe]:
    _, first, last = context.site
    for name, low, high in (("crossed-by-one", 1, 2), ("far-crossed", 1, (1 << 31) - 1)):
        yield context.put(name, {**context.present, first: high, last: low})


def _outside(context: ProbeContext) -> Iterator[Probe]:
    _, quantities, low, high = context.site
    for name, numbers, least, most in (("below", [1], 2, 9), ("above", [10], 2, 9), ("one-of-three", [2, 9, 10], 2, 9)):
        yield context.put(name, {**context.present, quantities: numbers, low: least, high: most})


def _ends_early(context: ProbeContext) -> Iterator[Probe]:
    _, start, end = context.site
    for name, begins, ends in (
        ("before", "2024-02-29T23:59:59Z", "2020-01-01T00:00:00Z"),
        ("at-once", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
    ):
        yield context.put(name, {**context.present, start: begins, end: ends})


def _repeated(context: ProbeContext) -> Iterator[Probe]:
    items = context.present
    if not isinstance(items, list) or not items:
        return
    first = items[0]
    yield context.put("same-item", [*items, first])
    if isinstance(first, dict) and len(first) > 1:
        yield context.put("same-item-backwards", [*items, dict(reversed(first.items()))])
    key = context.site[1] if len(context.site) > 1 else None
    if key is not None and isinstance(first, dict) and isinstance(first.get(key), str):
        yield from (
            context.put("same-identifier", [*items, {**first, name: other}]) for name, other in _another(first, key)
        )


def _another(item: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    """Yields the name of a property of the item, and a new value for the property. The name is not `key`. If possible,
    the value is a number.
    """
    props = [
        name
        for name, value in item.items()
        if name != key and isinstance(value, int | float) and not isinstance(value, bool)
    ]
    texts = [name for name, value in item.items() if name != key and isinstance(value, str)]
    for name in props[:1]:
        yield name, 1 if item[name] != 1 else 2
    for name in texts[:1] if not props else ():
        yield name, f"{item[name]}-2"


def _contradicting(context: ProbeContext) -> Iterator[Probe]:
    base = context.message
    success: dict[str, Any] = {"failureMessages": [], "operationWasSuccessful": True}
    failure: dict[str, Any] = {"failureMessages": ["a"], "operationWasSuccessful": False}
    yield "success-without-data", (), Put({**base, **success, "data": None})
    yield "success-with-failures", (), Put({**base, **success, "failureMessages": ["a"]})
    if base["data"] is not None:
        yield "failure-with-data", (), Put({**base, **failure})
    yield "failure-without-message", (), Put({**base, **failure, "data": None, "failureMessages": []})


def _wrong_sums(context: ProbeContext) -> Iterator[Probe]:
    data = context.present
    offers: Sequence[Any] = data["offers"] if data else []
    total = data["totalExtendedPrice"]
    yield context.put("wrong-total", {**data, "totalExtendedPrice": _off(total, 5)})
    yield context.put("two-cents-off", {**data, "totalExtendedPrice": _off(total, 0.02)})
    if offers and total < 1e6:
        surcharged = [{**offers[0], "extendedPrice": _off(offers[0]["extendedPrice"], 5)}, *offers[1:]]
        yield context.put("surcharge-beside-the-total", {**data, "offers": surcharged})


def _rounded_sums(context: ProbeContext) -> Iterator[Probe]:
    data = context.present
    if not data or not data["offers"]:
        return
    first = data["offers"][0]
    for name, unit, quantity, extended, total in (
        ("total-rounded-down", 1.004, 1, 1.004, 1),
        ("extended-price-rounded-down", 0.3334, 3, 1, 1),
        ("sum-of-doubles", 0.1, 3, 0.3, 0.30000000000000004),
    ):
        offer = {**first, "unitPrice": unit, "quantity": quantity, "extendedPrice": extended}
        yield context.put(name, {**data, "offers": [offer], "totalExtendedPrice": total})


def _off(amount: float, by: float) -> float:
    """Returns the amount increased by `by`. For a very large amount, returns half of the amount instead."""
    return amount + by if amount < 1e6 else amount / 2


MAKERS: Mapping[str, Make] = {
    "ordered_numbers": _crossed,
    "within_range": _outside,
    "ordered_instants": _ends_early,
    "distinct": _repeated,
    "envelope": _contradicting,
    "arithmetic": _wrong_sums,
    "rounding": _rounded_sums,
}
"""Maps each detector (the name of a function that finds an ambiguity) to the function that generates probes of the
ambiguity.
"""
