"""Byte sources that do not need Hypothesis: a seeded generator, and a list of byte strings."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from brokerfuzz.decoder.compiling import Read, Style, compile_decoder
from brokerfuzz.schemas import Contract, MessageType, load_contract


class Seeded:
    """Bytes from a seed, the same on every Python version and platform."""

    __slots__ = ("_bits", "take")

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.take, self._bits = random.randbytes, random.getrandbits

    def choose(self, count: int, /) -> int:
        """Returns a number below `count`. The probabilities of the numbers differ by at most a thousandth."""
        return self._bits(18) % count

    def draw(self, site: str, /) -> Any:
        """Raises `TypeError`, because only Hypothesis can draw values for pinned sites."""
        raise TypeError(f"{site} is pinned, and a seeded source has no strategies to draw from")


class Records:
    """Bytes from a list of records, one record after the other. Missing bytes are replaced with zeros, which give the simplest values."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self._records = iter(records)

    def take(self, size: int, /) -> bytes:
        """Returns the next record, truncated or padded with zeros to `size` bytes."""
        return next(self._records, b"")[:size].ljust(size, b"\0")

    def choose(self, count: int, /) -> int:
        """Returns the next byte modulo `count`."""
        return self.take(1)[0] % count

    def draw(self, site: str, /) -> Any:
        """Raises `TypeError`, because only Hypothesis can draw values for pinned sites."""
        raise TypeError(f"{site} is pinned, and records have no strategies to draw from")


@lru_cache(maxsize=64)
def decoder(contract: Contract, message_type: MessageType, style: Style) -> Read:
    """Returns the compiled decoder. The function caches it."""
    return compile_decoder(contract, message_type, style=style)


def messages(message_type: MessageType, seed: int, *, plausible: bool = False, contract: Contract | None = None) -> Iterator[Any]:
    """Yields an endless stream of valid messages. The same seed, message type and contract give the same messages on every machine.

    Each message is a new object that you may change. `brokerfuzz.cases.compact` converts it to bytes.
    """
    read = decoder(contract or load_contract(), message_type, Style(plausible=plausible))
    source = Seeded(seed)
    while True:
        yield read(source)
