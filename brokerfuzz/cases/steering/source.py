"""Bytes that take turns: a source for the decoder.

A property's byte at a position of a record says its value (`decoder.byte_tables`). Here every position runs through all 256 values before any comes
again, in one of several orders. `dial` then says how many properties are left out, plain or null instead.
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
"""The bytes of properties that get no value of their own: mostly 0, the simplest; 1 and 2, which are the plainest value, or null."""


class TurningSource:
    """Records of bytes that take turns; the same for equal `Random`s."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._blocks: dict[int, tuple[bytes, int]] = {}
        self.dial(256)

    def dial(self, full: int, long: int | None = None) -> None:
        """From now on, so many of 256 properties have a value of their own, and the choice of this number, if one is given, is a large one."""
        self._chosen, self._long = 0, long
        self._kept, self._instead = _masks(full)

    def take(self, size: int, /) -> bytes:
        """The next record. A short one, which spells items that are no objects, and the last bytes, which spell freely, are as they come."""
        record = self._turn(size)
        if size <= _SHORT:
            return record
        chances = self._random.randbytes(size)
        kept = int.from_bytes(record) & int.from_bytes(chances.translate(self._kept))
        mixed = (kept | int.from_bytes(chances.translate(self._instead))).to_bytes(size)
        return mixed[:-FREE_BYTES] + record[-FREE_BYTES:]

    def _turn(self, size: int) -> bytes:
        """The next record of this size: one byte of each column of a block, whose every column holds all bytes."""
        block, number = self._blocks.get(size, (b"", 256))
        if number == 256:
            block, number = b"".join(self._column(start) for start in self._random.randbytes(size)), 0
        self._blocks[size] = (block, number + 1)
        return block[number::256]

    def _column(self, start: int) -> bytes:
        return _orders()[self._random.getrandbits(3)][start : start + 256]

    def choose(self, count: int, /) -> int:
        """A number below `count`: one of the largest, where it is to be large."""
        self._chosen += 1
        number = self._random.getrandbits(18)
        return count - 1 - number % (count // 10 + 1) if self._chosen - 1 == self._long else number % count

    def draw(self, site: str, /) -> Any:
        """Pins are for Hypothesis' driver."""
        raise TypeError(f"{site} is pinned, and a seeded source has no strategies to draw from")


@lru_cache(maxsize=1)
def _orders() -> Sequence[bytes]:
    """Orders of all bytes, each twice over."""
    return [bytes(shuffled(range(256), random_of(number))) * 2 for number in range(_ORDERS)]


@lru_cache(maxsize=256)
def _masks(full: int) -> tuple[bytes, bytes]:
    """(which chances leave a byte as it is, what it is instead), for so many of 256 chances."""
    bare = 256 - full
    return bytes(bare) + b"\xff" * full, bytes(_NEXT_TO_NOTHING[chance % 8] for chance in range(bare)) + bytes(full)
