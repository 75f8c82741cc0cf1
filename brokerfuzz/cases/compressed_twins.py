"""Compresses a twin to a short text, for `repr()` of a case whose fault removes or rewrites much of the twin.

The compression uses the body of the case and plain messages as its dictionary, so the text contains only bytes that the
dictionary lacks.
"""

import zlib
from base64 import b85decode, b85encode
from functools import lru_cache

from brokerfuzz.cases.case import Compressed, compact
from brokerfuzz.cases.message_builder import MessagePlan, build
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import Contract, MessageType

_PLANS = (MessagePlan(), MessagePlan(realistic=False), MessagePlan(full=False, realistic=False))
_RAW = -zlib.MAX_WBITS
"""The zlib format without a header and without a checksum."""


def compressed(twin: bytes, body: bytes, message_type: MessageType, contract: Contract) -> Compressed:
    """Returns the twin as text, with about 5 characters for each 4 bytes that neither the body nor a plain message contains."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, _RAW, 9, zdict=_known(body, message_type, contract))
    return b85encode(compressor.compress(twin) + compressor.flush()).decode()


def decompressed(text: Compressed, body: bytes, message_type: MessageType, contract: Contract) -> bytes:
    """Returns the twin from the text. Raises `LabelError` if the text does not belong to the body."""
    try:
        return zlib.decompressobj(_RAW, zdict=_known(body, message_type, contract)).decompress(b85decode(text))
    except (ValueError, zlib.error) as problem:
        raise LabelError(f"twin={text[:40]!r} does not belong to this body ({problem}): use the twin that `repr()` of the case contains") from None


def _known(body: bytes, message_type: MessageType, contract: Contract) -> bytes:
    """Returns the dictionary of the compression, with at most 32,768 bytes."""
    return (_plain_messages(message_type, contract) + body)[-(1 << zlib.MAX_WBITS) :]


@lru_cache(maxsize=16)
def _plain_messages(message_type: MessageType, contract: Contract) -> bytes:
    return b"".join(compact(build(contract, message_type, plan)) for plan in _PLANS)
