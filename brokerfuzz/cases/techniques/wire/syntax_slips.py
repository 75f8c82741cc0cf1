"""Slips: places in the text of a message, and how it is rewritten there."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Rewrite
from brokerfuzz.cases.techniques.registry import Spot, enter
from brokerfuzz.schemas.sites import JSON_RULE

Tokens = Sequence[bytes]
Place = Callable[[Tokens], int | None]
"""Finds the token at a place; None where a message has no such place."""
Rewriting = Callable[[bytes], bytes | None]
"""What becomes of a message; None where it cannot be done to it."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"]+')


def slip(name: str, text: str, how: Rewriting, *, family: str = "syntax") -> None:
    """Registers a technique that rewrites a whole message into what is no JSON."""

    def change(spot: Spot) -> Change | None:
        written = how(compact(spot.present))
        return None if written is None else Rewrite(lambda _: written)

    enter(name, text, JSON_RULE, family=family, change=change)


def at(place: Place, put: bytes | Callable[[bytes], bytes]) -> Rewriting:
    """Puts bytes in place of the token there."""

    def rewrite(body: bytes) -> bytes | None:
        found = tokens(body)
        index = place(found)
        if index is None:
            return None
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

    def rewrite(body: bytes) -> bytes | None:
        found = tokens(body)
        index = place(found)
        return None if index is None else b"".join([*found[:index], keep(found[index])])

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


def name(found: Tokens) -> int | None:
    """The first name."""
    return 1 if len(found) > 2 else None


def colon(found: Tokens) -> int | None:
    """The first colon."""
    return _first(_all(found, b":"))


def comma(found: Tokens) -> int | None:
    """The first comma between properties."""
    return _first(_commas(found))


def last_comma(found: Tokens) -> int | None:
    """The last comma between properties."""
    return _first(_commas(found)[::-1])


def last_name(found: Tokens) -> int | None:
    """The last name."""
    last = last_colon(found)
    return None if last is None else last - 1


def last_colon(found: Tokens) -> int | None:
    """The last colon."""
    return _first(_all(found, b":")[::-1])


def text(found: Tokens) -> int | None:
    """The first value that is a text."""
    return _first(_texts(found))


def last_text(found: Tokens) -> int | None:
    """The last value that is a text."""
    return _first(_texts(found)[::-1])


def number(found: Tokens) -> int | None:
    """The first property that is a number with a fraction: where an integer belongs, many numbers would be rejected for another reason."""
    return _first([index + 1 for index in _all(found, b":") if found[index + 1][0] in b"-0123456789" and b"." in found[index + 1]])


def boolean(found: Tokens) -> int | None:
    """The first true or false."""
    return _first(_booleans(found))


def last_boolean(found: Tokens) -> int | None:
    """The last true or false."""
    return _first(_booleans(found)[::-1])


def array(found: Tokens) -> int | None:
    """The bracket that opens the first array of texts."""
    return _first([index for index in _all(found, b"[") if found[index + 1][:1] == b'"'])


def array_end(found: Tokens) -> int | None:
    """The bracket that closes the first array of texts."""
    return _first([index for index in _all(found, b"]") if found[index - 1][:1] == b'"'])


def _first(indices: Sequence[int]) -> int | None:
    return indices[0] if indices else None


def _all(found: Tokens, token: bytes) -> list[int]:
    return [index for index, one in enumerate(found) if one == token]


def _commas(found: Tokens) -> list[int]:
    return [index for index in _all(found, b",") if found[index + 2] == b":"]


def _texts(found: Tokens) -> list[int]:
    return [index for index, token in enumerate(found) if token[:1] == b'"' and found[index + 1] != b":"]


def _booleans(found: Tokens) -> list[int]:
    return [index for index, token in enumerate(found) if token in (b"true", b"false")]
