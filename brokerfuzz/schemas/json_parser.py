"""Parses JSON (RFC 8259) as it is written: with all properties of the same name, and with all digits of numbers.

Python's parser uses recursion, so it fails on a message with a hundred thousand brackets, and its errors depend on the
version of Python. So this module parses deep messages and those with errors with a stack. It checks the syntax of any
text, but the value of an array or an object that is nested too deeply is empty, so that validators can handle the
message.
"""

import json
import math
import re
from contextlib import suppress
from decimal import ROUND_05UP, Context, Decimal
from typing import Any, NamedTuple

from brokerfuzz.schemas.json_errors import json_error

DEEPEST = 64
"""Arrays and objects below this depth are empty."""
_TOKEN = re.compile(
    r"[ \t\n\r]*(?:(?P<array>\[++)|(?P<array_end>\])|(?P<object>\{)|(?P<object_end>\})|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)|(?P<end>\Z))"
)
_TOO_DEEP: list[Any] = []
"""Stands for all arrays that are nested too deeply, because a message can contain a hundred thousand."""
_WORDS = {"true": True, "false": False, "null": None}
Expected = tuple[str, ...]
"""The tokens that the parser expects next: first their description for errors, and then their names."""
_VALUE: Expected = ("a value", "array", "object", "string", "scalar")
_VALUE_OR_END: Expected = ("a value or ]", *_VALUE[1:], "array_end")
_NAME: Expected = ("a property name in double quotes", "string")
_NAME_OR_END: Expected = ("a property name in double quotes or }", "string", "object_end")
_COLON: Expected = (":", "colon")
_IN_ARRAY: Expected = (", or ]", "comma", "array_end")
_IN_OBJECT: Expected = (", or }", "comma", "object_end")
_BEHIND: Expected = ("the end of the message", "end")


class Inexact(NamedTuple):
    """A number that a double cannot represent. `literal` has all digits of the number."""

    literal: str
    rounded: float


class SharedNames(list[tuple[str, Any]]):
    """The properties of an object in which several properties have the same name."""


def parse(text: str) -> Any:
    """Raises `ValueError` if the text is not JSON."""
    if text.count("[") + text.count("{") <= DEEPEST:
        with suppress(ValueError):
            return _DECODER.decode(text)
    return _parse(text)


def _parse(text: str) -> Any:
    opened: list[list[Any]] = []
    names: list[str] = []
    value: Any = None
    expected, position = _VALUE, 0
    while True:
        token = _TOKEN.match(text, position)
        kind = token.lastgroup if token else None
        if token is None or kind not in expected:
            raise ValueError(json_error(text, position, expected[0], allows_string="string" in expected))
        position = token.end()
        match kind:
            case "end":
                return value
            case "comma":
                expected = _VALUE if type(opened[-1]) is list else _NAME
            case "colon":
                expected = _VALUE
            case "string" if expected is _NAME or expected is _NAME_OR_END:
                names[-1] = _string(token[kind])
                expected = _COLON
            case "array":
                opened += [[] for _ in token[kind][: DEEPEST + 1]]
                opened += [_TOO_DEEP] * (len(token[kind]) - DEEPEST - 1)
                names += [""] * len(token[kind])
                expected = _VALUE_OR_END
            case "object":
                opened.append(SharedNames())
                names.append("")
                expected = _NAME_OR_END
            case _:
                if kind in ("array_end", "object_end"):
                    names.pop()
                    value = _closed(opened.pop())
                else:
                    value = _string(token[kind]) if kind == "string" else _scalar(token[kind])
                if opened and len(opened) <= DEEPEST:
                    opened[-1].append(value if type(opened[-1]) is list else (names[-1], value))
                expected = _BEHIND if not opened else _IN_ARRAY if type(opened[-1]) is list else _IN_OBJECT


def _closed(values: list[Any]) -> Any:
    """Returns an array or an object whose end the parser has reached."""
    if type(values) is list:
        return values
    props = dict(values)
    return props if len(props) == len(values) else values


def _string(literal: str) -> str:
    return str(json.loads(literal)) if "\\" in literal else literal[1:-1]


def _scalar(literal: str) -> Any:
    if literal in _WORDS:
        return _WORDS[literal]
    is_integer = not {".", "e", "E"} & set(literal)
    if fits_double(literal):
        return int(literal) if is_integer else float(literal)
    # The digits are those that a double is written with: 1e40 and not 10000000000000000303786028427003666890752.
    return Inexact(literal, int(Decimal(repr(rounded(literal)))) if is_integer else rounded(literal))


def _reject(constant: str) -> float:
    """Python also accepts NaN and Infinity, but JSON does not."""
    raise ValueError(constant)


_DECODER = json.JSONDecoder(
    object_pairs_hook=lambda properties: _closed(SharedNames(properties)),
    parse_int=_scalar,
    parse_float=_scalar,
    parse_constant=_reject,
)
"""Parses messages that are not deep ten times as fast."""


# --------------------------------------------------------------------------------------------------------- numbers

_LARGEST = math.nextafter(math.inf, 0)

LONGEST_NUMBER = 640
"""The maximum length of a number, in characters. brokerfuzz treats a longer number like a number that a double cannot
represent. This limit exists because Python can be configured to reject integers of more than 640 digits.
"""

_EXACT = Context(prec=LONGEST_NUMBER, rounding=ROUND_05UP, Emin=-LONGEST_NUMBER, Emax=LONGEST_NUMBER, traps=[])
"""Rounds numbers that are longer than 640 digits or too large. A rounded number is on the same side of each bound of a
schema as the original number.

With `ROUND_05UP`, the 640th digit of a rounded number is never 0. Bounds are shorter, so no rounded number equals a
bound.
"""


def exact(literal: str) -> Decimal:
    """Returns the exact value of a number. See `_EXACT` for numbers that are too long or too large."""
    return _EXACT.create_decimal(literal)


def fits_double(literal: str) -> bool:
    """Returns whether a number stays the same if it is parsed as a double and written again."""
    if len(literal) <= 15 and "e" not in literal and "E" not in literal:
        return True
    return len(literal) <= LONGEST_NUMBER and exact(literal) == Decimal(repr(float(literal)))


def integer(literal: str) -> int | float:
    """Parses an integer. One with more than 4,300 digits becomes the largest double with its sign."""
    try:
        return int(literal)
    except ValueError:
        return rounded(literal)


def rounded(literal: str) -> float:
    """Converts a number to a double. If the number is out of range, returns the largest double with the same sign."""
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value


# ----------------------------------------------------------------------------------------------------------- files


def parsed_document(contents: bytes, **options: Any) -> Any:
    """Returns the value of a file. `options` are those of `json.loads`. Raises `ValueError` with the place of the first
    error.
    """
    try:
        return json.loads(contents, parse_constant=_reject, **options)
    except RecursionError:
        raise ValueError("the data is nested too deeply") from None
    except UnicodeDecodeError as problem:
        raise ValueError(f"byte {problem.start + 1:,} is not {problem.encoding.upper()}") from None
    except ValueError:
        parse(contents.decode(json.detect_encoding(contents)))  # its errors are the same in every version of Python
        raise
