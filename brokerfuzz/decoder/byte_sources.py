"""Sources of bytes that need no Hypothesis: a seeded generator, and records that were kept."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from brokerfuzz.decoder.compiling import Read, Style, compile_decoder
from brokerfuzz.schemas import Contract, MessageType, load_contract


class Seeded:
    """Bytes from a seed: the same on every Python and platform."""

    __slots__ = ("_bits", "take")

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.take, self._bits = random.randbytes, random.getrandbits

    def choose(self, count: int, /) -> int:
        """A number below `count`, each as likely as the next, but for a thousandth."""
        return self._bits(18) % count

    def draw(self, site: str, /) -> Any:
        """A seed cannot draw for a pinned site: pins are for Hypothesis' driver."""
        raise TypeError(f"{site} is pinned, and a seeded source has no strategies to draw from")


class Records:
    """Bytes from a list of records, in turn; past its end, and where a record is short, zeros: the simplest entries."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self._records = iter(records)

    def take(self, size: int, /) -> bytes:
        """The next record, cut or filled up to `size`."""
        return next(self._records, b"")[:size].ljust(size, b"\0")

    def choose(self, count: int, /) -> int:
        """The remainder of a byte."""
        return self.take(1)[0] % count

    def draw(self, site: str, /) -> Any:
        """Records hold bytes alone."""
        raise TypeError(f"{site} is pinned, and records have no strategies to draw from")


@lru_cache(maxsize=64)
def decoder(contract: Contract, message_type: MessageType, style: Style) -> Read:
    """The compiled decoder, made once."""
    return compile_decoder(contract, message_type, style=style)


def messages(message_type: MessageType, seed: int, *, plausible: bool = False, contract: Contract | None = None) -> Iterator[Any]:
    """Valid messages without end: the same for a seed, message type and contract, whatever the machine.

    Fresh values each, yours to change. As bytes they come from `brokerfuzz.cases.compact`.
    """
    read = decoder(contract or load_contract(), message_type, Style(plausible=plausible))
    source = Seeded(seed)
    while True:
        yield read(source)
