"""Waits for a target that is not ready, or that asked brokerfuzz to wait (see `Answer.pause`)."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic

from brokerfuzz.targets.answers import Answer, AnswerKind

LONGEST_WAIT = 120.0
"""The default limit, in seconds, for waiting until a target is ready."""
FIRST_PAUSE = 0.25
"""The number of seconds until the first repetition. Each further pause is twice as long."""
LONGEST_PAUSE = 5.0
"""Only a target that asks for it gets a longer pause."""

_TOO_MANY, _UNAVAILABLE = 429, 503
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


async def repeated(
    send: Callable[[], Awaitable[Answer]],
    is_enough: Callable[[Answer], bool],
    seconds: float,
    answer: Answer,
    on_pause: Callable[[Answer, float], None] = lambda _, __: None,
) -> Answer:
    """Sends a message again after longer and longer pauses, because it got the insufficient `answer`. Returns the first
    answer that `is_enough` accepts. Returns the last answer if the time limit of `seconds` is over, or if the target
    asks for a pause that would exceed the limit. Calls `on_pause` with the answer and the length of each pause.
    """
    deadline = monotonic() + seconds
    for usual in pauses(seconds):
        wanted = answer.pause or 0.0
        if is_enough(answer) or wanted > deadline - monotonic():
            break
        pause = max(wanted, usual)
        on_pause(answer, pause)
        await asyncio.sleep(pause)
        answer = await send()
    return answer


def pauses(seconds: float) -> Iterator[float]:
    """Yields longer and longer pauses, as long as the time limit of `seconds` is not over."""
    deadline = monotonic() + seconds
    usual = FIRST_PAUSE
    while (left := deadline - monotonic()) > 0:
        yield min(usual, left)
        usual = min(2 * usual, LONGEST_PAUSE)


def pause_of(status: int, retry_after: str | None) -> float | None:
    """Returns how many seconds a response asks brokerfuzz to wait, or None if it does not. Status 429 asks for a pause
    even without the header `Retry-After`. If the header is missing or invalid, or contains a date in the past, the
    pause is 0, and `repeated` waits longer and longer.
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


def postponed(answer: Answer, pause: float) -> Answer:
    """Returns the answer that says nothing about the message, because the target asked for a pause."""
    duration = f" for {pause:.0f} s" if pause >= 1 else ""
    reason = f"asked brokerfuzz to wait{duration} with status {answer.status}"
    kind: AnswerKind = "timeout" if answer.status == _TOO_MANY else "crashed"
    return answer._replace(kind=kind, reason=reason, reached=False, pause=pause)
