"""Limits the number of requests per second."""

import asyncio
from time import monotonic


class RateLimiter:
    """Allows at most `rate` requests per second. None means no limit. After a pause, requests are not sent faster to make up for it."""

    def __init__(self, rate: float | None) -> None:
        self.limited = rate is not None
        self._interval = 1 / rate if rate else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        """Waits until the next request may be sent."""
        now = monotonic()
        mine = max(self._next, now)
        self._next = mine + self._interval
        if mine > now:
            await asyncio.sleep(mine - now)
