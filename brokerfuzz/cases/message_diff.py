"""Shows the differences between two messages, line by line, with one property per line.

The lines contain the original text of the JSON, because a parsed message would not show duplicate properties, or the
difference between `1.0` and `1`. Bytes that are not JSON are laid out in the same way, as far as they look like JSON.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from brokerfuzz.errors import shortened
from brokerfuzz.wording import printable_as_in_python

WIDEST = 72
"""The maximum number of characters in a line. The middle of a longer line is left out."""
MOST_CHANGED = 8
"""The maximum number of lines that `changed_lines` returns."""
MOST_LINES = 12
"""The maximum length of a block of lines that only one of the messages contains. The middle of a longer block is left
out.
"""
_LARGEST = 1 << 17
"""A message of more bytes is a single line, because comparing thousands of lines takes too long."""
_DEEPEST = 20
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"{}\[\],:]+|.', re.DOTALL)


def difference(twin: bytes, body: bytes) -> list[str]:
    """Compares two messages line by line. In the result, a line begins with `-` (only in the twin, the valid
    counterpart), with `+` (only in the message) or with a space (in both).
    """
    return list(_compared(_lines_of(twin), _lines_of(body)))


def changed_lines(twin: bytes, body: bytes) -> list[str]:
    """Returns the lines of `difference` that only one of the messages contains, but at most `MOST_CHANGED` lines."""
    lines = [line for line in difference(twin, body) if line[:1] in "+-"]
    left_out = len(lines) - MOST_CHANGED + 1
    return lines if left_out <= 1 else [*lines[: MOST_CHANGED - 1], f"... {left_out:,} more lines"]


def laid_out(body: bytes) -> list[str]:
    """Returns a message as lines, with one property per line. A long line is shown without its middle."""
    return [shortened(line, WIDEST) for line in _lines_of(body)]


def _compared(before: list[str], after: list[str]) -> Iterator[str]:
    for operation, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if operation == "equal":
            yield from (f"  {line}" for line in _limited(before[i:j]))
        else:
            yield from (f"- {line}" for line in _limited(before[i:j]))
            yield from (f"+ {line}" for line in _limited(after[k:m]))


def _limited(lines: list[str]) -> list[str]:
    if len(lines) > MOST_LINES:
        left_out = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES // 2], f"... {left_out:,} more lines", *lines[-(MOST_LINES // 2 - 1) :]]
    return [shortened(line, WIDEST) for line in lines]


def _lines_of(body: bytes) -> list[str]:
    text = body.decode(errors="backslashreplace")
    lines = _indented(text) if len(body) <= _LARGEST else [text]
    return [printable_as_in_python(line) for line in lines]


def _indented(text: str) -> list[str]:
    lines, depth = [""], 0
    for token in _TOKEN.findall(text):
        match token:
            case "{" | "[":
                depth += 1
                lines[-1] += token
                lines.append(_indent(depth))
            case "}" | "]":
                depth -= 1
                if len(lines) > 1 and not lines[-1].strip() and lines[-2][-1:] in ("{", "["):
                    lines.pop()  # the object or the array is empty
                else:
                    lines.append(_indent(depth))
                lines[-1] += token
            case ",":
                lines[-1] += token
                lines.append(_indent(depth))
            case ":":
                lines[-1] += ": "
            case _:
                lines[-1] += token.strip(" \t\r\n")
    return [line for line in lines if line.strip()]


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST)
