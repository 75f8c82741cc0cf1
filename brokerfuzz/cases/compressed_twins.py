"""Writes the part of a twin that differs from the case, for `repr()` of the case. A long part is compressed.

zlib compresses this part with a preset dictionary: some ordinary messages and the body of the case. Bytes that also occur in the
dictionary need almost no space.
"""

import zlib
from base64 import b85decode, b85encode
from bisect import bisect
from functools import lru_cache

from brokerfuzz.cases.case import Case, Splice, compact
from brokerfuzz.cases.fault_variations import BACKWARDS, BARE, COMPLETE, NULLS, SMALLEST, UNUSUAL
from brokerfuzz.cases.message_builder import build
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import Contract, MessageType

LEGIBLE = 80
"""If the difference between a case and its twin has at most `LEGIBLE` characters, `repr()` never compresses it."""
_AROUND_FAULTS = (UNUSUAL, BARE, NULLS, BACKWARDS, COMPLETE, SMALLEST)
_ITEMS = 3
"""In the first message of `_plain_messages`, each array has `_ITEMS` items."""
_LARGEST = 30_000
"""The maximum size of the dictionary, in bytes. zlib uses at most the last 32,506 bytes of a dictionary."""
_RAW = -zlib.MAX_WBITS
"""The zlib format without a header and without a checksum."""


def written_twin(twin: bytes, case: Case, contract: Contract) -> Splice:
    """Returns the part of the twin that differs from the case. A long part is compressed if the compressed text is shorter."""
    start, end, different = plain = splice(case.body, twin)
    if len(repr(plain)) <= LEGIBLE:
        return plain
    text = compressed(different, case.body, case.message_type, contract)
    return (start, end, text) if len(repr(text)) < len(repr(different)) else plain


def splice(body: bytes, twin: bytes) -> tuple[int, int, bytes]:
    """Returns `(start, end, other)`, where `twin` equals `body[:start] + other + body[end:]`."""
    start = _common_prefix_length(body, twin)
    end = _common_prefix_length(body[start:][::-1], twin[start:][::-1])
    return start, len(body) - end, twin[start : len(twin) - end]


def _common_prefix_length(one: bytes, other: bytes) -> int:
    return bisect(range(min(len(one), len(other))), False, key=lambda index: one[: index + 1] != other[: index + 1])


def compressed(part: bytes, body: bytes, message_type: MessageType, contract: Contract) -> str:
    """Compresses `part` to ASCII text. Bytes that also occur in `body` or in a plain message need almost no space."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, _RAW, 9, zdict=_dictionary(body, message_type, contract))
    return b85encode(compressor.compress(part) + compressor.flush()).decode()


def decompressed(text: str, body: bytes, message_type: MessageType, contract: Contract) -> bytes:
    """Converts text from `compressed` back to bytes. `body` must be the same in both calls. Raises `LabelError` if `text` cannot be decompressed."""
    try:
        return zlib.decompressobj(_RAW, zdict=_dictionary(body, message_type, contract)).decompress(b85decode(text))
    except (ValueError, zlib.error) as problem:
        raise LabelError(f"twin={text[:40]!r} belongs to another body ({problem}): copy body and twin from the same `repr()` of a case") from None


def _dictionary(body: bytes, message_type: MessageType, contract: Contract) -> bytes:
    plain = _plain_messages(message_type, contract)
    return plain + body[-max(1, _LARGEST - len(plain)) :]


@lru_cache(maxsize=16)
def _plain_messages(message_type: MessageType, contract: Contract) -> bytes:
    sizes = {path.removesuffix("[]"): _ITEMS for path in contract.sites[message_type] if path.endswith("[]")}
    plans = [COMPLETE.plan(contract, message_type, sizes, 0), *(around.plan(contract, message_type, {}, 0) for around in _AROUND_FAULTS)]
    return b"".join(compact(build(contract, message_type, plan)) for plan in plans)
