"""Limits and measures how fast messages are sent."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic


@dataclass
class Timing:
    """`latencies` counts the answers for each latency in seconds, which has three digits, so that long campaigns need
    no more memory. `pauses` counts how often the target asked brokerfuzz to wait. `seconds_away` is how long it was
    down in all outages after which it worked again.
    """

    latencies: Counter[float] = field(default_factory=Counter)
    pauses: int = 0
    seconds_away: float = 0.0

    def add(self, seconds: float) -> None:
        self.latencies[float(f"{seconds:.2e}")] += 1

    def quantiles(self, *shares: float) -> list[float]:
        """Returns the latencies (in seconds) within which these shares of the answers (0 to 1) arrived, or zeros if
        there are no answers.
        """
        return [self._quantile(share * self.latencies.total()) for share in shares]

    def _quantile(self, wanted: float) -> float:
        """Returns the latency within which the `wanted` number of answers arrived."""
        answers = 0
        for seconds, count in sorted(self.latencies.items()):
            answers += count
            if answers >= wanted:
                return seconds
        return 0.0


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
