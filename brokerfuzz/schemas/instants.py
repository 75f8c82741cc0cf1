"""Timestamps in the one format that every parser of UTC timestamps accepts (RFC 3339, 5.6, ending in Z)."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z")
_USUAL = 40  # characters; results for longer strings are not cached


def instant(text: str) -> datetime | None:
    """Parses a timestamp, to the second. Returns None if the timestamp is not in RFC 3339 format, does not end in Z, or names a day that does not
    exist.

    Leap seconds, year 0 and lower-case `t` and `z` also give None: RFC 3339 allows them, but many parsers reject them.
    """
    return _instant(text) if len(text) <= _USUAL else _instant.__wrapped__(text)


@lru_cache(maxsize=1024)  # one message needs the same timestamp up to four times
def _instant(text: str) -> datetime | None:
    if not _INSTANT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
    except ValueError:
        return None


def spell(when: datetime) -> str:
    """Formats a time, to the second, in the RFC 3339 format that ends in Z."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
