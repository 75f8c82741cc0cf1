"""Parses JSON strictly, as RFC 8259 defines it.

Other parsers tolerate errors and lose information that the oracle needs. `read_message` can be called with any bytes
and raises no exception. The result contains an error for NaN and for text after the message. It also reports duplicate
properties, and numbers that a double cannot represent. Integers can have any length, and nesting can have any depth.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product, starmap
from typing import Any, NamedTuple

import orjson

from brokerfuzz.pointers import pointer_of
from brokerfuzz.schemas.json_parser import Inexact, SharedNames, exact, parse
from brokerfuzz.schemas.questions import QUESTION_KINDS, Question
from brokerfuzz.schemas.questions.encodings import Encoding, decoded
from brokerfuzz.schemas.questions.json_texts import Characters, DoubleRange, DuplicateProperties
from brokerfuzz.schemas.validation import SURROGATE, without_surrogates
from brokerfuzz.wording import printable

Exotic = tuple[type[Question], str, str]
"""A reason why a text is ambiguous: the kind of question, a JSON Pointer, and a description."""


class Interpretation(NamedTuple):
    """One way to interpret a JSON text.

    If `rounded` is true, numbers are rounded to doubles. If `first` is true, the first of several properties with the
    same name counts, otherwise the last one.
    """

    rounded: bool = False
    first: bool = False


USUAL = Interpretation()

_ENCODINGS = [kind() for kind in QUESTION_KINDS.values() if issubclass(kind, Encoding)]
_CHARACTERS = [kind() for kind in QUESTION_KINDS.values() if issubclass(kind, Characters)]


@dataclass(slots=True)
class Reading:
    """A parsed message.

    - `values`: maps each interpretation to the message, the usual interpretation first. Interpretations differ in which
      of several properties with the same name they contain (the first or the last), and in whether they round numbers
      to doubles. If the bytes are not JSON, there are no values.
    - `error`: the reason why the bytes are not JSON.
    - `exotic`: the reasons why the bytes or the text are ambiguous. Each reason consists of a kind of question, a JSON
      Pointer and a description.
    """

    body: bytes = field(repr=False)
    values: dict[Interpretation, Any] = field(default_factory=dict)
    error: str | None = None
    exotic: list[Exotic] = field(default_factory=list)

    @property
    def usual(self) -> Any:
        """The message as most parsers read it, or None if the bytes are not JSON."""
        return self.values.get(USUAL)

    @property
    def has_unread_values(self) -> bool:
        """True if a place has more than two values, because more than two properties have the same name."""
        places = [at for kind, at, _ in self.exotic if kind is DuplicateProperties]
        return len(places) > len(set(places))


def read_message(body: bytes) -> Reading:
    """Parses a message. Raises no exception: see `Reading.error`."""
    value = _parsed_quickly(body)
    return Reading(body, {USUAL: value}) if value is not None else read_fully(body)


def read_fully(body: bytes) -> Reading:
    """Parses a message in every interpretation. Values that are nested too deeply count as empty."""
    text, _ = decoded(body)
    exotic: list[Exotic] = [
        (type(question), "", question.found(body)) for question in _ENCODINGS if question.touches(body)
    ]
    try:
        values, of_text = interpreted(text)
    except ValueError as problem:
        return Reading(body, error=str(problem), exotic=exotic)
    return Reading(body, values, exotic=[*exotic, *of_text])


_LONG_INTEGER = re.compile(rb"[:,\[]-?[0-9]{16}")
_TOKENS = re.compile(rb'(?:"(?:[^"\\]++|\\.)*+"|[^" \t\r\n]++)++')


def _parsed_quickly(body: bytes) -> Any:
    """Returns the message if it is a JSON object or array with a single interpretation, otherwise None.

    To check whether parsing loses information, the function converts the message back to JSON. If the new bytes are
    equal to the original bytes without white space, no information was lost. NUL characters, and integers with 16 or
    more digits, need separate checks, so `read_fully` parses messages that may contain them.
    """
    if body[:1] not in (b"{", b"[") or b"\\u0000" in body:
        return None
    try:
        value = orjson.loads(body)
        compact = orjson.dumps(value)
    except (ValueError, TypeError):  # not JSON, or nested too deeply for orjson
        return None
    loses_nothing = compact == body.strip() or compact == b"".join(_TOKENS.findall(body))
    return value if loses_nothing and not _LONG_INTEGER.search(compact) else None


def is_compact_json(body: bytes) -> bool:
    """Returns whether the bytes are compact JSON, also with NUL characters and long integers."""
    try:
        return orjson.dumps(orjson.loads(body)) == body
    except (ValueError, TypeError):  # not JSON, or nested too deeply for orjson
        return False


def interpreted(text: str) -> tuple[dict[Interpretation, Any], list[Exotic]]:
    """Returns the value of the text in each interpretation (the usual interpretation first), and the reasons why the
    text is ambiguous.

    Raises `ValueError` if the text is not JSON.
    """
    value = parse(text)
    exotic = list(_exotic(value, ()))
    if not exotic:
        return {USUAL: value}, []
    kinds = {kind for kind, _, _ in exotic}
    rounded = (False, True) if DoubleRange in kinds else (False,)
    first = (False, True) if DuplicateProperties in kinds else (False,)
    interpretations = starmap(Interpretation, product(rounded, first))
    return {interpretation: _chosen(value, interpretation) for interpretation in interpretations}, exotic


def _chosen(value: Any, interpretation: Interpretation) -> Any:
    """Returns the value in one interpretation."""
    match value:
        case Inexact():
            return value.rounded if interpretation.rounded else exact(value.literal)
        case SharedNames():
            counted = dict(reversed(value) if interpretation.first else value)
            return _chosen(counted, interpretation)
        case dict():
            return {name: _chosen(prop, interpretation) for name, prop in value.items()}
        case list():
            return [_chosen(item, interpretation) for item in value]
        case _:
            return value


def _exotic(value: Any, steps: tuple[str | int, ...]) -> Iterator[Exotic]:
    """Yields the reasons why a parsed text is ambiguous."""
    match value:
        case str():
            yield from _in_text(value, steps)
        case Inexact(literal=literal):
            shown = literal if len(literal) <= 60 else f"a number of {len(literal):,} characters"
            yield DoubleRange, pointer_of(steps), shown
        case dict() | SharedNames():
            names = set()
            for name, prop in value.items() if isinstance(value, dict) else value:
                below = (*steps, without_surrogates(name))
                if name in names:
                    yield DuplicateProperties, pointer_of(below), f"duplicate property `{printable(name)}`"
                names.add(name)
                # no JSON Pointer can contain a lone surrogate, so the place of the object is reported
                yield from _in_text(name, steps if SURROGATE.search(name) else below)
                yield from _exotic(prop, below)
        case list():
            for index, item in enumerate(value):
                yield from _exotic(item, (*steps, index))


def _in_text(text: str, steps: tuple[str | int, ...]) -> Iterator[Exotic]:
    for question in _CHARACTERS:
        if question.touches(text):
            yield type(question), pointer_of(steps), question.found(text)
