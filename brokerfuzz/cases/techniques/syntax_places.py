"""Changes a message at a certain token, for example at the first comma, so that it is no longer JSON."""

import re
from collections.abc import Callable, Sequence

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Rewrite
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext

Tokens = Sequence[bytes]
TokenFinder = Callable[[Tokens], int | None]
"""A function that finds a certain token, for example the first comma, and returns its index, or None."""
Rewriting = Callable[[bytes], bytes | None]
"""A function that returns the changed message, or None if the change is impossible."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"]+')


def slip(how: Rewriting) -> ChangeOf:
    """Returns a technique that turns a valid message into bytes that are not JSON."""

    def change(context: FaultContext) -> Change | None:
        written = how(compact(context.present))
        return None if written is None else Rewrite(lambda _: written)

    return change


def replaced(find: TokenFinder, put: bytes | Callable[[bytes], bytes]) -> Rewriting:
    def rewrite(body: bytes) -> bytes | None:
        tokens = tokens_of(body)
        index = find(tokens)
        if index is None:
            return None
        return b"".join([*tokens[:index], put if isinstance(put, bytes) else put(tokens[index]), *tokens[index + 1 :]])

    return rewrite


def before(find: TokenFinder, put: bytes) -> Rewriting:
    return replaced(find, lambda token: put + token)


def after(find: TokenFinder, put: bytes) -> Rewriting:
    return replaced(find, lambda token: token + put)


def around(first: bytes, last: bytes) -> Rewriting:
    return lambda body: first + body + last


def cut(find: TokenFinder, keep: Callable[[bytes], bytes] = lambda token: token) -> Rewriting:
    """Cuts the message off after a token. `keep` returns the part of the token that remains."""

    def rewrite(body: bytes) -> bytes | None:
        tokens = tokens_of(body)
        index = find(tokens)
        return None if index is None else b"".join([*tokens[:index], keep(tokens[index])])

    return rewrite


def tokens_of(body: bytes) -> Tokens:
    """Splits compact JSON into tokens."""
    return _TOKEN.findall(body)


# -------------------------------------------------------------------------------------------------------- places


def opening(tokens: Tokens) -> int:
    return 0


def closing(tokens: Tokens) -> int:
    return len(tokens) - 1


def name(tokens: Tokens) -> int | None:
    return 1 if tokens[0] == b"{" and len(tokens) > 2 else None


def _first(places: Callable[[Tokens], Sequence[int]]) -> TokenFinder:
    return lambda tokens: next(iter(places(tokens)), None)


def _last(places: Callable[[Tokens], Sequence[int]]) -> TokenFinder:
    return lambda tokens: next(reversed(places(tokens)), None)


def _all(tokens: Tokens, token: bytes) -> list[int]:
    return [index for index, other in enumerate(tokens) if other == token]


def _colons(tokens: Tokens) -> list[int]:
    return _all(tokens, b":")


def _commas(tokens: Tokens) -> list[int]:
    """Returns the indices of commas between properties: a name and a colon follow."""
    return [index for index in _all(tokens, b",") if tokens[index + 2] == b":"]


def _strings(tokens: Tokens) -> list[int]:
    """Returns the indices of strings that are values, and not names of properties."""
    return [
        index for index, token in enumerate(tokens) if token[:1] == b'"' and tokens[index + 1 : index + 2] != [b":"]
    ]


def _booleans(tokens: Tokens) -> list[int]:
    return [index for index, token in enumerate(tokens) if token in (b"true", b"false")]


def _fractions(tokens: Tokens) -> list[int]:
    """Returns the indices of numbers with a fraction. Other integers could break rules about types or bounds."""
    return [
        index + 1 for index in _colons(tokens) if tokens[index + 1][0] in b"-0123456789" and b"." in tokens[index + 1]
    ]


def _arrays(tokens: Tokens) -> list[int]:
    """Returns the indices of the brackets `[` that begin an array of strings."""
    return [index for index in _all(tokens, b"[") if tokens[index + 1][:1] == b'"']


def _array_ends(tokens: Tokens) -> list[int]:
    return [index for index in _all(tokens, b"]") if tokens[index - 1][:1] == b'"']


colon, last_colon = _first(_colons), _last(_colons)
comma, last_comma = _first(_commas), _last(_commas)
string, last_string = _first(_strings), _last(_strings)
boolean, last_boolean = _first(_booleans), _last(_booleans)
number, array, array_end = _first(_fractions), _first(_arrays), _first(_array_ends)
