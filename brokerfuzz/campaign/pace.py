"""Limits how fast messages are sent."""

import asyncio
from time import monotonic


class RateLimiter:
    """Allows at most `rate` requests per second (None: no limit). Two requests start at least 1 / `rate` seconds apart,
    also after a pause.
    """

    def __init__(self, rate: float | None) -> None:
        self._interval = 1 / rate if rate else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        now = monotonic()
        mine = max(self._next, now)
        self._next = mine + self._interval
        if mine > now:
            await asyncio.sleep(mine - now)

    def pause(self, seconds: float) -> None:
        self._next = max(self._next, monotonic() + seconds)
