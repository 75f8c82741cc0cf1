"""Measures how long the target needs for its answers, and how many answers arrive per second. The measurements need
little memory for any number of answers.
"""

from collections import Counter
from dataclasses import dataclass, field
from math import frexp

SPANS = 200
FIRST_SPAN = 0.25
"""The initial length of an interval, in seconds. If a campaign needs more than `SPANS` intervals, neighbouring
intervals are merged in pairs.
"""
STEPS = 4
"""The number of latency classes from 1 s to 2 s (the first class ends at 1.25 s), from 2 s to 4 s, and so on. Reports
show the upper limit of a class, which is at most 25 % too high.
"""
_FASTEST = 1e-6  # seconds


@dataclass
class Timing:
    """Counts answers by their latency, and by the interval in which they arrived."""

    buckets: Counter[int] = field(default_factory=Counter)
    least: float = float("inf")
    most: float = 0.0
    span: float = FIRST_SPAN
    answers: Counter[int] = field(default_factory=Counter)
    failures: Counter[int] = field(default_factory=Counter)

    def add(self, at: float, seconds: float, *, failed: bool) -> None:
        """Adds an answer with a latency of `seconds`. The answer arrived `at` seconds after the start of the
        campaign.
        """
        self.buckets[_bucket(seconds)] += 1
        self.least, self.most = min(self.least, seconds), max(self.most, seconds)
        while at >= SPANS * self.span:
            self._widen()
        number = int(at / self.span)
        self.answers[number] += 1
        if failed:
            self.failures[number] += 1

    def absorb(self, other: "Timing") -> None:
        """Adds the answers of `other`, which belongs to the same campaign."""
        self.buckets += other.buckets
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)
        while self.span < other.span:
            self._widen()
        ratio = round(self.span / other.span)
        for mine, theirs in ((self.answers, other.answers), (self.failures, other.failures)):
            for number, count in theirs.items():
                mine[number // ratio] += count

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

    def histogram(self) -> list[tuple[float, int]]:
        """Returns the upper limit of each class of latencies in seconds, and the number of answers in this class,
        fastest class first.
        """
        if not self.buckets:
            return []
        return [(_edge(bucket), self.buckets[bucket]) for bucket in range(min(self.buckets), max(self.buckets) + 1)]

    def throughput(self) -> list[tuple[float, int, int]]:
        """For each interval, returns the start in seconds, the number of answers, and the number of crashes and
        timeouts.
        """
        last = max(self.answers, default=-1)
        return [(number * self.span, self.answers[number], self.failures[number]) for number in range(last + 1)]

    def _widen(self) -> None:
        self.span *= 2
        self.answers, self.failures = _halved(self.answers), _halved(self.failures)


def _bucket(seconds: float) -> int:
    mantissa, exponent = frexp(max(seconds, _FASTEST))
    return exponent * STEPS + int((mantissa - 0.5) * 2 * STEPS)


def _edge(bucket: int) -> float:
    exponent, part = divmod(bucket, STEPS)
    return (0.5 + (part + 1) / (2 * STEPS)) * 2.0**exponent


def _halved(spans: Counter[int]) -> Counter[int]:
    found: Counter[int] = Counter()
    for number, count in spans.items():
        found[number // 2] += count
    return found
