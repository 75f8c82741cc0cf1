"""Tests and changes of JSON as bytes, before parsing."""

import json
import re
from collections.abc import Callable

STRING = rb'"(?:[^"\\]|\\.)*"'
"""A regular expression for a JSON string."""
Test = Callable[[bytes], object]
Rewrite = Callable[[bytes], bytes | None]
"""Returns the bytes that a lenient parser reads instead of the ones that were sent, or None."""
Spoil = Callable[[bytes], bytes]


def text_with(pattern: bytes) -> Test:
    """Returns a test that is true if the pattern occurs in the bytes."""
    return re.compile(pattern, re.DOTALL).search


def tokens_with(pattern: bytes) -> Test:
    """Returns a test that is true if the pattern occurs outside strings. All strings count as empty."""
    search = re.compile(pattern, re.DOTALL).search
    return lambda body: search(re.sub(STRING, b'""', body, flags=re.DOTALL))


def is_unreadable(body: bytes) -> bool:
    """Returns True if Python's JSON parser rejects the bytes."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return True
    return False


def first_value(body: bytes) -> bytes:
    """Returns the JSON value at the beginning of the bytes. Raises ValueError if there is none."""
    text = body.decode().lstrip()
    _, end = json.JSONDecoder().raw_decode(text)
    return text[:end].encode()


def closed(body: bytes) -> bytes:
    """Returns the bytes with closing brackets for all open ones at the end."""
    closing: list[bytes] = []
    for bracket in re.findall(rb"[\[\]{}]", re.sub(STRING, b"", body, flags=re.DOTALL)):
        if bracket in b"[{":
            closing.append(b"]" if bracket == b"[" else b"}")
        elif closing:
            closing.pop()
    return body.rstrip(b" ,") + b"".join(reversed(closing))


def with_text(json_text: bytes) -> Spoil:
    """Returns a function that puts a string, with this spelling, into a plain message."""
    return lambda body: re.sub(rb'"description": "[^"]*"', lambda _: b'"description": "' + json_text + b'"', body)


def with_price(json_text: bytes) -> Spoil:
    """Returns a function that puts a number, with this spelling, into a plain message."""
    return lambda body: body.replace(b'"defaultPrice": 2', b'"defaultPrice": ' + json_text, 1)
