"""Points in time, in the one spelling that every reader of "UTC" understands (RFC 3339, 5.6, ending in Z)."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z")
_USUAL = 40  # characters; longer texts are not worth keeping


def instant(text: str) -> datetime | None:
    """The point in time that the text spells, to the second; None where it is not RFC 3339 ending in Z, or no such day is.

    A leap second, year 0 and lower-case `t` and `z` give None too: RFC 3339 has them, many readers have not.
    """
    return _instant(text) if len(text) <= _USUAL else _instant.__wrapped__(text)


@lru_cache(maxsize=1024)  # one message asks for the same point in time up to four times
def _instant(text: str) -> datetime | None:
    if not _INSTANT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
    except ValueError:
        return None


def spell(when: datetime) -> str:
    """The spelling of a point in time: RFC 3339 ending in Z, to the second."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
