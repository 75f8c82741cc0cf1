"""Defines techniques for times that must not be in the future."""

from datetime import timedelta

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import CLOCK, ChangeOf, FaultContext, register_technique
from brokerfuzz.generation.value_pools import LATEST_NOW
from brokerfuzz.schemas.instants import spell, timestamp


def _ahead(delta: timedelta, fraction: str = "") -> ChangeOf:
    """Returns a technique that adds `delta` to the current time. The technique does not apply if the result is after
    the year 9999.
    """

    def change(context: FaultContext) -> Change | None:
        if context.now is None:
            return None
        try:
            return Put(spell(context.now + delta).replace("Z", f"{fraction}Z"))
        except OverflowError:
            return None

    return change


def _at(hours: int, offset: str) -> ChangeOf:
    """Returns a technique that writes a time with the time zone `offset`. The written local time is the current UTC
    time plus `hours`.
    """
    return lambda context: (
        Put(spell(context.now + timedelta(hours=hours)).removesuffix("Z") + offset) if context.now else None
    )


def _fixed(written: str) -> ChangeOf:
    """Returns a technique that replaces the time with `written`. The technique applies only if `written` is more than a
    day after the current time. If the current time is unknown, the latest supported time counts as the current time.
    """
    moment = timestamp(written).moment
    assert moment is not None
    return lambda context: Put(written) if moment.second - (context.now or LATEST_NOW) > timedelta(days=1) else None


_DAY = timedelta(days=1)

for _name, _text, _change in (
    ("hour-ahead", "One hour in the future.", _ahead(timedelta(hours=1))),
    ("day-ahead", "One day in the future.", _ahead(_DAY)),
    ("year-ahead", "One year in the future.", _ahead(366 * _DAY)),
    (
        "minutes-ahead",
        "Six minutes in the future, which is more than the usual clock tolerances.",
        _ahead(timedelta(minutes=6)),
    ),
    ("last-year-there-is", "The last second of the year 9999.", _fixed("9999-12-31T23:59:59Z")),
    (
        "last-year-with-offset",
        "The last second of the year 9999, with the offset +00:00.",
        _fixed("9999-12-31T23:59:59+00:00"),
    ),
    (
        "last-year-in-lower-case",
        "The last second of the year 9999, with lower-case letters.",
        _fixed("9999-12-31t23:59:59z"),
    ),
    ("last-year-without-zone", "The last second of the year 9999, without a time zone.", _fixed("9999-12-31T23:59:59")),
    ("last-day-there-is", "The last day of the year 9999, without a time.", _fixed("9999-12-31")),
    ("hour-ahead-by-offset", "One hour in the future, written in a time zone behind UTC.", _at(-4, "-05:00")),
    ("century-ahead", "One hundred years in the future.", _ahead(36525 * _DAY)),
    ("leap-day-ahead", "February 29 of the year 9996.", _fixed("9996-02-29T12:00:00Z")),
    # The next three techniques stop applying in 2038, 2106 and 2262. They follow all other fixed times, so those keep
    # their positions.
    (
        "past-32-bits",
        "The first second in 2038 that a signed 32-bit count of seconds cannot represent.",
        _fixed("2038-01-19T03:14:08Z"),
    ),
    (
        "past-unsigned-32-bits",
        "The first second in 2106 that an unsigned 32-bit count of seconds cannot represent.",
        _fixed("2106-02-07T06:28:16Z"),
    ),
    (
        "past-nanoseconds",
        "The first second in 2262 that a signed 64-bit count of nanoseconds cannot represent.",
        _fixed("2262-04-11T23:47:17Z"),
    ),
    ("day-ahead-with-one-digit", "One day in the future, with tenths of a second.", _ahead(_DAY, ".1")),
    ("day-ahead-with-milliseconds", "One day in the future, with milliseconds.", _ahead(_DAY, ".123")),
    ("day-ahead-with-microseconds", "One day in the future, with microseconds.", _ahead(_DAY, ".123456")),
    (
        "day-ahead-with-fraction",
        "One day in the future, with seven decimal digits in the seconds.",
        _ahead(_DAY, ".1234567"),
    ),
    ("day-ahead-with-nanoseconds", "One day in the future, with nanoseconds.", _ahead(_DAY, ".123456789")),
    (
        "day-ahead-with-twenty-digits",
        "One day in the future, with twenty decimal digits in the seconds.",
        _ahead(_DAY, ".12345678901234567890"),
    ),
):
    register_technique(_name, _text, "not-in-future", family=CLOCK, change=_change)
