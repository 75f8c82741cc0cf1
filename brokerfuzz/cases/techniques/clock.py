"""Points in time that are still to come."""

from collections.abc import Callable
from datetime import timedelta

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, enter
from brokerfuzz.schemas.instants import instant, spell


def _ahead(delta: timedelta, fraction: str = "") -> Callable[[Spot], Change | None]:
    """The time and as much more, where the calendar goes as far."""

    def change(spot: Spot) -> Change | None:
        try:
            return Put(spell(spot.now + delta).replace("Z", f"{fraction}Z"))
        except OverflowError:
            return None

    return change


def _then(written: str) -> Callable[[Spot], Change | None]:
    """The point in time, where it is well ahead."""
    when = instant(written)
    assert when is not None
    return lambda spot: Put(written) if when - spot.now > timedelta(days=1) else None


_DAY = timedelta(days=1)

for _name, _text, _change in (
    ("hour-ahead", "An hour from now.", _ahead(timedelta(hours=1))),
    ("day-ahead", "A day from now.", _ahead(_DAY)),
    ("year-ahead", "A year from now.", _ahead(366 * _DAY)),
    ("minutes-ahead", "Six minutes from now: no clock of a service should be as far off.", _ahead(timedelta(minutes=6))),
    ("last-year-there-is", "The last second of the year 9999.", _then("9999-12-31T23:59:59Z")),
    ("century-ahead", "A hundred years from now.", _ahead(36525 * _DAY)),
    ("past-32-bits", "The second at which a count of seconds in 32 bits wraps around.", _then("2038-01-19T03:14:08Z")),
    ("past-unsigned-32-bits", "The second at which a count of seconds in 32 bits without a sign wraps around.", _then("2106-02-07T06:28:16Z")),
    ("past-nanoseconds", "A second past the last that a count of nanoseconds in 64 bits reaches.", _then("2262-04-11T23:47:17Z")),
    ("leap-day-ahead", "A leap day of the year 9996.", _then("9996-02-29T12:00:00Z")),
    ("day-ahead-with-one-digit", "A day from now, to a tenth of a second.", _ahead(_DAY, ".1")),
    ("day-ahead-with-milliseconds", "A day from now, to a thousandth of a second.", _ahead(_DAY, ".123")),
    ("day-ahead-with-microseconds", "A day from now, to a millionth of a second.", _ahead(_DAY, ".123456")),
    ("day-ahead-with-fraction", "A day from now, to a ten-millionth of a second.", _ahead(_DAY, ".1234567")),
    ("day-ahead-with-nanoseconds", "A day from now, to a billionth of a second.", _ahead(_DAY, ".123456789")),
    ("day-ahead-with-twenty-digits", "A day from now, with twenty digits behind the seconds.", _ahead(_DAY, ".12345678901234567890")),
):
    enter(_name, _text, "not-in-future", family="clock", change=_change)
