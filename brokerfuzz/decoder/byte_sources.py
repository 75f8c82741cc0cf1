"""Provides bytes for the decoder without Hypothesis: from a seed, or from a list of byte strings."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from brokerfuzz.decoder.compiling import Read, Style, compile_decoder
from brokerfuzz.schemas import Contract, MessageType, load_contract


class Seeded:
    """Generates bytes from a seed. The bytes are the same on every machine and Python version."""

    __slots__ = ("_bits", "take")

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.take, self._bits = random.randbytes, random.getrandbits

    def choose(self, count: int, /) -> int:
        """Returns a number from 0 to `count` - 1. The probabilities of any two numbers differ by at most a thousandth."""
        return self._bits(18) % count

    def draw(self, site: str, /) -> Any:
        """Raises `TypeError`, because the values of pinned properties can only come from Hypothesis."""
        raise TypeError(f"{site} is pinned; only Hypothesis can generate values for pinned sites")


class Records:
    """Provides bytes from a list of byte strings. Missing bytes are zeros, which give the simplest values."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self._records = iter(records)

    def take(self, size: int, /) -> bytes:
        return next(self._records, b"")[:size].ljust(size, b"\0")

    def choose(self, count: int, /) -> int:
        return self.take(1)[0] % count

    def draw(self, site: str, /) -> Any:
        """Raises `TypeError`, because the values of pinned properties can only come from Hypothesis."""
        raise TypeError(f"{site} is pinned; only Hypothesis can generate values for pinned sites")


@lru_cache(maxsize=64)
def decoder(contract: Contract, message_type: MessageType, style: Style) -> Read:
    return compile_decoder(contract, message_type, style=style)


def messages(message_type: MessageType, seed: int, *, plausible: bool = False, contract: Contract | None = None) -> Iterator[Any]:
    """Yields valid messages without end. The same arguments give the same messages on every machine.

    Each message is a new object that you may change. `brokerfuzz.cases.compact` converts a message to bytes.
    """
    read = decoder(contract or load_contract(), message_type, Style(plausible=plausible))
    source = Seeded(seed)
    while True:
        yield read(source)
