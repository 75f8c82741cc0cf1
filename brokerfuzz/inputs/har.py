"""Reads messages from recorded traffic: HAR files, which browsers, proxies and test tools write.

In HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec), each entry in `log.entries` contains a request body
(`request.postData.text`) and a response body (`response.content.text`). A file can contain any traffic.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from typing import Any

SUFFIX = ".har"
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"log\"\s*:\s*\{")
_JSON = re.compile(r"(?:[a-z]+/(?:[\w.+-]*\+)?json|)(?:\s*;.*)?", re.IGNORECASE | re.ASCII)
_UNKNOWN_TYPES = ("", "x-unknown")
"""The content types that say nothing about the body. Chromium writes `x-unknown`."""

Body = tuple[int, bytes]
"""The number of a HAR entry (1 for the first entry), and the body of its request or response."""


def is_har(head: bytes) -> bool:
    """Returns whether a file that begins with `head` may be a HAR file."""
    return _HEAD.match(head) is not None


def bodies(har: bytes) -> Iterator[Body]:
    """Yields the JSON bodies in a HAR file, each request before its response.

    Raises `ValueError` if the file is not HAR, and `RecursionError` if the JSON is nested too deeply.
    """
    value = json.loads(har)  # orjson would reject lone surrogates, which bodies may contain
    entries = _below(value, "log", "entries")
    if not isinstance(entries, list):
        raise ValueError("the file has no log with entries")  # noqa: TRY004
    return _bodies(entries)


def _bodies(entries: Iterable[Any]) -> Iterator[Body]:
    for number, entry in enumerate(entries, 1):
        for way in (("request", "postData"), ("response", "content")):
            body = _body(_below(entry, *way))
            if body:
                yield number, body


def _below(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _body(content: Any) -> bytes:
    """Returns the bytes of a JSON body. The result is empty if the entry has no body, or if the body's content type is
    not JSON.
    """
    text, said = _below(content, "text"), _below(content, "mimeType") or ""
    if (
        not isinstance(text, str)
        or not isinstance(said, str)
        or (said not in _UNKNOWN_TYPES and not _JSON.fullmatch(said.strip()))
    ):
        return b""
    if "base64" in (
        _below(content, "encoding"),
        _below(content, "_encoding"),
    ):  # HAR defines no encoding for requests: tools use both properties
        try:
            return b64decode(text)
        except ValueError:
            return b""
    return text.encode(errors="surrogatepass")
