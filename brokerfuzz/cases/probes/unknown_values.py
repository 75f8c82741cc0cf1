"""Generates probes with values that the target does not know, according to the reference data (see
`schemas.known_values`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from brokerfuzz.cases.probes.probe_context import Make, Probe, ProbeContext
from brokerfuzz.schemas.flattening import KNOWN, ROWS, types_of
from brokerfuzz.schemas.known_values import DETECTOR, columns

_TEXTS: Mapping[str, str] = {
    "word": "unknown", "empty": "", "blank": " ", "digits": "0", "null-string": "null", "longest": "a" * 1024,
    "letters-beyond-ascii": "\u00e9\u6f22", "control-characters": "\t\n", "quote": "'",
}  # fmt: skip
_INTEGERS: Mapping[str, int] = {"zero": 0, "one": 1, "negative": -1, "highest": (1 << 31) - 1}
_NUMBERS: Mapping[str, float] = {**_INTEGERS, "fraction": 0.5}


def _unknown(context: ProbeContext) -> Iterator[Probe]:
    """Generates extreme values, and values that are similar to a known value. If the reference data lists rows
    (combinations of values) for an object, generates objects that mix the values of two rows.
    """
    if ROWS in context.schema:
        yield from _mixed(context)
        return
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


def _mixed(context: ProbeContext) -> Iterator[Probe]:
    """Generates objects in which one value comes from another row of the reference data."""
    rows, there = context.schema[ROWS], context.present
    for name in columns(rows):
        if (
            other := next((row[name] for row in rows if name in row and row[name] != there.get(name)), None)
        ) is not None and name in there:
            yield context.put(f"{name}-of-another-row", {**there, name: other})


MAKERS: Mapping[str, Make] = {DETECTOR: _unknown}
"""Maps each detector (the name of a function that finds an ambiguity) to the function that generates probes of the
ambiguity.
"""
