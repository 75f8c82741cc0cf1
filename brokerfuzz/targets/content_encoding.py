"""Decompresses the bodies of HTTP responses. The HTTP client itself decompresses Brotli."""

import sys
import zlib
from collections.abc import Mapping
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, limit: int, /) -> bytes: ...


_ZLIB, _RAW, _GZIP_OR_ZLIB = 15, -15, 47
_WINDOWS: Mapping[str, tuple[int, ...]] = {
    "gzip": (_GZIP_OR_ZLIB,),
    "x-gzip": (_GZIP_OR_ZLIB,),
    "deflate": (_ZLIB, _RAW),
}
"""Maps encodings to values of the parameter `wbits` of zlib. Some servers send `deflate` without the header of zlib."""


def decoded(body: bytes, encodings: str | None, most: int) -> bytes | None:
    """Decodes a body according to the header `Content-Encoding`, and returns at most `most` bytes. Returns None if an
    encoding is unknown, or if the data is damaged or incomplete.
    """
    names = [name.strip().lower() for name in (encodings or "").split(",")]
    for name in reversed([name for name in names if name not in ("", "identity")] if body else []):
        found = (_decompressed(decompressor, body, most) for decompressor in _decompressors(name))
        plain = next((data for data in found if data is not None), None)
        if plain is None:
            return None
        body = plain
    return body


def _decompressors(encoding: str) -> list[_Decompressor]:
    return (
        [zstd.ZstdDecompressor()]
        if encoding == "zstd"
        else [zlib.decompressobj(bits) for bits in _WINDOWS.get(encoding, ())]
    )


def _decompressed(decompressor: _Decompressor, data: bytes, most: int) -> bytes | None:
    try:
        found = decompressor.decompress(data, most)
    except (zlib.error, zstd.ZstdError):
        return None
    return found if decompressor.eof or len(found) == most else None
