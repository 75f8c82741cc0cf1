"""Compares the answers of a target: two answers are the same if their status and their text agree, apart from details.

Details are numbers, words with digits (such as IDs), quoted values, and parts of the message that the answer repeats.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from brokerfuzz.targets.answers import EXCERPT, Answer

_QUOTED = re.compile(r"""(?<!\w)(?:'[^']*'|"[^"]*"|`[^`]*`|‘[^’]*’|“[^”]*”)(?!\w)""")
_WITH_DIGITS = re.compile(r"[\w.]*\d[\w.]*")
_MOST_PARTS = 200
_LONGEST = 300
"""Maximum number of parts of an answer to compare, and of characters of each part."""


@dataclass(frozen=True, slots=True)
class AnswerText:
    """What an answer says, without details. `head` is the status, or the reason if there is no status. `parts` are the strings of a
    JSON body, or the lines of another body. `parts` is None if only the beginning of the body is known.
    """

    head: str
    parts: frozenset[str] | None = frozenset()

    def includes(self, other: "AnswerText") -> bool:
        """Returns whether the other answer says the same, or a part of it. Shrinking a message with two problems may leave one of them."""
        if self.head != other.head:
            return False
        return not self.parts or other.parts is None or (bool(other.parts) and other.parts <= self.parts)

    @property
    def key(self) -> tuple[str, ...]:
        """The text as a key that is the same in every run."""
        return (self.head, *sorted(self.parts or ()))


def text_of(answer: Answer, message: bytes = b"") -> AnswerText:
    """Returns what an answer to a message says."""
    head = f"{answer.kind} {answer.status}" if answer.status is not None else f"{answer.kind} {without_details(answer.reason)}"
    if len(answer.body) >= EXCERPT:
        return AnswerText(head, None)
    repeated = _strings_of(message)
    parts = (without_details(part) for part in _parts(answer.body) if part not in repeated)
    return AnswerText(head, frozenset(part for part in parts if part))


def without_details(text: str) -> str:
    """Returns the text with `'…'` for each quoted value and `#` for each word with digits."""
    return " ".join(_WITH_DIGITS.sub("#", _QUOTED.sub("'…'", text[:_LONGEST])).split())


def _parts(body: bytes) -> list[str]:
    try:
        return list(_strings_in(json.loads(body)))
    except (ValueError, RecursionError):
        return body.decode(errors="replace").splitlines()[:_MOST_PARTS]


def _strings_of(message: bytes) -> frozenset[str]:
    try:
        return frozenset(_strings_in(json.loads(message)))
    except (ValueError, RecursionError):
        return frozenset()


def _strings_in(value: Any) -> Iterator[str]:
    """Yields the strings in a JSON value, without the names of properties."""
    waiting = [value]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        match waiting.pop():
            case str() as text:
                yield text
            case list() as items:
                waiting += items
            case dict() as props:
                waiting += props.values()
            case _:
                pass
