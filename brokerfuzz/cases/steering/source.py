"""Provides the bytes from which the decoder builds a message, so that the values of each property take turns.

The byte of a property selects the property's value (see `decoder.byte_tables`). Each byte has all 256 values, in a random order,
before a value occurs again. The method `dial` sets how many properties are absent or plain instead.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from brokerfuzz.cases.steering.round_robin import random_of, shuffled
from brokerfuzz.decoder import RandomValues
from brokerfuzz.decoder.byte_tables import SELECTOR_BYTES

_ORDERS = 8
_SHORT = SELECTOR_BYTES + 14
_NEXT_TO_NOTHING = bytes((1, 0, 0, 0, 0, 0, 0, 0))
"""The bytes for properties that are absent or plain: 0 omits an optional property, and 1 gives the plainest value."""


class TurningSource(RandomValues):
    """Provides bytes in which all values take turns. The same random generator gives the same bytes."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._random = random
        self._blocks: dict[int, tuple[bytes, int]] = {}
        self.dial(256)

    def dial(self, full: int, long: int | None = None) -> None:
        """Sets how many of 256 properties may have any value (`full`). After this call, the call of `choose` with the index `long`
        returns a large number (0: the first call).
        """
        self._chosen, self._long = 0, long
        self._kept, self._instead = _masks(full)

    def take(self, size: int, /) -> bytes:
        """Returns the next record (the bytes for the properties of a JSON object). Short records and the last bytes of a record do not
        depend on `dial`.
        """
        record = self._turn(size)
        if size <= _SHORT:
            return record
        chances = self._random.randbytes(size)
        kept = int.from_bytes(record) & int.from_bytes(chances.translate(self._kept))
        mixed = (kept | int.from_bytes(chances.translate(self._instead))).to_bytes(size)
        return mixed[:-SELECTOR_BYTES] + record[-SELECTOR_BYTES:]

    def _turn(self, size: int) -> bytes:
        """Returns the next record. In 256 records of this size, each byte has each of the 256 possible values once."""
        block, number = self._blocks.get(size, (b"", 256))
        if number == 256:
            block, number = b"".join(self._column(start) for start in self._random.randbytes(size)), 0
        self._blocks[size] = (block, number + 1)
        return block[number::256]

    def _column(self, start: int) -> bytes:
        return _orders()[self._random.getrandbits(3)][start : start + 256]

    def choose(self, count: int, /) -> int:
        """Returns a number from 0 to `count` - 1. The choice that `dial` marks as `long` gets one of the largest numbers."""
        self._chosen += 1
        number = self._random.getrandbits(18)
        return count - 1 - number % (count // 10 + 1) if self._chosen - 1 == self._long else number % count


@lru_cache(maxsize=1)
def _orders() -> Sequence[bytes]:
    """Returns several random orders of the 256 byte values."""
    return [bytes(shuffled(range(256), random_of(number))) * 2 for number in range(_ORDERS)]


@lru_cache(maxsize=256)
def _masks(full: int) -> tuple[bytes, bytes]:
    """Returns two tables. In both tables, a random byte selects an entry. The first table says whether a byte of the record is
    kept. The second table contains the byte that replaces a byte of the record.
    """
    bare = 256 - full
    return bytes(bare) + b"\xff" * full, bytes(_NEXT_TO_NOTHING[chance % 8] for chance in range(bare)) + bytes(full)
