"""Parses timestamps: the usual format, and other notations that only some programs accept.

The usual format is RFC 3339 (section 5.6) in whole seconds with Z at the end. The contract does not define the format
of timestamps. A timestamp in any other notation touches an ambiguity: a program may parse or reject it.
"""

import re
from datetime import MAXYEAR, UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

OFFSET, NO_ZONE, LOWER_CASE, SPACE, DATE_ONLY = "offset", "no-zone", "lower-case", "space", "date-only"
FRACTION, LEAP_SECOND, EARLY_YEAR, OTHER = "fraction", "leap-second", "early-year", "other"
SPELLINGS = (OFFSET, NO_ZONE, LOWER_CASE, SPACE, DATE_ONLY, FRACTION, LEAP_SECOND, EARLY_YEAR, OTHER)
"""The notations that differ from the usual format. One timestamp can combine several of these notations."""

_PARTS = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:(?P<t>[Tt ])(?P<time>(?:[01][0-9]|2[0-3]):[0-5][0-9]):(?P<second>[0-5][0-9]|60)(?:\.(?P<fraction>[0-9]+))?"
    r"(?P<zone>[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?"
)
_DATE = re.compile(r"\s*\+?0{0,4}([0-9]{4,6})(?:-([0-9]{2})-([0-9]{2})|([0-9]{2})([0-9]{2})T)")
_DAY = 24 * 60 * 60
_EARLIEST_YEAR = 1753
"""The first year that every common date type can represent. SQL Server's `datetime` begins with this year."""


class Moment(NamedTuple):
    """A point in time: a second, and the exact digits of its fraction."""

    second: datetime
    fraction: str = ""

    @classmethod
    def of(cls, when: datetime) -> "Moment":
        return cls(when.replace(microsecond=0), f"{when.microsecond:06}".rstrip("0"))

    def after(self, seconds: int) -> "Moment":
        """Returns the moment that is later by `seconds`, or the first or last moment that Python can represent."""
        try:
            return Moment(self.second + timedelta(seconds=seconds), self.fraction)
        except OverflowError:
            return _LAST if seconds > 0 else _FIRST


_FIRST = Moment(datetime.min.replace(tzinfo=UTC))
_LAST = Moment(datetime.max.replace(tzinfo=UTC))


class Timestamp(NamedTuple):
    """A parsed timestamp. `spellings` lists the differences from the usual format. `earliest` and `latest` limit the
    moments that a program which parses the timestamp can mean. They are None if there is no limit.
    """

    spellings: tuple[str, ...]
    earliest: Moment | None = None
    latest: Moment | None = None


@lru_cache(maxsize=64)  # a timestamp in a message is parsed up to four times
def timestamp(text: str) -> Timestamp:
    """Parses a timestamp. A timestamp without a time zone is in UTC. A date without a time means midnight. A leap
    second is equal to the second after it, because few programs know the past leap seconds, and nobody knows the
    future ones.
    """
    parts = _PARTS.fullmatch(text)
    moment = _moment(parts) if parts is not None else None
    if parts is None or moment is None:
        return _other(text)
    t, zone = parts["t"] or "", parts["zone"] or ""
    has_spelling = {
        OFFSET: zone[:1] in ("+", "-") and bool(zone),
        NO_ZONE: bool(t) and not zone,
        LOWER_CASE: t == "t" or zone == "z",
        SPACE: t == " ",
        DATE_ONLY: not t,
        FRACTION: parts["fraction"] is not None,
        LEAP_SECOND: parts["second"] == "60",
        EARLY_YEAR: moment.second.year < _EARLIEST_YEAR,
    }
    spellings = tuple(spelling for spelling, has in has_spelling.items() if has)
    return Timestamp(spellings, moment, moment)


def _other(text: str) -> Timestamp:
    """Returns the limits of text such as `2999-12-31T23:59Z`. The time zone can be any, so they are a day before the
    date with which the text begins, and a day after this date.
    """
    date_parts = _DATE.match(text)
    if date_parts is None:
        return Timestamp((OTHER,))
    year, month, day = (int(part) for part in date_parts.groups() if part is not None)
    try:
        date = Moment(datetime(year, month, day, tzinfo=UTC))
    except ValueError:
        return Timestamp((OTHER,), _LAST if year > MAXYEAR else None)
    return Timestamp((OTHER,), date.after(-_DAY), date.after(2 * _DAY))


def _moment(parts: "re.Match[str]") -> Moment | None:
    """Returns None if the day, the year or the leap second cannot exist."""
    time, second, zone = parts["time"] or "00:00", int(parts["second"] or 0), (parts["zone"] or "Z").upper()
    try:
        when = datetime.fromisoformat(f"{parts['date']}T{time}:00{zone}").astimezone(UTC)
        when += timedelta(seconds=second)
    except (ValueError, OverflowError):
        return None
    if second == 60 and (when.hour, when.minute) != (0, 0):
        return None
    return Moment(when, (parts["fraction"] or "").rstrip("0"))


def instant(text: str) -> datetime | None:
    """Parses a timestamp in the usual format. Returns None for any other string."""
    spellings, moment, _ = timestamp(text)
    return moment.second if moment is not None and not spellings else None


def spell(when: datetime) -> str:
    """Formats a time in the usual format, in whole seconds."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
