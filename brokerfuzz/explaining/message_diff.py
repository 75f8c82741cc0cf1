"""The difference of two messages, line by line, for people.

JSON is laid out, a property a line, without reading it: a parser would hide `1.0` behind `1`, and a property given twice. What is no
JSON stands there as its bytes, with a mark under what differs.
"""

import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from brokerfuzz.errors import shortened
from brokerfuzz.wording import printable_as_in_python

WIDEST = 72
"""Characters of a line, beyond which its middle is left out."""
MOST_LINES = 12
"""Lines of one side that stand together, beyond which their middle is left out."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"{}\[\],:]+|.', re.DOTALL)
_INDENT = "  "


def difference(twin: bytes, body: bytes) -> list[str]:
    """Lines that begin with `  ` (in both), `- ` (in the twin alone) or `+ ` (in the message alone)."""
    before, after = _laid_out(twin), _laid_out(body)
    return list(_lines(before, after)) if before and after and before != after else _marked(twin, body)


def laid_out(body: bytes) -> list[str]:
    """A message alone, a property a line; what is no JSON as its bytes, without the middle where it is long."""
    found = _laid_out(body)
    return [shortened(line, WIDEST) for line in found] if found else [shortened(_text(body), WIDEST)]


def _lines(before: list[str], after: list[str]) -> Iterator[str]:
    for operation, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if operation == "equal":
            yield from (f"  {line}" for line in _few(before[i:j]))
        else:
            yield from (f"- {line}" for line in _few(before[i:j]))
            yield from (f"+ {line}" for line in _few(after[k:m]))


def _few(lines: list[str]) -> list[str]:
    if len(lines) > MOST_LINES:
        left_out = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES // 2], f"... {left_out:,} lines more", *lines[-(MOST_LINES // 2 - 1) :]]
    return [shortened(line, WIDEST) for line in lines]


def _laid_out(body: bytes) -> list[str] | None:
    """JSON as lines; None where the bytes are no JSON in UTF-8, too many, or hold what a line would hide."""
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
    return _closed(lines)


def _closed(lines: list[str]) -> list[str]:
    """Empty arrays and objects on one line."""
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
    """Both as text, around the first difference, with marks under what differs."""
    start = next((index for index, (a, b) in enumerate(zip(twin, body, strict=False)) if a != b), min(len(twin), len(body)))
    end = _alike_at_the_end(twin[start:], body[start:])
    begin = 0 if len(twin) <= WIDEST else max(start - _BEFORE, 0)
    return [*_excerpt("- ", twin, begin, start, len(twin) - end), *_excerpt("+ ", body, begin, start, len(body) - end)]


def _alike_at_the_end(a: bytes, b: bytes) -> int:
    most = min(len(a), len(b))
    return next((count for count in range(most) if a[-1 - count] != b[-1 - count]), most)


def _excerpt(sign: str, body: bytes, begin: int, start: int, end: int) -> list[str]:
    """What lies around the difference, which is from `start` to before `end`."""
    before = ("... " if begin else "") + _text(body[begin:start])
    different = shortened(_text(body[start:end]), WIDEST)
    after = _text(body[end : end + _AFTER]) + (" ..." if len(body) > end + _AFTER else "")
    size = f"  ({len(body):,} bytes)" if len(body) > 4 * WIDEST else ""
    marks = [f"  {' ' * len(before)}{'^' * len(different)}"] if different else []
    return [f"{sign}{before}{different}{after}{size}", *marks]


def _text(raw: bytes) -> str:
    """Bytes as text of one line."""
    return printable_as_in_python(raw.decode(errors="backslashreplace"))
