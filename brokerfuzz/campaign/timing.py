"""Measures how long the target needs for its answers."""

from array import array
from dataclasses import dataclass, field
from math import ceil


@dataclass
class Timing:
    """`seconds` contains the latency of each answer, in the order of the answers. `pauses` counts how often the target
    asked brokerfuzz to wait, and `paused` is the sum of these pauses in seconds.
    """

    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    pauses: int = 0
    paused: float = 0.0

    def quantiles(self, *shares: float) -> list[float]:
        """Returns the latencies (in seconds) within which these shares of the answers (0 to 1) arrived, or zeros if
        there are no answers.
        """
        ordered = sorted(self.seconds) or [0.0]
        return [ordered[max(ceil(share * len(ordered)) - 1, 0)] for share in shares]
