"""Plants secrets into a campaign, and searches for the secrets in every encoding."""

import base64
import binascii
import html
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import unquote_to_bytes

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
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
    for start in re.finditer(rb"\x1f\x8b", content):
        yield _decompressed(content[start.start() :])


def _from_base64(content: bytes) -> Iterator[bytes]:
    """Decodes each run of base64 letters. The run may begin in the middle of a group of four letters."""
    for run in set(_BASE64.findall(content)):
        plain = run.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            piece = plain[start:]
            size = len(piece) - (len(piece) % 4 == 1)
            with suppress(binascii.Error):
                yield base64.b64decode(piece[:size] + b"=" * (-size % 4))


def _decompressed(content: bytes) -> bytes:
    with suppress(zlib.error):
        return zlib.decompressobj(31).decompress(content)
    return b""
