"""Compares the statuses and the texts of answers. The comparison ignores details.

Details are numbers, words with digits (such as IDs), quoted values, and strings that the answer copies from the
message.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from brokerfuzz.targets.answers import EXCERPT, Answer

_QUOTED = re.compile(r"""(?<!\w)(?:'[^']*'|"[^"]*"|`[^`]*`|‘[^’]*’|“[^”]*”)(?!\w)""")
_DETAIL = " '…' "
_WITH_DIGITS = re.compile(r"[\w.]*\d[\w.]*")
_SOURCES = "py|js|mjs|cjs|ts|php|rb|go|java|kt|scala|cs|rs|ex|pl"
_LINE_OF_CODE = re.compile(rf"([\w-]+\.(?:{_SOURCES}))(?::| on line | line |\\?\", line )(\d+)")
"""A file with a line, as in `ValueError: day is out of range (service.py:20)` and in stack traces of many languages."""
_OF_JAVA = re.compile(r"at java\.base/[^\n]*")
_ESCAPED_BREAK = re.compile(r"\\[nrt]")
_SHORTEST = 3  # the minimum number of characters of a string of the message that is no word of a text by chance
_LONGEST = 300  # the maximum number of characters of each string that are compared


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The text of an answer, without details. `head` consists of the kind of the answer and the HTTP status. Without an
    HTTP status, `head` contains `Answer.reason` instead, and for a crash at a known line of code, this line. `parts`
    are the strings of a JSON body, or the lines of any other body. If only the beginning of the body is known, `parts`
    is None.
    """

    head: str
    parts: frozenset[str] | None = frozenset()

    def includes(self, other: "AnswerText") -> bool:
        """Returns True if both texts have the same `head`, and this text contains every string of `other`. `other` must
        have at least one string. It may have fewer strings than this text, because the answer to a shrunk message may
        name only one of two problems. If the strings of either text are unknown, or this text has none, only `head`
        must be equal.
        """
        if self.head != other.head:
            return False
        return not self.parts or other.parts is None or (bool(other.parts) and other.parts <= self.parts)

    @property
    def key(self) -> tuple[str, ...]:
        """Equal texts have equal keys, even in different campaigns."""
        return (self.head, *sorted(self.parts or ()))


def text_of(answer: Answer, message: bytes = b"", causes: Iterable[str] = ()) -> AnswerText:
    """Returns the text of an answer without details, which include the strings of the message. Very short strings may
    be in the text by chance, so they are details only if they are in `causes`, the values that cause the answer.
    """
    if line := line_of_code(answer):
        return AnswerText(f"{answer.kind} at {line}")
    strings = _json_strings(answer.body)
    texts = answer.body.decode(errors="replace").splitlines() if strings is None else strings
    reason = answer.reason if answer.status is None else ""
    copied = set(_json_strings(message) or ())
    values = _pattern([value for value in copied if any(value in text for text in (reason, *texts))], causes)
    head = f"{answer.kind} {without_details(reason, values) if answer.status is None else answer.status}"
    if len(answer.body) >= EXCERPT:
        return AnswerText(head, None)
    parts = (without_details(part, values) for part in texts if part not in copied)
    return AnswerText(head, frozenset(part for part in parts if part))


def line_of_code(answer: Answer) -> str:
    """Returns the line of code that the answer to a crash names, such as `service.py:20`, or an empty string. Of the
    lines of a stack trace, it is the innermost: the last one in Python, and the first one in other languages. Lines of
    the classes that belong to Java do not count. In JSON, line breaks are escaped.
    """
    if answer.kind != "crashed":
        return ""
    lines = list(_LINE_OF_CODE.finditer(answer.reason))
    if not lines:
        text = _ESCAPED_BREAK.sub("\n", answer.body.decode(errors="replace"))
        lines = list(_LINE_OF_CODE.finditer(_OF_JAVA.sub("", text)))
    if not lines:
        return ""
    innermost = lines[-1] if ", line " in lines[-1][0] else lines[0]
    return f"{innermost[1]}:{innermost[2]}"


def _pattern(copied: Iterable[str], causes: Iterable[str]) -> str:
    """Returns a regular expression for these strings of the message, also in quotes."""
    values = [re.escape(value) for value in copied if len(value) >= _SHORTEST]
    values += [rf"(?<!\w){re.escape(value)}(?!\w)" for value in causes if 0 < len(value) < _SHORTEST]
    any_value = "|".join(sorted(values, key=len, reverse=True))
    return rf"[\"'`‘“]?(?:{any_value})[\"'`’”]?" if any_value else ""


def without_details(text: str, values: str = "") -> str:
    """Replaces what the regular expression `values` matches, and each quoted value, with `'…'`, and each word that
    contains a digit with `#`.
    """
    text = re.sub(values, _DETAIL, text[:_LONGEST]) if values else text[:_LONGEST]
    return " ".join(_WITH_DIGITS.sub("#", _QUOTED.sub(_DETAIL, text)).split())


def _json_strings(data: bytes) -> list[str] | None:
    """Returns the string values in a JSON text, without property names. Returns None if `data` is not JSON."""
    try:
        waiting = [json.loads(data)]
    except (ValueError, RecursionError):
        return None
    strings = []
    while waiting:
        match waiting.pop():
            case str() as text:
                strings.append(text)
            case list() as items:
                waiting += items
            case dict() as props:
                waiting += props.values()
            case _:
                pass
    return strings
