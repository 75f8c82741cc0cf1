"""Slips: places in the text of a message, and how it is rewritten there."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from brokerfuzz.cases.changes import Rewrite
from brokerfuzz.cases.techniques.registry import enter
from brokerfuzz.schemas.sites import JSON_RULE

Tokens = Sequence[bytes]
Place = Callable[[Tokens], int]
"""Finds the token at a place. Every message has every place: where it has no number, the first value is taken, and so on."""
Rewriting = Callable[[bytes], bytes]

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"]+')


def slip(name: str, text: str, how: Rewriting, *, family: str = "syntax") -> None:
    """Registers a technique that rewrites a whole message into what is no JSON."""
    enter(name, text, JSON_RULE, family=family, change=lambda spot: Rewrite(how))


def at(place: Place, put: bytes | Callable[[bytes], bytes]) -> Rewriting:
    """Puts bytes in place of the token there."""

    def rewrite(body: bytes) -> bytes:
        found = tokens(body)
        index = place(found)
        return b"".join([*found[:index], put if isinstance(put, bytes) else put(found[index]), *found[index + 1 :]])

    return rewrite


def before(place: Place, put: bytes) -> Rewriting:
    """Puts bytes before the token there."""
    return at(place, lambda token: put + token)


def behind(place: Place, put: bytes) -> Rewriting:
    """Puts bytes behind the token there."""
    return at(place, lambda token: token + put)


def instead(body: bytes) -> Rewriting:
    """Puts other bytes in place of the message."""
    return lambda _: body


def around(first: bytes, last: bytes) -> Rewriting:
    """Puts bytes before the message and behind it."""
    return lambda body: first + body + last


def cut(place: Place, keep: Callable[[bytes], bytes] = lambda token: token) -> Rewriting:
    """Ends the text behind the token there, or with what `keep` leaves of it."""

    def rewrite(body: bytes) -> bytes:
        found = tokens(body)
        index = place(found)
        return b"".join([*found[:index], keep(found[index])])

    return rewrite


@lru_cache(maxsize=8)  # some hundred slips are made in one message after the other
def tokens(body: bytes) -> Tokens:
    """The tokens of a JSON text without white space."""
    return _TOKEN.findall(body)


# -------------------------------------------------------------------------------------------------------- places


def opening(found: Tokens) -> int:
    """The brace that opens the message."""
    return 0


def closing(found: Tokens) -> int:
    """The brace that closes the message."""
    return len(found) - 1


def name(found: Tokens) -> int:
    """The first name."""
    return min(1, closing(found))


def colon(found: Tokens) -> int:
    """The first colon."""
    return min(2, closing(found))


def value(found: Tokens) -> int:
    """The first value, or the bracket that opens it."""
    return min(3, closing(found))


def comma(found: Tokens) -> int:
    """The first comma between members."""
    return next((index for index in _all(found, b",") if found[index + 2] == b":"), closing(found))


def last_comma(found: Tokens) -> int:
    """The last comma between members."""
    return next((index for index in reversed(_all(found, b",")) if found[index + 2] == b":"), closing(found))


def last_name(found: Tokens) -> int:
    """The name behind the last colon's."""
    return max(last_colon(found) - 1, 0)


def last_colon(found: Tokens) -> int:
    """The last colon."""
    return next(reversed(_all(found, b":")), closing(found))


def text(found: Tokens) -> int:
    """The first value that is a text."""
    return next(iter(_texts(found)), value(found))


def last_text(found: Tokens) -> int:
    """The last value that is a text."""
    return next(reversed(_texts(found)), value(found))


def number(found: Tokens) -> int:
    """The first member that is a number with a fraction, else the first one that is a number."""
    numbers = [index + 1 for index in _all(found, b":") if found[index + 1][0] in b"-0123456789"]
    return next((index for index in numbers if b"." in found[index]), next(iter(numbers), value(found)))


def boolean(found: Tokens) -> int:
    """The first true or false."""
    return next((index for index, token in enumerate(found) if token in (b"true", b"false")), value(found))


def last_boolean(found: Tokens) -> int:
    """The last true or false."""
    return next((index for index in range(closing(found), -1, -1) if found[index] in (b"true", b"false")), value(found))


def array(found: Tokens) -> int:
    """The bracket that opens the first array of texts, else of anything."""
    filled = [index for index in _all(found, b"[") if found[index + 1] != b"]"]
    return next((index for index in filled if found[index + 1][:1] == b'"'), next(iter(filled), value(found)))


def array_end(found: Tokens) -> int:
    """The bracket that closes the first array of texts, else of anything."""
    filled = [index for index in _all(found, b"]") if found[index - 1] != b"["]
    return next((index for index in filled if found[index - 1][:1] == b'"'), next(iter(filled), closing(found)))


def _all(found: Tokens, token: bytes) -> list[int]:
    return [index for index, one in enumerate(found) if one == token]


def _texts(found: Tokens) -> list[int]:
    return [index for index, token in enumerate(found) if token[:1] == b'"' and found[index + 1] != b":"]
