"""Finds out how long a response asks brokerfuzz to wait before the next message."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TOO_MANY = 429
_UNAVAILABLE = 503
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def pause_of(status: int, retry_after: str | None) -> float | None:
    """Returns how many seconds a response asks brokerfuzz to wait, or None if it does not. Status 429 asks for a pause
    even without the header `Retry-After`. If the header is missing or invalid, or contains a date in the past, the
    pause is 0, and the pauses become longer and longer.
    """
    if status == TOO_MANY or (status == _UNAVAILABLE and retry_after is not None):
        return _seconds_until(retry_after or "")
    return None


def _seconds_until(retry_after: str) -> float:
    if _SECONDS.fullmatch(retry_after.strip()):
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return 0.0
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
