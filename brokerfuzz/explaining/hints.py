"""Says what an invalid message may be: several messages, or a part of another message."""

import json
from collections.abc import Iterator
from typing import Any

from brokerfuzz.inputs.recognising import is_message
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.json_reader import read_message
from brokerfuzz.wording import printable, with_article

_SEVERAL = "the file contains several messages: add --ndjson if each line is one"
_ARRAY = "the file contains an array of messages: write one item per line (`jq -c '.[]'`), and add --ndjson"
_DEEPEST = 4
"""The number of names and indices in the longest pointer to a message inside another one."""


def hint_about(body: bytes, contract: Contract) -> str | None:
    """Returns a hint about an invalid message, or None."""
    reading = read_message(body)
    if reading.error is not None:
        return _SEVERAL if _begins_with_an_object(body) else None
    value = reading.usual
    if is_message(value, contract, contract.message_types):
        return None
    inside = next(_messages_inside(value, contract, ""), None)
    if inside is None:
        return None
    pointer, message_type = inside
    if isinstance(value, list) and pointer == "/0":
        return _ARRAY
    kind = with_article(message_type.replace("-", " "))
    return f"{printable(pointer, 100)} contains {kind}: check only this part"


def _begins_with_an_object(body: bytes) -> bool:
    """Returns whether an object follows an object."""
    text = body.decode(errors="replace").lstrip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text.startswith("{") and text[end:].lstrip().startswith("{")


def _messages_inside(value: Any, contract: Contract, pointer: str) -> Iterator[tuple[str, MessageType]]:
    if pointer.count("/") == _DEEPEST:
        return
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        below = f"{pointer}/{name}"
        content, at = _content(part, below)
        for message_type in contract.message_types:
            if is_message(content, contract, [message_type]) and _has_required(content, contract, message_type):
                yield at, message_type
        yield from _messages_inside(content, contract, below)


def _content(part: Any, pointer: str) -> tuple[Any, str]:
    """Returns what a value contains, and where. A string can contain JSON."""
    if isinstance(part, str) and part.startswith("{"):
        return read_message(part.encode(errors="surrogatepass")).usual, f"the string {pointer}"
    return part, pointer


def _has_required(message: Any, contract: Contract, message_type: MessageType) -> bool:
    return set(contract.flat[message_type].get("required", ())) <= set(message)
