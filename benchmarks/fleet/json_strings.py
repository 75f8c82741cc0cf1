import json
import re
from collections.abc import Callable

STRING = rb'"(?:[^"\\]|\\.)*"'
Test = Callable[[bytes], object]
Rewrite = Callable[[bytes], bytes | None]
"""Maps the bytes that were sent to the bytes that a lenient parser reads. The result is None if the parser cannot read
the message.
"""
Spoil = Callable[[bytes], bytes]


def text_with(pattern: bytes) -> Test:
    return re.compile(pattern, re.DOTALL).search


def tokens_with(pattern: bytes) -> Test:
    """Returns a test that searches for the pattern outside of JSON strings."""
    search = re.compile(pattern, re.DOTALL).search
    return lambda body: search(re.sub(STRING, b'""', body, flags=re.DOTALL))


def is_unreadable(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return True
    return False


def first_value(body: bytes) -> bytes:
    """Raises `ValueError` if the bytes do not begin with a JSON value."""
    text = body.decode().lstrip()
    _, end = json.JSONDecoder().raw_decode(text)
    return text[:end].encode()


def closed(body: bytes) -> bytes:
    """Adds the missing closing brackets at the end of the bytes."""
    closing: list[bytes] = []
    for bracket in re.findall(rb"[\[\]{}]", re.sub(STRING, b"", body, flags=re.DOTALL)):
        if bracket in b"[{":
            closing.append(b"]" if bracket == b"[" else b"}")
        elif closing:
            closing.pop()
    return body.rstrip(b" ,") + b"".join(reversed(closing))


def with_text(json_text: bytes) -> Spoil:
    """The returned function replaces the description in a plain message. `json_text` is the new description as JSON,
    without quotes.
    """
    return lambda body: re.sub(rb'"description": "[^"]*"', lambda _: b'"description": "' + json_text + b'"', body)


def with_price(json_text: bytes) -> Spoil:
    """The returned function replaces the default price in a plain message. `json_text` is the new price as JSON."""
    return lambda body: body.replace(b'"defaultPrice": 2', b'"defaultPrice": ' + json_text, 1)
