"""Generates probes with strings whose syntax the contract does not define: times, schedules, URLs and names."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from brokerfuzz.cases.probes.probe_context import Make, Probe, ProbeContext, spelled
from brokerfuzz.generation.ambiguous_values import CRONS, NAMES, TIMES, URLS
from brokerfuzz.schemas.instants import spell, timestamp
from brokerfuzz.wording import counted


def _times(context: ProbeContext) -> Iterator[Probe]:
    """Generates times in one notation: the option `spelling` of the ambiguity."""
    spelling = context.ambiguity.options["spelling"]
    now = context.now
    moving = (
        {
            name: spell(now + timedelta(hours=hours)).removesuffix("Z") + offset
            for name, (hours, offset) in OFFSETS.items()
        }
        if now
        else {}
    )
    for name, value in {**TIMES, **moving}.items():
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
        yield context.put(
            f"in-{counted(seconds, 'second').replace(' ', '-')}", spell(context.now + timedelta(seconds=seconds))
        )


MAKERS: Mapping[str, Make] = {
    "timestamp": _times,
    "near_now": _near_now,
    "cron": spelled(CRONS),
    "url": spelled(URLS),
    "name": spelled(NAMES),
}
"""Maps each detector (the name of a function that finds an ambiguity) to the function that generates probes of the
ambiguity.
"""
