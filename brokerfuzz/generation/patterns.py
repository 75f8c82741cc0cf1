"""Generates strings that match a pattern (a regular expression).

The strings follow from the parsed pattern, so nothing is matched in Python, where some patterns would need hours. The
caller must validate them: assertions such as `(?!a)` are ignored, and a pattern may be unsuitable for Python.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from random import Random
from typing import Any

codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_ATTEMPTS = 300
_LONGEST = 2000
_LETTERS = "aZ09_- é.~x1B"
_OF_CATEGORY = {
    codes.CATEGORY_DIGIT: "0123456789",
    codes.CATEGORY_NOT_DIGIT: "aZ-",
    codes.CATEGORY_SPACE: " \t",
    codes.CATEGORY_NOT_SPACE: "aZ0-",
    codes.CATEGORY_WORD: "abcXYZ019",
    codes.CATEGORY_NOT_WORD: "-. ~",
}
_REPEATS = (0, 1, 2, 3, 5, 8)
_IN_PYTHON = (
    (r"\\p\{[^}]*\}", r"\\w"),
    (r"\\P\{[^}]*\}", r"\\W"),
    (r"\(\?<(?![=!])", "(?P<"),
    (r"\\k<(\w+)>", r"(?P=\1)"),
    (r"\\u\{?([0-9A-Fa-f]{4})\}?", r"\\u\1"),
)
"""Differences between the patterns of JSON Schema and of Python: each entry is a pattern and its replacement."""


@lru_cache(maxsize=256)
def strings(pattern: str, shortest: int = 0, longest: int | None = None) -> Sequence[str]:
    """Returns different strings that probably match the pattern and have a suitable length, the simplest first."""
    for theirs, ours in _IN_PYTHON:
        pattern = re.sub(theirs, ours, pattern)
    try:
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError):
        return ()
    found = dict.fromkeys(_attempts(parsed, pattern, shortest))
    return tuple(text for text in found if shortest <= len(text) <= (_LONGEST if longest is None else longest))


def _attempts(parsed: Any, pattern: str, shortest: int) -> Iterator[str]:
    yield _String(None, shortest).of(parsed)
    random = Random(pattern)
    for _ in range(_ATTEMPTS):
        yield _String(random, shortest).of(parsed)


class _String:
    """One string. Without `random`, it is the simplest one."""

    def __init__(self, random: Random | None, shortest: int) -> None:
        self._random = random
        self._repeats = (*_REPEATS, shortest)
        self._groups: dict[int, str] = {}
        self._length = 0

    def of(self, parsed: Any) -> str:
        items = list(parsed)
        return "".join(self._item(code, value, is_last=item is items[-1]) for item in items for code, value in [item])

    def _item(self, code: Any, value: Any, *, is_last: bool) -> str:
        if code is codes.LITERAL:
            return self._letter([chr(value)])
        if code in (codes.ANY, codes.NOT_LITERAL):
            return self._letter([letter for letter in _LETTERS if ord(letter) != value])
        if code is codes.IN:
            return self._letter(_letters_of(value))
        if code is codes.BRANCH:
            return self.of(self._chosen(value[1]))
        if code is codes.SUBPATTERN:
            group, parsed = value[0], value[-1]
            self._groups[group] = self.of(parsed)
            return self._groups[group]
        if code is codes.GROUPREF:
            return self._groups.get(value, "")
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            return "".join(self.of(value[2]) for _ in range(self._count(value[0], value[1])))
        if code is codes.ATOMIC_GROUP:
            return self.of(value)
        if code is codes.ASSERT and value[0] > 0 and (is_last or self._chosen([False, False, False, True])):
            return self.of(value[1])
        return ""

    def _letter(self, letters: Sequence[str]) -> str:
        self._length += 1
        return self._chosen(letters) if letters and self._length <= _LONGEST else ""

    def _count(self, least: int, most: int) -> int:
        count: int = least + self._chosen(self._repeats)
        return min(count, most, max(0, _LONGEST - self._length))

    def _chosen(self, options: Sequence[Any]) -> Any:
        return options[0] if self._random is None else options[self._random.getrandbits(18) % len(options)]


def _letters_of(parts: Sequence[Any]) -> list[str]:
    """Returns some letters of a class such as `[a-z0-9]`."""
    found: list[str] = []
    for code, value in parts:
        if code is codes.LITERAL:
            found.append(chr(value))
        elif code is codes.RANGE:
            low, high = value
            found += [chr(number) for number in dict.fromkeys((low, high, (low + high) // 2, min(low + 1, high)))]
        elif code is codes.CATEGORY:
            found += _OF_CATEGORY[value]
    if parts and parts[0][0] is codes.NEGATE:
        ranges = [
            value if code is codes.RANGE else (value, value) for code, value in parts[1:] if code is not codes.CATEGORY
        ]
        candidates = [letter for letter in (*_LETTERS, "b", "2", "(") if letter not in found]
        return [one for one in candidates if not any(low <= ord(one) <= high for low, high in ranges)]
    return [letter for letter in found if not "\ud800" <= letter <= "\udfff" and letter != "\0"]
