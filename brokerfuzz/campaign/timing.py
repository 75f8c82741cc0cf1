"""Measures how long the target needs for its answers. The measurements need little memory for any number of answers."""

from collections import Counter
from dataclasses import dataclass, field
from math import frexp

STEPS = 4
"""The number of latency classes from 1 s to 2 s (the first class ends at 1.25 s), from 2 s to 4 s, and so on. Reports
show the upper limit of a class, which is at most 25 % too high.
"""
_FASTEST = 1e-6  # seconds


@dataclass
class Timing:
    """Counts answers by their latency."""

    buckets: Counter[int] = field(default_factory=Counter)
    least: float = float("inf")
    most: float = 0.0
    pauses: int = 0
    """How often the target asked brokerfuzz to wait."""
    paused: float = 0.0
    """How many seconds the messages have waited altogether because of this."""

    def add(self, seconds: float) -> None:
        self.buckets[_bucket(seconds)] += 1
        self.least, self.most = min(self.least, seconds), max(self.most, seconds)

    def quantile(self, share: float) -> float:
        """Returns the latency (in seconds) within which the given `share` of the answers (0 to 1) arrived. Returns 0 if
        there are no answers.
        """
        wanted = share * self.buckets.total()
        seen = 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= wanted:
                return min(_edge(bucket), self.most)
        return 0.0


def _bucket(seconds: float) -> int:
    mantissa, exponent = frexp(max(seconds, _FASTEST))
    return exponent * STEPS + int((mantissa - 0.5) * 2 * STEPS)


def _edge(bucket: int) -> float:
    exponent, part = divmod(bucket, STEPS)
    return (0.5 + (part + 1) / (2 * STEPS)) * 2.0**exponent
