"""Defines what a case can have in common with other cases that fail: a condition of a value, a way to write values, or
something about the whole message.

Findings contain the `place` and the `clause` of an attribute, and its `key` identifies it in every campaign.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from brokerfuzz.campaign.causes.conditions import ValueCondition, utf8_length
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.schemas.rule import JSON_RULE, parts_of_id
from brokerfuzz.wording import with_article


@dataclass(frozen=True, slots=True)
class Items:
    """The items of an array in which a condition must hold: from `first` to `last`, counted from 0. None is the end."""

    array: str
    first: int
    last: int | None

    def __str__(self) -> str:
        if self.first == self.last:
            items = f"item {self.first + 1}"
        elif self.last is None:
            items = f"item {self.first + 1} or later"
        else:
            items = f"the first {self.last + 1} items"
        return f"in {items} of {self.array or 'the message'}"

    def contain(self, site: str, indexes: Sequence[int]) -> bool:
        """Returns whether one of the items contains a value. `indexes` are those of the items around the value."""
        if not site.startswith(f"{self.array}[]"):
            return False
        index = indexes[self.array.count("[]")]
        return self.first <= index and (self.last is None or index <= self.last)


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that a case has: a condition at a site (None: at any site), perhaps only in certain items."""

    condition: ValueCondition
    site: str | None
    items: Items | None = None

    @property
    def place(self) -> str:
        return f"any {self.condition.kind.subject}" if self.site is None else self.site or "message"

    def clause(self, *, with_subject: bool = False) -> str:
        """Says, for example, `it is absent`, or with its subject `comments is absent`."""
        subject = "it"
        if with_subject:
            subject = with_article(self.condition.kind.subject) if self.site is None else self.site or "the message"
        text = f"{subject} {self.condition.predicate}"
        return text if self.items is None else f"{text} {self.items}"

    @property
    def key(self) -> str:
        """Identifies the attribute in every campaign."""
        return f"{'any' if self.site is None else self.site}: {self.clause()}"


@dataclass(frozen=True, slots=True)
class MessageAttribute:
    """An attribute of a whole message. `subject` has the `predicate` (None: the place has it). `limit` is a number of
    bytes, of which the message has more.
    """

    predicate: str
    key: str
    holds: Callable[[Trial], bool] = field(compare=False)
    subject: str | None = None
    place: str = "any message"
    limit: int | None = None
    site: None = None

    def clause(self, *, with_subject: bool = False) -> str:
        subject = self.subject or "it"
        if with_subject and self.subject is None:
            subject = "the message" if self.place in ("message", "any message") else self.place
        return f"{subject} {self.predicate}"


Attributes = tuple[Attribute | MessageAttribute, ...]
"""Attributes that a case has together."""

VALID: Final = MessageAttribute("is valid", "every valid message", lambda trial: trial.verdict.label == "valid")
"""The target accepts no message, or only one, and perhaps repeats its answer."""


def test_of_value(holds: Callable[[Any], bool]) -> Callable[[Trial], bool]:
    """Returns a test of the parsed message."""

    def holds_in(trial: Trial) -> bool:
        with suppress(ValueError, RecursionError):  # not JSON, or nested too deeply
            return holds(trial.case.value)
        return False

    return holds_in


def larger_than(size: int) -> MessageAttribute:
    """The target, or a proxy before it, accepts no larger message."""
    predicate = f"has more than {size:,} bytes"
    return MessageAttribute(predicate, "too many bytes", lambda trial: len(trial.case.body) > size, limit=size)


_SIZES: Final[Mapping[str, Callable[[Any], int]]] = {
    "characters without white space": lambda value: len(_without_white_space(value)),
    "bytes without white space": lambda value: utf8_length(_without_white_space(value)),
    "characters as Python writes it": lambda value: len(json.dumps(value)),
}
"""How programs count a message that they have written themselves."""


def larger_than_written(body: bytes) -> list[MessageAttribute]:
    """Returns the attributes that a message is at least as large as this one, when a program writes it again."""
    value = json.loads(body)
    return [_larger_than(size_of(value) - 1, unit, size_of) for unit, size_of in _SIZES.items()]


def _larger_than(most: int, unit: str, size_of: Callable[[Any], int]) -> MessageAttribute:
    holds = test_of_value(lambda value: size_of(value) > most)
    return MessageAttribute(f"has more than {most:,} {unit}", f"too many {unit}", holds)


def with_more_values(body: bytes) -> MessageAttribute:
    """Returns the attribute that a message has at least as many values as this one, objects and arrays included."""
    return _larger_than(_value_count(json.loads(body)) - 1, "values", _value_count)


def _value_count(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_value_count, parts))


def _without_white_space(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ------------------------------------------------------------------------------------------------------- broken rules


def attributes_of_rule(rule: str) -> list[MessageAttribute]:
    """Returns what a message has that breaks this rule: it breaks the rule, one with this keyword, and any rule."""
    parts = parts_of_id(rule)
    keyword = parts.keyword
    is_json = keyword == JSON_RULE
    return [
        MessageAttribute(
            "is not JSON" if is_json else f"breaks {parts.keyword_with_condition}",
            f"breaks {rule}",
            lambda trial: any(violation.rule == rule for violation in trial.verdict.broken),
            subject="the message" if is_json else None,
            place=parts.site or "message",
        ),
        MessageAttribute(
            "is not JSON" if is_json else f"breaks {keyword}",
            f"breaks {keyword}",
            lambda trial: any(parts_of_id(violation.rule).keyword == keyword for violation in trial.verdict.broken),
            subject="the message" if is_json else "a value",
        ),
        MessageAttribute(
            "is invalid", "breaks any rule", lambda trial: bool(trial.verdict.broken), subject="the message"
        ),
    ]


# ---------------------------------------------------------------------------------------------------------- notations

_DEPTHS: Final = (10_000, 1000, 900, 500, 120, 100, 60)
"""Just below the limits of common parsers."""
_NOTATIONS: Final = {
    text: re.compile(pattern)
    for text, pattern in (
        ("an exponent", rb"[0-9][eE]"),
        ("an exponent with a plus", rb"[0-9][eE]\+"),
        ("a negative exponent", rb"[0-9][eE]-"),
        ("the number -0", rb"-0(?:\.0*)?(?![0-9.eE])"),
        ("a fraction that ends with 0", rb"\.[0-9]*0(?![0-9eE])"),
        ("white space between values", rb"\s"),
        ("white space before the first value", rb"\A\s"),
        ("a line break between values", rb"[\r\n]"),
        (r"an escape such as \u0041", rb"\\u"),
        (r"an escape such as \n", rb"\\[bfnrt]"),
        ("an escape in the name of a property", rb"\\u\s*:"),
        *((f"an array nested {depth:,} levels deep", rb"(?:\[\s*){%d}" % depth) for depth in _DEPTHS),
    )
}
"""Ways to write values, as regular expressions for messages whose strings are reduced to their escapes."""
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\.")


def notations_of(body: bytes) -> list[MessageAttribute]:
    written = _without_strings(body)
    return [_notation(text, pattern) for text, pattern in _NOTATIONS.items() if pattern.search(written)]


def _notation(text: str, pattern: re.Pattern[bytes]) -> MessageAttribute:
    return MessageAttribute(
        f"is {text}",
        f"notation: {text}",
        lambda trial: pattern.search(_without_strings(trial.case.body)) is not None,
        subject="there",
    )


@lru_cache(maxsize=16_384)
def _without_strings(body: bytes) -> bytes:
    return _STRING.sub(lambda string: b"".join(_ESCAPE.findall(string[0])), body)
