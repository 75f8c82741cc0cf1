"""The random choices for one plausible message. They depend only on the seed, the serial number of the message, and
the time that counts as the present. So any process can generate any message, and two streams never disturb each other.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar
from zlib import crc32

Choice = TypeVar("Choice")

_NUMBERS = 90_000_000
"""Unique identifiers consist of a prefix and one of this many numbers with eight digits."""
_STRIDES = {"OFF": 27_182_819, "OMS": 31_415_927}
"""The distance between the numbers of two successive messages. Distances that have no divisor in common with `_NUMBERS`
reach all numbers, in an order that looks random.
"""


class Draws:
    def __init__(self, seed: int, serial: int, now: datetime) -> None:
        self.now = now
        self._random = Random(f"{seed} {serial}")
        self._seed, self._serial = seed, serial

    def choose(self, options: Sequence[Choice]) -> Choice:
        return options[int(self._random.random() * len(options))]

    def several(self, options: Sequence[Choice], count: int) -> list[Choice]:
        """Returns different options, in their order."""
        chosen = sorted(self._random.sample(range(len(options)), min(count, len(options))))
        return [options[index] for index in chosen]

    def between(self, low: int, high: int) -> int:
        return low + int(self._random.random() * (high - low + 1))

    def happens(self, percent: int) -> bool:
        return self._random.random() * 100 < percent

    def unique(self, prefix: str) -> str:
        """Returns an identifier that no other message of the seed has."""
        first = crc32(f"{prefix} {self._seed}".encode())
        return f"{prefix}-{(first + self._serial * _STRIDES[prefix]) % _NUMBERS + 10_000_000}"

    def day(self, earliest: int, latest: int) -> datetime:
        """Returns the beginning of a day. `earliest` and `latest` are numbers of days from now."""
        return (self.now + timedelta(self.between(earliest, latest))).replace(hour=0, minute=0, second=0)

    def past_working_hour(self, longest: int) -> datetime:
        """Returns a time in the last `longest` days, on a weekday between 8 and 18 o'clock."""
        day = self.day(-longest, -4)
        day -= timedelta(max(day.weekday() - 4, 0))
        return day + timedelta(seconds=self.between(8 * 3600, 18 * 3600))


def money(cents: int) -> float:
    """Returns an amount whose JSON notation has at most two decimal places."""
    return cents / 100
