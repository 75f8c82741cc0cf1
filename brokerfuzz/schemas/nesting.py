"""Checks the syntax of JSON, says what is wrong with it, and removes the deepest values of deeply nested JSON.

Parsers and validators use recursion, so they fail on a message with a hundred thousand brackets. This module uses a
stack instead of recursion. It removes the deepest values, so that parsers and validators can handle the message.
"""

import re

_TOKEN = re.compile(
    r"[ \t\n\r]*(?:(?P<arrays>\[+)|(?P<array_ends>\]+)|(?P<object>\{)|(?P<object_end>\})|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)|(?P<end>\Z))"
)
Expected = tuple[str, ...]
"""The tokens that the parser expects next: first their description for errors, and then their names."""
_VALUE: Expected = ("a value", "arrays", "object", "string", "scalar")
_VALUE_OR_END: Expected = ("a value or ]", *_VALUE[1:], "array_ends")
_NAME: Expected = ("a property name in double quotes", "string")
_NAME_OR_END: Expected = ("a property name in double quotes or }", "string", "object_end")
_COLON: Expected = (":", "colon")
_IN_ARRAY: Expected = (", or ]", "comma", "array_ends")
_IN_OBJECT: Expected = (", or }", "comma", "object_end")
_BEHIND: Expected = ("the end of the message", "end")


def shallow(text: str, deepest: int) -> str:
    """Returns a copy of a JSON text that has an empty object or array in place of each one deeper than `deepest`.
    Raises `ValueError` if the text is not JSON.
    """
    open_ones = bytearray()
    kept: list[str] = []
    start, position = 0, 0
    expected = _VALUE
    while True:
        token = _TOKEN.match(text, position)
        kind = token.lastgroup if token else None
        if token is None or kind not in expected[1:]:
            raise ValueError(_problem(text, position, expected))
        begin, position = token.span(kind)
        depth = len(open_ones)
        match kind:
            case "end":
                return "".join([*kept, text[start:]])
            case "comma":
                expected = _VALUE if open_ones[-1:] == b"[" else _NAME
            case "colon":
                expected = _VALUE
            case "string" if expected is _NAME or expected is _NAME_OR_END:
                expected = _COLON
            case "arrays" | "object":
                open_ones += token[kind].encode()
                if depth <= deepest < len(open_ones):
                    kept.append(text[start : begin + deepest - depth + 1])
                expected = _VALUE_OR_END if kind == "arrays" else _NAME_OR_END
            case _:
                if kind in ("array_ends", "object_end"):
                    _close(open_ones, token[kind], begin)
                    if len(open_ones) <= deepest < depth:
                        start = begin + depth - deepest - 1
                expected = _behind_value(open_ones)


def _problem(text: str, position: int, expected: Expected) -> str:
    at = position + len(text[position:]) - len(text[position:].lstrip(" \t\n\r"))
    if text[at : at + 1] == '"' and "string" in expected:
        return f"unterminated or malformed string that starts at character {at}"
    return f"expected {expected[0]} at character {at}"


def _close(open_ones: bytearray, ends: str, begin: int) -> None:
    if not open_ones.endswith(b"[" * len(ends) if ends[0] == "]" else b"{"):
        raise ValueError(f"unmatched {ends[0]} after character {begin}")
    del open_ones[-len(ends) :]


def _behind_value(open_ones: bytearray) -> Expected:
    if not open_ones:
        return _BEHIND
    return _IN_ARRAY if open_ones[-1:] == b"[" else _IN_OBJECT
