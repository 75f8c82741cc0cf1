"""Says where a text is not JSON, and what the person who wrote it can do."""

import re

_BEGUN_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*')
_INTEGER_BEFORE_COMMA = re.compile(r"-?[0-9]+(?=\s*,$)")
_DIGITS = re.compile("[0-9]+")
_NEAR = 40
"""The number of characters beside an error that can explain it."""


def json_error(text: str, position: int, expected: str, *, allows_string: bool) -> str:
    """Describes the first error in a text. The error is at `position`, or after the white space there. The parser
    expected something else (`expected`), perhaps a string.
    """
    at = position + len(text[position:]) - len(text[position:].lstrip(" \t\n\r"))
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    place = f"line {line}, column {column}"
    if allows_string and text[at : at + 1] == '"':
        return f"the string at {place} {_wrong_string(text, at)}"
    return f"expected {expected} at {place}{_advice(text, at)}"


def _wrong_string(text: str, at: int) -> str:
    begun = _BEGUN_STRING.match(text, at)
    end = at + 1 if begun is None else begun.end()
    wrong = text[end : end + 1]
    if not wrong:
        return "does not end: add a double quote"
    if wrong == "\\":
        return f"contains {text[end : end + 2]}: write a backslash as \\\\"
    if wrong in "\r\n":
        return "contains a line break: write \\n instead, or add a missing double quote"
    return f"contains a control character: write \\u{ord(wrong):04x} instead"


def _advice(text: str, at: int) -> str:
    before = text[:at].rstrip()
    if not before.endswith(","):
        return ""
    if text[at : at + 1] in ("}", "]"):
        return ": remove the comma before it"
    integer = _INTEGER_BEFORE_COMMA.search(before[-_NEAR:])
    decimals = _DIGITS.match(text[at : at + _NEAR])
    return f": write a decimal point, {integer[0]}.{decimals[0]}" if integer and decimals else ""
