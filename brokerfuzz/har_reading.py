"""Recorded traffic: the bodies of a HAR file, as browsers, proxies and test tools write it.

HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec): `log.entries[]`, each with `request.postData.text` and `response.content.text`. A
recording holds whatever went by; which of it is of the contract is told by the names of its properties.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.json_reader import read

HAR_SUFFIX = ".har"
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"log\"\s*:\s*\{")
_JSON = re.compile(r"(?:[a-z]+/(?:[\w.+-]*\+)?json|)(?:\s*;.*)?", re.IGNORECASE | re.ASCII)
_UNTOLD = ("", "x-unknown")
"""What stands for a body without a content type; Chromium writes the second."""

Body = tuple[int, bytes]
"""(the number of the entry, from 1; the body)."""


def is_har(head: bytes) -> bool:
    """Whether a file that begins so may be a HAR file."""
    return _HEAD.match(head) is not None


def bodies(har: bytes) -> Iterator[Body] | None:
    """The bodies of a HAR file that are JSON by what is said of them, in order, a request's before its response's; None for what is no HAR.

    Raises `ValueError` for what is no JSON, `RecursionError` for what is too deep to be read.
    """
    value = json.loads(har)  # not orjson, which rejects the halves of surrogate pairs that bodies may have
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    return _bodies(entries) if isinstance(entries, list) else None


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
    """The bytes of a body of JSON; none of another type's, and none of what is no body."""
    text, said = _below(content, "text"), _below(content, "mimeType") or ""
    if not isinstance(text, str) or not isinstance(said, str) or (said not in _UNTOLD and not _JSON.fullmatch(said.strip())):
        return b""
    if "base64" in (_below(content, "encoding"), _below(content, "_encoding")):  # of a request, which HAR has none for, tools write either
        try:
            return b64decode(text)
        except ValueError:
            return b""
    return text.encode(errors="surrogatepass")


def belongs(body: bytes, contract: Contract, message_types: Iterable[MessageType]) -> bool:
    """Whether a body is a message of the contract: most names of its properties, at the root and right below, are those of one of the types."""
    values = read(body).values
    message = values[0] if values else None
    return isinstance(message, dict) and any(_is_known(message, contract.flat[message_type]) for message_type in message_types)


def _is_known(message: Mapping[str, Any], schema: Schema) -> bool:
    known = unknown = 0
    for held, there in _objects(message, schema):
        names = {name.casefold() for name in there.get("properties", {})}
        number = sum(name.casefold() in names for name in held)
        known, unknown = known + number, unknown + len(held) - number
    return known > unknown


def _objects(message: Mapping[str, Any], schema: Schema) -> Iterator[tuple[Mapping[str, Any], Schema]]:
    """The root and the objects right below it, an array's first item for all, each with its flat schema."""
    yield message, schema
    for name, there in schema.get("properties", {}).items():
        held = message.get(name)
        if isinstance(held, list) and held and "items" in there:
            held, there = held[0], there["items"]  # noqa: PLW2901  (from here on it is the item that counts)
        if isinstance(held, dict):
            yield held, there
