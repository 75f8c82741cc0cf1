"""Waits for a target that is not ready, or that asked brokerfuzz to wait (see `Answer.pause`)."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from brokerfuzz.targets.answers import Answer

LONGEST_WAIT = 120.0
"""The default limit, in seconds, for waiting until a target is ready."""
FIRST_PAUSE = 0.25
"""The number of seconds until the first repetition. Each further pause is twice as long."""
LONGEST_PAUSE = 5.0
"""Only a target that asks for it gets a longer pause."""


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
