"""Shows the body of a message as lines: JSON with indentation, or binary data in hexadecimal. Only a part of a long
body is shown.

Only the white space around braces, brackets, colons and commas changes. The lines keep all other characters, because
any of them can make a message invalid.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 12_000
"""The maximum number of bytes that are shown of one body."""
MOST_LINES = 160
_MOST_HEX = 512  # bytes
_HEX_LINE = 8  # bytes
_DEEPEST = 24  # levels of indentation
_MARKS = frozenset("{}[],:")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[ \t\r\n]+|[^"{}\[\],: \t\r\n]+', re.DOTALL)


@dataclass(frozen=True)
class Lines:
    """The lines to show, and the number of omitted bytes before and after these lines."""

    lines: list[str]
    before: int = 0
    after: int = 0


def lines_of(
    body: bytes, start: int = 0, *, longest: int = LONGEST, limit: int = MOST_LINES, laid_out: bool = True
) -> Lines:
    """Shows the body from the character at the byte `start`. With `laid_out`, each line contains one property of a JSON
    object.
    """
    start, end = _start_of_character(body, start), _start_of_character(body, start + longest)
    part = body[start:end]
    text = _text(part)
    if text is None:
        return Lines(list(_hex(part[:_MOST_HEX], start)), start, max(len(body) - start - _MOST_HEX, 0))
    whole_json = (
        laid_out and not start and text[:1] in ("{", "[")
    )  # a part from the middle of a body may begin inside a string
    lines, rest = _layout(text, limit) if whole_json else _split(text, limit)
    return Lines(
        [_escaped(line) for line in lines],
        start,
        len(body) - start - len(part) + len(rest.encode(errors="surrogateescape")),
    )


def _start_of_character(body: bytes, at: int) -> int:
    """Returns the position of the first byte of the character that contains byte `at`. Returns `at` if the body is not
    UTF-8.
    """
    at = min(at, len(body))
    return next((back for back in range(at, max(at - 4, -1), -1) if back == len(body) or body[back] & 0xC0 != 0x80), at)


def _text(part: bytes) -> str | None:
    """Decodes bytes as text, in which invalid bytes become surrogates. Returns None if too many bytes are not printable
    ASCII.
    """
    try:
        return part.decode()
    except UnicodeDecodeError:
        readable = sum(byte in b"\t\n\r" or 0x20 <= byte < 0x7F for byte in part)
        return part.decode(errors="surrogateescape") if readable >= 0.7 * len(part) else None


def _escaped(line: str) -> str:
    return line.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _hex(part: bytes, start: int) -> Iterator[str]:
    for at in range(0, len(part), _HEX_LINE):
        row = part[at : at + _HEX_LINE]
        characters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in row)
        yield f"{start + at:04x}  {row.hex(' '):<{3 * _HEX_LINE}} {characters}"


def _split(text: str, limit: int) -> tuple[list[str], str]:
    lines = text.split("\n", limit)
    return lines[:limit], "".join(lines[limit:])


def _layout(text: str, limit: int) -> tuple[list[str], str]:
    """Splits JSON into at most `limit` lines, with one property or item per line. Returns the lines and the remaining
    text.
    """
    lines: list[str] = []
    line, depth, before, gap = "", 0, ",", ""
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece[0] in " \t\r\n":
            gap = piece
            continue
        closes = piece in ("}", "]")
        depth -= closes and depth > 0
        if before == "," or (before in ("{", "[")) != closes:
            lines += [line] if match.start() else []
            if len(lines) == limit:
                return lines, text[match.start() :]
            line = "  " * min(depth, _DEEPEST)
        elif before not in _MARKS and piece not in _MARKS:
            line += gap
        line += ": " if piece == ":" else piece
        depth += piece in ("{", "[")
        before, gap = piece, ""
    return [*lines, line], ""
