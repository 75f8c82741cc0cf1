"""Plants secrets into a campaign, and searches for the secrets in every encoding."""

import base64
import binascii
import html
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ZSTD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"
_DEPTH = 3
"""The maximum number of nested encodings."""


def leaks(content: bytes, canaries: Iterable[str]) -> set[str]:
    """Returns the planted secrets (canaries) that occur in a file or a stream, in upper or lower case, in any
    encoding.
    """
    wanted = {canary: canary.lower().encode() for canary in canaries}
    found = set[str]()
    for view in _views(content, _DEPTH):
        lower = view.lower()
        found |= {canary for canary, plain in wanted.items() if plain in lower}
    return found


def _views(content: bytes, depth: int) -> Iterator[bytes]:
    """Yields the content itself, and the results of decoding it up to `depth` times: for example, from Base64."""
    seen, waiting = {content}, [content]
    for _ in range(depth):
        waiting = [view for outer in waiting for view in _decoded(outer) if view not in seen and not seen.add(view)]  # type: ignore[func-returns-value]
    yield from seen


def _decoded(content: bytes) -> Iterator[bytes]:
    yield _ESCAPE.sub(lambda found: chr(int(found[1], 16)).encode(errors="replace") if found[1] else found[2], content)
    yield unquote_to_bytes(content)
    yield unquote_to_bytes(content.replace(b"+", b" "))
    yield html.unescape(content.decode("latin-1")).encode(errors="replace")
    yield b"\n".join(_from_base64(content))
    for start in re.finditer(re.escape(_GZIP), content):
        yield _decompressed(content[start.start() :])
    if _ZSTD in content:
        yield _of_zstd(content[content.index(_ZSTD) :])


def _from_base64(content: bytes) -> Iterator[bytes]:
    """Decodes each run of base64 letters. The run may begin in the middle of a group of four letters."""
    for run in set(_BASE64.findall(content)):
        plain = run.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            piece = plain[start:]
            try:
                yield base64.b64decode(
                    piece[: len(piece) // 4 * 4 + (len(piece) % 4 > 1) * (len(piece) % 4)] + b"=" * (-len(piece) % 4)
                )
            except binascii.Error:
                continue


def _decompressed(content: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(content)
    except zlib.error:
        return b""


def _of_zstd(content: bytes) -> bytes:
    try:
        return zstd.ZstdDecompressor().decompress(content)
    except zstd.ZstdError:
        return b""
