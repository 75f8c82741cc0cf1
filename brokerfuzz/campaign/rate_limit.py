import asyncio
from time import monotonic


class RateLimiter:
    """Allows at most `rate` requests per second (None: no limit). After a pause, the limit still applies, so delayed requests are
    not sent all at once.
    """

    def __init__(self, rate: float | None) -> None:
        self.limited = rate is not None
        self._interval = 1 / rate if rate else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        """Waits until the next request is allowed."""
        now = monotonic()
        mine = max(self._next, now)
        self._next = mine + self._interval
        if mine > now:
            await asyncio.sleep(mine - now)
