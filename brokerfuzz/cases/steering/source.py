"""A source of bytes for the decoder in which values take turns.

The byte of a property at a position of a record selects its value (`decoder.byte_tables`). In this source, the byte at every
position takes all 256 values, in one of several orders, before any value repeats. `dial` sets the share of properties that are
absent, plain or null instead.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from brokerfuzz.cases.steering.round_robin import random_of, shuffled
from brokerfuzz.decoder.byte_tables import FREE_BYTES

_ORDERS = 8
_SHORT = FREE_BYTES + 14
_NEXT_TO_NOTHING = bytes((1, 2, 0, 0, 0, 0, 0, 0))
"""The bytes of properties without a value of their own. Most are 0, which gives the simplest value; 1 and 2 give the plainest value
or null.
"""


class TurningSource:
    """Makes records of bytes that take turns. Equal `Random` objects give equal records."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._blocks: dict[int, tuple[bytes, int]] = {}
        self.dial(256)

    def dial(self, full: int, long: int | None = None) -> None:
        """Sets the number of properties, out of 256, that have a value of their own. Also sets which choice is to be large, by its
        number; None means no choice.
        """
        self._chosen, self._long = 0, long
        self._kept, self._instead = _masks(full)

    def take(self, size: int, /) -> bytes:
        """Returns the next record. Short records (for items that are not objects) and the last bytes of each record (free spelling)
        remain unchanged.
        """
        record = self._turn(size)
        if size <= _SHORT:
            return record
        chances = self._random.randbytes(size)
        kept = int.from_bytes(record) & int.from_bytes(chances.translate(self._kept))
        mixed = (kept | int.from_bytes(chances.translate(self._instead))).to_bytes(size)
        return mixed[:-FREE_BYTES] + record[-FREE_BYTES:]

    def _turn(self, size: int) -> bytes:
        """Returns the next record of this size. It has one byte from each column of a block, and every column contains all byte
        values.
        """
        block, number = self._blocks.get(size, (b"", 256))
        if number == 256:
            block, number = b"".join(self._column(start) for start in self._random.randbytes(size)), 0
        self._blocks[size] = (block, number + 1)
        return block[number::256]

    def _column(self, start: int) -> bytes:
        return _orders()[self._random.getrandbits(3)][start : start + 256]

    def choose(self, count: int, /) -> int:
        """Returns a number below `count`, or one of the largest such numbers if this choice is to be large."""
        self._chosen += 1
        number = self._random.getrandbits(18)
        return count - 1 - number % (count // 10 + 1) if self._chosen - 1 == self._long else number % count

    def draw(self, site: str, /) -> Any:
        """Always raises `TypeError`, because only the Hypothesis source supports pinned values."""
        raise TypeError(f"{site} is pinned, but a seeded source has no strategies to draw from")


@lru_cache(maxsize=1)
def _orders() -> Sequence[bytes]:
    """Returns orders of all byte values, each repeated twice."""
    return [bytes(shuffled(range(256), random_of(number))) * 2 for number in range(_ORDERS)]


@lru_cache(maxsize=256)
def _masks(full: int) -> tuple[bytes, bytes]:
    """Returns two tables over 256 random bytes: which of them keep a record's byte, and which byte replaces it otherwise."""
    bare = 256 - full
    return bytes(bare) + b"\xff" * full, bytes(_NEXT_TO_NOTHING[chance % 8] for chance in range(bare)) + bytes(full)
