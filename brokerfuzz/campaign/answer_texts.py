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
_WITH_DIGITS = re.compile(r"[\w.]*\d[\w.]*")
_TEXT_OF_EXCEPTION = re.compile(r":.*(?= \(\S+:\d+\)$)")
"""What an exception says, if its line of code is known. It may say anything: `AssertionError: Draft (reader.py:18)`."""
_SHORTEST = 3  # the minimum number of characters of a string of the message that is no word of a text by chance
_MOST_PARTS = 200  # the maximum number of strings (or lines) of an answer that are compared
_LONGEST = 300  # the maximum number of characters of each string that are compared


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The text of an answer, without details. `head` consists of the kind of the answer and the HTTP status. Without an
    HTTP status, `head` contains `Answer.reason` instead. `parts` are the strings of a JSON body, or the lines of any
    other body. If only the beginning of the body is known, `parts` is None.
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
    strings_of_message = set(_json_strings(message) or ())
    copied = sorted((value for value in strings_of_message if len(value) >= _SHORTEST), key=len, reverse=True)
    short = "|".join(re.escape(value) for value in causes if 0 < len(value) < _SHORTEST)

    def general(text: str) -> str:
        for value in copied:
            text = text.replace(value, "'…'")
        return without_details(re.sub(rf"(?<!\w)(?:{short})(?!\w)", "'…'", text) if short else text)

    head = f"{answer.kind} {answer.status}"
    if answer.status is None:
        head = f"{answer.kind} {general(_TEXT_OF_EXCEPTION.sub('', answer.reason))}"
    if len(answer.body) >= EXCERPT:
        return AnswerText(head, None)
    strings = _json_strings(answer.body)
    found = answer.body.decode(errors="replace").splitlines()[:_MOST_PARTS] if strings is None else strings
    parts = (general(part) for part in found if part not in strings_of_message)
    return AnswerText(head, frozenset(part for part in parts if part))


def without_details(text: str) -> str:
    """Replaces each quoted value with `'…'`, and each word that contains a digit with `#`."""
    return " ".join(_WITH_DIGITS.sub("#", _QUOTED.sub("'…'", text[:_LONGEST])).split())


def _json_strings(data: bytes) -> list[str] | None:
    """Returns the string values in a JSON text, without property names. Returns None if `data` is not JSON."""
    try:
        waiting = [json.loads(data)]
    except (ValueError, RecursionError):
        return None
    found = []
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        match waiting.pop():
            case str() as text:
                found.append(text)
            case list() as items:
                waiting += items
            case dict() as props:
                waiting += props.values()
            case _:
                pass
    return found
