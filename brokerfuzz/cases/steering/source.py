"""Provides the bytes from which the decoder builds a message. The decoder reads each object from a record. In a record, the byte
for a property selects the property's value (see `decoder.byte_tables`).

The records are more evenly distributed than independent random bytes. In 256 records of the same length, each property gets each
of the 256 byte values once, in a random order. After `BalancedSource.configure`, only some properties get such a random byte. The
other properties are absent or have an ordinary value.
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
"""The bytes that replace random bytes (see `_masks`): 0 omits an optional property, and 1 gives the simplest value."""


class BalancedSource(RandomValues):
    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._random = random
        self._blocks: dict[int, tuple[bytes, int]] = {}
        self.configure(256)

    def configure(self, chance: int, long_array: int | None = None) -> None:
        """Sets the probability that a property gets a random value: `chance` / 256. If `long_array` is 2, the third call of
        `choose` after `configure` returns one of the largest numbers, so that an array becomes long.
        """
        self._chosen, self._long_array = 0, long_array
        self._kept, self._instead = _masks(chance)

    def take(self, size: int, /) -> bytes:
        """Returns the record for the next JSON object. In a record of more than `_SHORT` bytes, some bytes are replaced (see
        `configure`), but not the last `SELECTOR_BYTES` bytes.
        """
        record = self._balanced_record(size)
        if size <= _SHORT:
            return record
        chances = self._random.randbytes(size)
        kept = int.from_bytes(record) & int.from_bytes(chances.translate(self._kept))
        mixed = (kept | int.from_bytes(chances.translate(self._instead))).to_bytes(size)
        return mixed[:-SELECTOR_BYTES] + record[-SELECTOR_BYTES:]

    def _balanced_record(self, size: int) -> bytes:
        """Returns `size` bytes. In 256 results of the same size, each of the `size` positions has each byte value once."""
        block, number = self._blocks.get(size, (b"", 256))
        if number == 256:
            block, number = b"".join(self._column(start) for start in self._random.randbytes(size)), 0
        self._blocks[size] = (block, number + 1)
        return block[number::256]

    def _column(self, start: int) -> bytes:
        return _orders()[self._random.getrandbits(3)][start : start + 256]

    def choose(self, count: int, /) -> int:
        """Returns a number from 0 to `count` - 1, which usually selects the size of an array."""
        self._chosen += 1
        number = self._random.getrandbits(18)
        return count - 1 - number % (count // 10 + 1) if self._chosen - 1 == self._long_array else number % count


@lru_cache(maxsize=1)
def _orders() -> Sequence[bytes]:
    """Returns several random orders of the 256 byte values."""
    return [bytes(shuffled(range(256), random_of(number))) * 2 for number in range(_ORDERS)]


@lru_cache(maxsize=256)
def _masks(chance: int) -> tuple[bytes, bytes]:
    """Returns two tables with which `take` keeps or replaces the bytes of a record. For each byte, `take` reads both tables at a
    random index below 256. At `chance` indices, the entries are 255 and 0, which keep the byte. At the other indices, the entries
    are 0 and the new byte.
    """
    bare = 256 - chance
    return bytes(bare) + b"\xff" * chance, bytes(_NEXT_TO_NOTHING[number % 8] for number in range(bare)) + bytes(chance)
