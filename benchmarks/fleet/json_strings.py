"""JSON texts: what stands in them, whatever they say."""

import json
import re
from collections.abc import Callable

STRING = rb'"(?:[^"\\]|\\.)*"'
"""A regular expression of a JSON string."""
Test = Callable[[bytes], object]
Rewrite = Callable[[bytes], bytes | None]
"""Another text that is read in place of the one that was sent; None for none."""
Spoil = Callable[[bytes], bytes]


def text_with(pattern: bytes) -> Test:
    """Whether the pattern occurs in a text."""
    return re.compile(pattern, re.DOTALL).search


def tokens_with(pattern: bytes) -> Test:
    """Whether the pattern occurs in a text outside its strings, which count as empty ones."""
    search = re.compile(pattern, re.DOTALL).search
    return lambda body: search(re.sub(STRING, b'""', body, flags=re.DOTALL))


def is_unreadable(body: bytes) -> bool:
    """Whether Python's reader rejects a text."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return True
    return False


def first_value(body: bytes) -> bytes:
    """The JSON value that a text begins with. Raises ValueError where it begins with none."""
    text = body.decode().lstrip()
    _, end = json.JSONDecoder().raw_decode(text)
    return text[:end].encode()


def closed(body: bytes) -> bytes:
    """The text with what is left open at its end closed."""
    closing: list[bytes] = []
    for bracket in re.findall(rb"[\[\]{}]", re.sub(STRING, b"", body, flags=re.DOTALL)):
        if bracket in b"[{":
            closing.append(b"]" if bracket == b"[" else b"}")
        elif closing:
            closing.pop()
    return body.rstrip(b" ,") + b"".join(reversed(closing))


def with_text(json_text: bytes) -> Spoil:
    """Puts a text, spelled in this way, into a plain message."""
    return lambda body: re.sub(rb'"description": "[^"]*"', lambda _: b'"description": "' + json_text + b'"', body)


def with_price(json_text: bytes) -> Spoil:
    """Puts a number, spelled in this way, into a plain message."""
    return lambda body: body.replace(b'"defaultPrice": 2', b'"defaultPrice": ' + json_text, 1)
