"""Requests a second, and no more."""

import asyncio
from time import monotonic


class Pacer:
    """Gives turns, `rate` of them a second at the most; None is no limit. Time that nobody used is not made up for."""

    def __init__(self, rate: float | None) -> None:
        self.limited = rate is not None
        self._interval = 1 / rate if rate else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Waits for the next turn."""
        now = monotonic()
        mine = max(self._next, now)
        self._next = mine + self._interval
        if mine > now:
            await asyncio.sleep(mine - now)
