"""How long answers took, and how many came when: of any number of answers, in bounded memory."""

from collections import Counter
from dataclasses import dataclass, field
from math import frexp

SPANS = 200
"""Into how many spans of time a campaign is parted, at the most."""
FIRST_SPAN = 0.25
"""Seconds. When there are too many spans, every two become one of twice the length."""
STEPS = 4
"""Into how many parts every doubling of a latency is parted: what is read from them is right to a fifth."""
_FASTEST = 1e-6  # seconds


@dataclass
class Timing:
    """Latencies in buckets that grow by a constant factor, answers in spans of equal length since the start."""

    buckets: Counter[int] = field(default_factory=Counter)
    least: float = float("inf")
    most: float = 0.0
    span: float = FIRST_SPAN
    answers: Counter[int] = field(default_factory=Counter)
    failures: Counter[int] = field(default_factory=Counter)

    def add(self, at: float, seconds: float, *, failed: bool) -> None:
        """Takes in an answer that came `at` seconds after the start, and took `seconds`."""
        self.buckets[_bucket(seconds)] += 1
        self.least, self.most = min(self.least, seconds), max(self.most, seconds)
        while at >= SPANS * self.span:
            self._widen()
        number = int(at / self.span)
        self.answers[number] += 1
        if failed:
            self.failures[number] += 1

    def absorb(self, other: "Timing") -> None:
        """Takes in what another one saw; both started at the same time."""
        self.buckets += other.buckets
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)
        while self.span < other.span:
            self._widen()
        ratio = round(self.span / other.span)
        for mine, theirs in ((self.answers, other.answers), (self.failures, other.failures)):
            for number, count in theirs.items():
                mine[number // ratio] += count

    def quantile(self, share: float) -> float:
        """The seconds that this share of the answers took at the most; 0 where there was none."""
        wanted = share * self.buckets.total()
        seen = 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= wanted:
                return min(_edge(bucket), self.most)
        return 0.0

    def histogram(self) -> list[tuple[float, int]]:
        """(seconds, how many answers took less, and not less than the entry before), the fastest first."""
        if not self.buckets:
            return []
        return [(_edge(bucket), self.buckets[bucket]) for bucket in range(min(self.buckets), max(self.buckets) + 1)]

    def throughput(self) -> list[tuple[float, int, int]]:
        """(seconds since the start, answers in the span that begins there, how many of them crashed or timed out)."""
        last = max(self.answers, default=-1)
        return [(number * self.span, self.answers[number], self.failures[number]) for number in range(last + 1)]

    def _widen(self) -> None:
        self.span *= 2
        self.answers, self.failures = _halved(self.answers), _halved(self.failures)


def _bucket(seconds: float) -> int:
    mantissa, exponent = frexp(max(seconds, _FASTEST))
    return exponent * STEPS + int((mantissa - 0.5) * 2 * STEPS)


def _edge(bucket: int) -> float:
    """Where a bucket ends, in seconds."""
    exponent, part = divmod(bucket, STEPS)
    return (0.5 + (part + 1) / (2 * STEPS)) * 2.0**exponent


def _halved(spans: Counter[int]) -> Counter[int]:
    found: Counter[int] = Counter()
    for number, count in spans.items():
        found[number // 2] += count
    return found
