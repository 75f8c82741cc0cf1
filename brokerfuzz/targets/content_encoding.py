"""Decompresses the bodies of HTTP responses."""

import sys
import zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP_OR_ZLIB, _RAW = 47, -15
"""Values of the parameter `wbits` of zlib. Some servers send `deflate` without the header of zlib."""
_ZLIB = 8
"""The method in the lower half of the first byte of zlib data."""


def decoded(body: bytes, encodings: str | None, most: int) -> bytes | None:
    """Decodes a body according to the header `Content-Encoding`, and returns at most `most` bytes. Returns None if an
    encoding is unknown, or if the data is damaged or incomplete.
    """
    for name in reversed((encodings or "").lower().split(",")):
        if body and name.strip() not in ("", "identity"):
            try:
                body, is_complete = _decoded(name.strip(), body, most)
            except Exception:  # each library has its own errors for damaged data
                return None
            if not is_complete and len(body) < most:
                return None
    return body


def _decoded(encoding: str, data: bytes, most: int) -> tuple[bytes, bool]:
    """Returns at most `most` bytes, and whether the data is complete. Raises an exception if it cannot be decoded."""
    if encoding == "br":
        import brotli  # type: ignore[import-untyped]

        stream = brotli.Decompressor()
        return stream.process(data, output_buffer_limit=most)[:most], stream.is_finished()
    if encoding == "zstd":
        frame = zstd.ZstdDecompressor()
        return frame.decompress(data, most), frame.eof
    bits = {"gzip": _GZIP_OR_ZLIB, "x-gzip": _GZIP_OR_ZLIB, "deflate": _GZIP_OR_ZLIB if data[0] & 15 == _ZLIB else _RAW}
    inflater = zlib.decompressobj(bits[encoding])
    return inflater.decompress(data, most), inflater.eof
