"""Questions about the notation of JSON: numbers, characters of strings, and properties that occur twice.

The parser finds all of them except `IntegerForm`.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar

from orjson import Fragment, dumps

from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.questions.question import REJECTED, AboutType, Probes, Question
from brokerfuzz.schemas.validation import SURROGATE

Meanings = Mapping[str, tuple[bool, ...]]
"""Maps interpretations to what they mean for `json_reader.Interpretation`. `both` has two meanings: the message must be
valid in both.
"""


def _interpretations_of(meanings: Meanings) -> Mapping[str, Any]:
    return {**Question.interpretations_schema, "items": {"enum": [*meanings, REJECTED]}}


class IntegerForm(AboutType, kind="integer_form"):
    """An integer that is written with a zero fraction or an exponent."""

    json_type = "integer"
    python_types = (float,)

    @property
    def is_open(self) -> bool:
        return _demands_integers(self.schema)

    def touches(self, value: float) -> bool:
        return value.is_integer()

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield "fraction-of-zero", Fragment(f"{value}.0")
        yield "exponent", Fragment(f"{value}e0")
        yield "negative-exponent", Fragment(f"{value * 10}e-1")

    def values(self) -> Iterable[float]:
        return 1.0, 100.0, 2147483647.0


def _demands_integers(schema: Any) -> bool:
    """Returns whether a flat schema, or one of its branches, allows integers but no other numbers."""
    if not isinstance(schema, dict):
        return False
    branches = [branch for keyword in ("allOf", "anyOf", "oneOf") for branch in schema.get(keyword, ())]
    branches += [schema.get("then"), schema.get("else")]
    return ("type" in schema and "integer" in types_of(schema)) or any(map(_demands_integers, branches))


class DoubleRange(AboutType, kind="double_range"):
    """A number that a double cannot represent. The meaning of an interpretation is `Interpretation.rounded`."""

    json_type = "number"
    meanings: ClassVar[Meanings] = {"exact": (False,), "rounded": (True,)}
    interpretations_schema = _interpretations_of(meanings)
    unusual: ClassVar[Mapping[str, str]] = {
        "long-integer": "9007199254740993",
        "too-fine": "0.1234567890123456789",
        "too-small": "1e-400",
        "too-large": "1e400",
        "endlessly-large": "0.4e00669999999999999999999999999999999999",
        "thousands-of-digits": "1" * 5000,
        "long-integer-below-zero": "-237462374673276894279832749832423479823",
    }

    def probes(self, value: Any, now: datetime | None) -> Probes:
        can_be_negative = self.schema.get("minimum", -1) < 0
        for name, number in self.unusual.items():
            if can_be_negative or not number.startswith("-"):
                yield name, Fragment(number)

    def values(self) -> Iterable[int]:
        return (1 << 53) + 1, 10**22 + 1, -(1 << 64) - 1


class Characters(AboutType):
    """A string with certain characters. `unusual` maps the names of probes to strings with JSON escapes."""

    json_type = "string"
    pattern: ClassVar[re.Pattern[str]]
    unusual: ClassVar[Mapping[str, str]]

    def touches(self, value: str) -> bool:
        return self.pattern.search(value) is not None

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield from ((name, Fragment(f'"{text}"')) for name, text in self.unusual.items())


class LoneSurrogates(Characters, kind="lone_surrogates"):
    """Half of a surrogate pair."""

    pattern = SURROGATE
    unusual: ClassVar = {
        "high": r"\ud800",
        "low": r"\udc00",
        "high-and-letter": r"\ud800abc",
        "high-and-other-escape": r"\ud888\u1234",
        "reversed": r"\ude00\ud83d",
    }

    def found(self, value: str) -> str:
        surrogates = self.pattern.findall(value)
        return f"the lone surrogate U+{ord(surrogates[0]):04X}"

    def values(self) -> Iterable[str]:
        return "\ud800", "a\udc00"


class NulCharacters(Characters, kind="nul_characters"):
    """The character NUL."""

    pattern = re.compile("\0")
    unusual: ClassVar = {"inside": r"a\u0000b", "behind": r"a\u0000", "alone": r"\u0000"}

    def found(self, value: str) -> str:
        return "a NUL character"

    def values(self) -> Iterable[str]:
        return "\0", "a\0b"


class DuplicateProperties(Question, kind="duplicate_properties"):
    """Several properties with the same name. The meanings of an interpretation are those of `Interpretation.first`."""

    numbers_of_names = None
    python_types = ()
    can_be_drawn = False
    meanings: ClassVar[Meanings] = {"last": (False,), "first": (True,), "both": (False, True)}
    interpretations_schema = _interpretations_of(meanings)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        if isinstance(value, dict) and value:  # an own contract may require no property
            yield from self._in_message(value)
        if (doubled := _doubled_within(value)) is not None:
            yield "other-value-within", doubled

    def _in_message(self, message: dict[str, Any]) -> Probes:
        name, value = next(iter(message.items()))
        yield "same-value", _joined(message, {name: value})
        yield "null-last", _joined(message, {name: None})
        yield "null-first", _joined({name: None}, message)
        if name.isalnum() and name.isascii():
            escaped = f'"\\u{ord(name[0]):04x}{name[1:]}":'.encode()
            yield "escaped-name", Fragment(dumps(message)[:-1] + b"," + escaped + dumps(value) + b"}")
        if isinstance(value, str):
            yield "other-string-last", _joined(message, {name: f"{value}-2"})
        for listed, schema in self.schema.get("properties", {}).items():
            other_values = [prop for prop in schema.get("enum", ()) if prop != message.get(listed)]
            if other_values and listed in message:
                yield "other-value-of-enumeration-last", _joined(message, {listed: other_values[-1]})


def _joined(first: dict[str, Any], second: dict[str, Any]) -> Fragment:
    """Writes the properties of both objects, which can have the same names, as one object."""
    return Fragment(dumps(first)[:-1] + b"," + dumps(second)[1:])


def _doubled_within(value: Any) -> Any:
    """Returns a value whose first inner object has its first property twice, or None if there is no such object."""
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for step, part in parts:
        doubled: Any = None
        if isinstance(part, dict) and part:
            name, inner = next(iter(part.items()))
            doubled = _joined(part, {name: f"{inner}-2" if isinstance(inner, str) else None})
        elif isinstance(part, list):
            doubled = _doubled_within(part)
        if doubled is not None:
            changed: Any = value.copy()
            changed[step] = doubled
            return changed
    return None
