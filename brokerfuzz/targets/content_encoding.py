"""Decompresses the bodies of HTTP responses."""

import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP_OR_ZLIB, _RAW = 47, -15
"""Values of the parameter `wbits` of zlib. Some servers send `deflate` without the header of zlib."""
_DAMAGED = (zlib.error, zstd.ZstdError, ValueError)
Decoder = Callable[[bytes, int], bytes]
"""Decompresses data, and returns at most the given number of bytes. Raises one of `_DAMAGED`."""


def decoded(body: bytes, encodings: str | None, most: int) -> bytes | None:
    """Decodes a body according to the header `Content-Encoding`, and returns at most `most` bytes. Returns None if an
    encoding is unknown, or if the data is damaged or incomplete.
    """
    if not encodings or not body:
        return body
    names = [name.strip().lower() for name in encodings.split(",")]
    for name in reversed([name for name in names if name not in ("", "identity")]):
        plain = next(_plain(name, body, most), None)
        if plain is None:
            return None
        body = plain
    return body


def _plain(encoding: str, data: bytes, most: int) -> Iterator[bytes]:
    """Yields the decoded data, in each way in which it can be decoded."""
    for decode in _DECODERS.get(encoding, ()):
        with suppress(*_DAMAGED):
            yield decode(data, most)


def _inflated(bits: int, data: bytes, most: int) -> bytes:
    decompressor = zlib.decompressobj(bits)
    return _complete(decompressor.decompress(data, most), most, is_complete=decompressor.eof)


def _from_zstd(data: bytes, most: int) -> bytes:
    decompressor = zstd.ZstdDecompressor()
    return _complete(decompressor.decompress(data, most), most, is_complete=decompressor.eof)


def _from_brotli(data: bytes, most: int) -> bytes:
    try:
        import brotli  # type: ignore[import-untyped]
    except ImportError as problem:
        raise ValueError("the package brotli is missing") from problem
    decompressor = brotli.Decompressor()
    try:
        found: bytes = decompressor.process(data, output_buffer_limit=most)
    except brotli.error as problem:
        raise ValueError("damaged") from problem
    return _complete(found[:most], most, is_complete=decompressor.is_finished())


def _complete(data: bytes, most: int, *, is_complete: bool) -> bytes:
    if not is_complete and len(data) < most:
        raise ValueError("incomplete")
    return data


_DECODERS: Mapping[str, Sequence[Decoder]] = {
    "gzip": (partial(_inflated, _GZIP_OR_ZLIB),),
    "x-gzip": (partial(_inflated, _GZIP_OR_ZLIB),),
    "deflate": (partial(_inflated, _GZIP_OR_ZLIB), partial(_inflated, _RAW)),
    "zstd": (_from_zstd,),
    "br": (_from_brotli,),
}
