"""Waits for a target that is not ready, or that asked brokerfuzz to wait (see `Answer.pause`)."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic

from brokerfuzz.targets.answers import Answer, AnswerKind
from brokerfuzz.targets.http_messages import Response

LONGEST_WAIT = 120.0
"""The default limit, in seconds, for waiting until a target is ready."""
FIRST_PAUSE = 0.25
"""The number of seconds until the first repetition. Each further pause is twice as long."""
LONGEST_PAUSE = 5.0
"""Only a target that asks for it gets a longer pause."""

_TOO_MANY, _UNAVAILABLE = 429, 503
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


class Deadline:
    """The end of the time in which brokerfuzz sends a message again, after longer and longer pauses."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds
        self._usual = FIRST_PAUSE

    def pause(self, wanted: float | None = None) -> float | None:
        """Returns the length of the next pause, in seconds: at least the `wanted` one. Returns None if the time is
        over, or if the pause would exceed it.
        """
        remaining = self._end - monotonic()
        if remaining <= 0 or (wanted or 0.0) > remaining:
            return None
        pause = max(wanted or 0.0, min(self._usual, remaining))
        self._usual = min(2 * self._usual, LONGEST_PAUSE)
        return pause


async def sent_patiently(send: Callable[[], Awaitable[Answer]], seconds: float) -> Answer:
    """Sends a message again as long as the target asks for a pause, until the time limit of `seconds` is over."""
    deadline = Deadline(seconds)
    answer = await send()
    while answer.pause is not None and (pause := deadline.pause(answer.pause)) is not None:
        await asyncio.sleep(pause)
        answer = await send()
    return answer


def _pause_of(status: int, retry_after: str | None) -> float | None:
    """Returns how many seconds a response asks brokerfuzz to wait, or None if it does not. Status 429 asks for a pause
    even without the header `Retry-After`. If the header is missing or invalid, or contains a date in the past, the
    pause is 0, and the pauses become longer and longer.
    """
    if status == _TOO_MANY or (status == _UNAVAILABLE and retry_after is not None):
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


def postponed(answer: Answer, response: Response) -> Answer:
    """If the response asks for a pause, returns an answer that says nothing about the message."""
    pause = _pause_of(response.status, response.header("retry-after"))
    if pause is None:
        return answer
    duration = f" for {pause:.0f} s" if pause >= 1 else ""
    reason = f"asked brokerfuzz to wait{duration} with status {answer.status}"
    kind: AnswerKind = "timeout" if answer.status == _TOO_MANY else "crashed"
    return answer._replace(kind=kind, reason=reason, reached=False, pause=pause)
