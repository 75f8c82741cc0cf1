"""Defines techniques for times that must not be in the future."""

from datetime import timedelta

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import CLOCK, ChangeOf, FaultContext, register_rows
from brokerfuzz.generation.edge_values import LATEST_NOW
from brokerfuzz.schemas.instants import spell, timestamp

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


def _ahead(delta: timedelta, end: str = "Z") -> ChangeOf:
    """Adds a duration to the current time, and writes the result with these decimal digits or this time zone. The
    technique does not apply if the result is after the year 9999.
    """

    def change(context: FaultContext) -> Change | None:
        if context.now is None:
            return None
        try:
            return Put(spell(context.now + delta).removesuffix("Z") + end)
        except OverflowError:
            return None

    return change


def _fixed(written: str) -> ChangeOf:
    """Replaces the time with `written`, if `written` is more than a day after the current time. If the current time is
    unknown, the latest supported time counts as the current time.
    """
    moment = timestamp(written).earliest
    assert moment is not None
    return lambda context: Put(written) if moment.second - (context.now or LATEST_NOW) > _DAY else None


register_rows(
    "not-in-future",
    family=CLOCK,
    rows=[
        ("hour-ahead", "One hour in the future.", _ahead(_HOUR)),
        ("day-ahead", "One day in the future.", _ahead(_DAY)),
        ("minutes-ahead", "Six minutes in the future: more than the usual tolerances.", _ahead(timedelta(minutes=6))),
        ("last-year-there-is", "The last second of the year 9999.", _fixed("9999-12-31T23:59:59Z")),
        (
            "last-year-with-offset",
            "The last second of the year 9999, with +00:00.",
            _fixed("9999-12-31T23:59:59+00:00"),
        ),
        ("last-year-without-zone", "The last second of the year 9999, without a zone.", _fixed("9999-12-31T23:59:59")),
        ("last-day-there-is", "The last day of the year 9999, without a time.", _fixed("9999-12-31")),
        ("hour-ahead-by-offset", "One hour in the future, in a zone behind UTC.", _ahead(-4 * _HOUR, "-05:00")),
        ("day-ahead-with-milliseconds", "One day in the future, with milliseconds.", _ahead(_DAY, ".123Z")),
        ("day-ahead-with-nanoseconds", "One day in the future, with nanoseconds.", _ahead(_DAY, ".123456789Z")),
        # these two stop applying in 2038 and 2262, so they are the last
        ("past-32-bits", "The first second beyond 32-bit counts of seconds.", _fixed("2038-01-19T03:14:08Z")),
        ("past-nanoseconds", "The first second beyond 64-bit counts of nanoseconds.", _fixed("2262-04-11T23:47:17Z")),
    ],
)
