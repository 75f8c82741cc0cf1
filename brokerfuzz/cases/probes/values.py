"""Generates probes with values whose meaning the contract leaves open: strings in several notations, values that are
ambiguous only in combination (such as a minimum above its maximum), and values that the target does not know.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from brokerfuzz.cases.changes import Put
from brokerfuzz.cases.probes.probe_context import Make, Probe, ProbeContext, spelled
from brokerfuzz.generation.ambiguous_values import CRONS, NAMES, TIMES, URLS
from brokerfuzz.generation.edge_values import LONGEST
from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.instants import spell, timestamp
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.wording import counted

# ---------------------------------------------------------------------------------------------- notations of strings


def _times(context: ProbeContext) -> Iterator[Probe]:
    """Generates times in one notation: the option `spelling` of the ambiguity."""
    spelling = context.ambiguity.options["spelling"]
    times, now = dict(TIMES), context.now
    if now is not None:
        for name, (hours, offset) in OFFSETS.items():
            times[name] = spell(now + timedelta(hours=hours)).removesuffix("Z") + offset
    for name, value in times.items():
        if timestamp(value).spellings[0] == spelling:
            yield context.put(name, value)


OFFSETS = {"behind-by-offset": (4, "+05:00"), "behind-without-zone": (-1, "")}
"""Two notations of the time one hour ago. Each entry contains the number of hours to add to the current UTC time, and
the time zone to write after the result. For example, four hours later in the zone `+05:00` is one hour ago in UTC.
"""


def _near_now(context: ProbeContext) -> Iterator[Probe]:
    """Generates times in the near future. A program usually accepts times up to 0, 30, 60, 120 or 300 seconds ahead of
    its clock. Each generated time is between two of these limits.
    """
    if context.now is None:
        return
    for seconds in (1, 45, 90, 290):
        name = f"in-{counted(seconds, 'second').replace(' ', '-')}"
        yield context.put(name, spell(context.now + timedelta(seconds=seconds)))


# --------------------------------------------------------------------------------------------------- combined values


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
    """Yields another property of the item than `key`, with a new value. Numbers are preferred."""
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


# --------------------------------------------------------------------------------------------------- unknown values

_TEXTS: Mapping[str, str] = {
    "word": "unknown", "empty": "", "blank": " ", "digits": "0", "null-string": "null", "longest": "a" * LONGEST,
    "letters-beyond-ascii": "\u00e9\u6f22", "control-characters": "\t\n", "quote": "'",
}  # fmt: skip
_INTEGERS: Mapping[str, int] = {"zero": 0, "one": 1, "negative": -1, "highest": (1 << 31) - 1}
_NUMBERS: Mapping[str, float] = {**_INTEGERS, "fraction": 0.5}


def _unknown(context: ProbeContext) -> Iterator[Probe]:
    """Generates extreme values, and values similar to a known one."""
    known = context.schema.get(KNOWN) or context.schema.get("enum", ())
    for name, value in {**_extreme(context), **_similar(known[0] if known else None)}.items():
        if value not in known:
            yield context.put(name, value)


def _extreme(context: ProbeContext) -> Mapping[str, Any]:
    types = types_of(context.schema)
    return _TEXTS if "string" in types else _NUMBERS if "number" in types else _INTEGERS if "integer" in types else {}


def _similar(known: Any) -> Mapping[str, Any]:
    if isinstance(known, str):
        changed = {"other-case": known.swapcase(), "padded": f" {known} ", "with-suffix": f"{known}-0"}
        return {**changed, "without-end": known[:-1]} if len(known) > 1 else changed
    return {"one-more": known + 1} if isinstance(known, int | float) and not isinstance(known, bool) else {}


MAKERS: Mapping[str, Make] = {
    "timestamp": _times,
    "near_now": _near_now,
    "cron": spelled(CRONS),
    "url": spelled(URLS),
    "name": spelled(NAMES),
    "ordered_numbers": _crossed,
    "within_range": _outside,
    "ordered_instants": _ends_early,
    "distinct": _repeated,
    "envelope": _contradicting,
    "arithmetic": _wrong_sums,
    "rounding": _rounded_sums,
    DETECTOR: _unknown,
}
"""Maps each detector (the name of a function that finds an ambiguity) to the function that generates probes of the
ambiguity.
"""
