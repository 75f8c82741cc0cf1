"""Generates probes with times in the near future, and with values that the target does not know."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from brokerfuzz.cases.probes.probe_context import Make, Probe, ProbeContext
from brokerfuzz.generation.edge_values import LONGEST
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW
from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.wording import counted


def _near_now(context: ProbeContext) -> Iterator[Probe]:
    """Generates times in the near future. A program usually accepts times up to 0, 30, 60, 120 or 300 seconds ahead of
    its clock. Each generated time is between two of these limits.
    """
    if context.now is None:
        return
    for seconds in (1, 45, 90, 290):
        name = f"in-{counted(seconds, 'second').replace(' ', '-')}"
        yield context.put(name, spell(context.now + timedelta(seconds=seconds)))


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


MAKERS: Mapping[str, Make] = {NEAR_NOW: _near_now, DETECTOR: _unknown}
"""Maps detectors to the functions that generate probes of their ambiguities."""
