"""Shows the differences between two messages, line by line, with one property per line.

The lines contain the original text of the JSON, because a parsed message would not show duplicate properties, or the
difference between `1.0` and `1`. For bytes that are not JSON, marks show where the difference is.
"""

import json
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

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"{}\[\],:]+|.', re.DOTALL)
_INDENT = "  "


def difference(twin: bytes, body: bytes) -> list[str]:
    """Compares two messages line by line. In the result, a line begins with `-` (only in the twin, the valid
    counterpart), with `+` (only in the message) or with a space (in both).
    """
    before, after = _laid_out(twin), _laid_out(body)
    return list(_lines(before, after)) if before and after and before != after else _marked(twin, body)


def changed_lines(twin: bytes, body: bytes) -> list[str]:
    """Returns the lines of `difference` that only one of the messages contains, but at most `MOST_CHANGED` lines."""
    lines = [line for line in difference(twin, body) if line[:1] in "+-" or set(line) == {" ", "^"}]
    return (
        lines
        if len(lines) <= MOST_CHANGED
        else [*lines[: MOST_CHANGED - 1], f"... {len(lines) - MOST_CHANGED + 1:,} more lines"]
    )


def laid_out(body: bytes) -> list[str]:
    """Returns a message as lines, with one property per line. Bytes that are not JSON become one line. A long line is
    shown without its middle.
    """
    found = _laid_out(body)
    return [shortened(line, WIDEST) for line in found] if found else [shortened(_text(body), WIDEST)]


def _lines(before: list[str], after: list[str]) -> Iterator[str]:
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


def _laid_out(body: bytes) -> list[str] | None:
    """Returns a JSON message as lines. Returns None if the bytes are not JSON in UTF-8, are too long, or contain
    unprintable characters.
    """
    if len(body) > 1 << 17:
        return None
    try:
        text = body.decode()
        json.loads(text, parse_constant=_reject)
    except (ValueError, RecursionError):
        return None
    return _indented(text) if text.isprintable() else None


def _reject(constant: str) -> None:
    raise ValueError(constant)


def _indented(text: str) -> list[str]:
    lines, depth = [""], 0
    for token in _TOKEN.findall(text):
        match token:
            case "{" | "[":
                depth += 1
                lines[-1] += token
                lines.append(_INDENT * depth)
            case "}" | "]":
                depth -= 1
                lines.append(_INDENT * depth + token)
            case ",":
                lines[-1] += token
                lines.append(_INDENT * depth)
            case ":":
                lines[-1] += ": "
            case _:
                lines[-1] += token.strip()
    return _with_empty_brackets_joined(lines)


def _with_empty_brackets_joined(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if len(kept) > 1 and not kept[-1].strip() and line.strip()[:1] in ("}", "]"):
            kept.pop()
            kept[-1] += line.strip()
        else:
            kept.append(line)
    return kept


# ------------------------------------------------------------------------------------------------------ as bytes

_BEFORE, _AFTER = 30, 30


def _marked(twin: bytes, body: bytes) -> list[str]:
    """Returns excerpts of both messages around the first difference, with marks under the difference."""
    start = next(
        (index for index, (a, b) in enumerate(zip(twin, body, strict=False)) if a != b), min(len(twin), len(body))
    )
    end = _common_suffix_length(twin[start:], body[start:])
    begin = 0 if len(twin) <= WIDEST else max(start - _BEFORE, 0)
    return [*_excerpt("- ", twin, begin, start, len(twin) - end), *_excerpt("+ ", body, begin, start, len(body) - end)]


def _common_suffix_length(a: bytes, b: bytes) -> int:
    limit = min(len(a), len(b))
    return next((count for count in range(limit) if a[-1 - count] != b[-1 - count]), limit)


def _excerpt(sign: str, body: bytes, begin: int, start: int, end: int) -> list[str]:
    """Returns a line with the part of `body` that begins at `begin`, and a line with marks under the difference
    `body[start:end]`.
    """
    before = ("... " if begin else "") + _text(body[begin:start])
    different = shortened(_text(body[start:end]), WIDEST)
    after = _text(body[end : end + _AFTER]) + (" ..." if len(body) > end + _AFTER else "")
    size = f"  ({len(body):,} bytes)" if len(body) > 4 * WIDEST else ""
    marks = [f"  {' ' * len(before)}{'^' * len(different)}"] if different else []
    return [f"{sign}{before}{different}{after}{size}", *marks]


def _text(raw: bytes) -> str:
    return printable_as_in_python(raw.decode(errors="backslashreplace"))
