"""Defines sources of bytes and values that do not need Hypothesis."""

import math
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Any, cast

from brokerfuzz.decoder.byte_tables import Literal, Source, Value
from brokerfuzz.decoder.compiling import Read, Style, compile_decoder
from brokerfuzz.schemas import Contract, MessageType, load_contract

_LENGTHS = (1, 2, 3, 3, 4, 5, 6, 8, 9, 12, 20, 60)


class RandomValues:
    """Chooses integers, numbers and strings with a `random.Random`. The values are the same on every Python version and platform."""

    def __init__(self, random: Random) -> None:
        self._bits, self._bytes = random.getrandbits, random.randbytes

    def integer(self, low: int, high: int, /, *, digits: bool = False) -> int:
        """Returns an integer from `low` to `high`. Small and large numbers occur about equally often."""
        bits = self._bits(36)
        size = (high - low).bit_length()
        offset = (bits >> 4) if size <= 32 else self._bits(size)
        offset &= (1 << ((bits & 15) * (size + 3) // 16)) - 1
        start = min(max(0, low), high)
        number = start + (offset if bits & 16 or low >= 0 else -offset)
        return number if low <= number <= high else low + offset % (high - low + 1)

    def number(self, low: float, high: float, /) -> float:
        """Returns a finite double from `low` to `high`. Every bit pattern is about equally likely."""
        value: float = struct.unpack(">d", self._bytes(8))[0]
        value = value if math.isfinite(value) else 0.0
        if low <= value <= high:
            return value
        return -value if low <= -value <= high else low if value < low else high

    def string(self, shortest: int, longest: int, /) -> str:
        """Returns a string with `shortest` to `longest` characters. In 75 % of the strings, all characters come from a list of
        256 characters. In the other strings, they come from all of Unicode.
        """
        bits = self._bits(16)
        size = min(longest, max(shortest, shortest - 1 + _LENGTHS[bits % len(_LENGTHS)]))
        if bits < 49152:
            return self._bytes(size).decode("latin-1").translate(_ALPHABET)
        codes = [self._bits(21) % 0x10F7FF + 1 for _ in range(size)]
        return "".join([chr(code if code < 0xD800 else code + 0x800) for code in codes])

    def item(self, read: Callable[[Source], Value], /) -> Value:
        return read(cast(Source, self))

    def literal(self, value: Literal, /) -> Literal:
        return value

    def draw(self, site: str, /) -> Any:
        """Always raises `TypeError`, because only Hypothesis can draw values for pinned sites (sites with a strategy of the user)."""
        raise TypeError(f"`fields` contains a strategy for {site}, but this message is generated without Hypothesis: remove the strategy")


class Seeded(RandomValues):
    """Generates bytes and values from a seed. The bytes and values are the same on every Python version and platform."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        super().__init__(random)
        self.take = random.randbytes

    def choose(self, count: int, /) -> int:
        """Returns an integer from 0 to `count` - 1. The probabilities of these integers differ by at most 0.1 %."""
        return self._bits(18) % count


def _letters() -> Iterator[str]:
    """Yields at least 256 Unicode characters from many scripts, without surrogates and NUL."""
    yield from (chr(code) for code in range(0x20, 0x7F))
    yield from (chr(0xA1 + 3 * i) for i in range(60))
    yield from (chr(code) for code in (0x01, 0x09, 0x0A, 0x0D, 0x1F, 0x7F, 0x85, 0x300, 0x200B, 0x200D, 0x202E, 0x2028, 0xFEFF, 0xFFFD, 0xFFFF))
    yield from (chr(0x370 + 97 * i) for i in range(47))
    yield from (chr(0x10000 + 0xF1B * i) for i in range(256))


_ALPHABET = dict(enumerate(list(dict.fromkeys(_letters()))[:256]))


@lru_cache(maxsize=64)
def decoder(contract: Contract, message_type: MessageType, style: Style) -> Read:
    """Returns the decoder of a message type, which is compiled only once."""
    return compile_decoder(contract, message_type, style=style)


def messages(message_type: MessageType, seed: int, *, plausible: bool = False, contract: Contract | None = None) -> Iterator[Any]:
    """Yields an endless stream of valid messages. The same seed, message type and contract give the same messages on every machine.

    Each message is a new object that you may change. `brokerfuzz.cases.compact` converts a message to bytes.
    """
    read = decoder(contract or load_contract(), message_type, Style(plausible=plausible))
    source = Seeded(seed)
    while True:
        yield read(source)
