"""The question whether an array may contain the same item twice."""

from collections.abc import Collection, Hashable, Iterator
from datetime import datetime
from decimal import Decimal
from itertools import count, takewhile
from string import ascii_lowercase
from typing import Any

from brokerfuzz.pointers import Steps
from brokerfuzz.schemas.flattening import KNOWN, composed_keywords_of, types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions.question import LIST, NUMBER, OBJECT, TEXT, Freedom, Probes, Question, Types
from brokerfuzz.schemas.validation import judge_of, matches

_LARGE = 1e6
"""Fractions above this number, which are rare, have no similar number."""
_LAST_WHOLE = 2.0**53
"""Doubles represent every integer up to this number."""
_LONGEST_STEM = 247
"""A new name consists of at most this many characters of the old one, and a number."""


class Distinct(Question, kind="distinct"):
    """Two items with the same string as key. Items without a key are compared as a whole."""

    python_types = (list,)
    numbers_of_names = (0, 1)
    makes_sense_without_names = True

    @property
    def reads(self) -> Types:
        reads: dict[Steps, Collection[str]] = {(): LIST, **{(0, name): TEXT for name in self.names}}
        return {**reads, (0,): OBJECT} if self.names else reads

    def touches(self, value: Any) -> bool:
        return len(value) > 1 and len(set(map(self._key, value))) < len(value)

    def found(self, value: Any) -> str:
        return f"the same {self.names[0] if self.names else 'item'} twice"

    def _key(self, item: Any) -> tuple[str | None, Hashable]:
        if self.names and isinstance(item, dict) and isinstance(item.get(self.names[0]), str):
            return item[self.names[0]], None
        return None, frozen(item)

    def repair(self, value: Any, free: Freedom) -> None:
        """An item that repeats an earlier one is changed. If that is not possible, it is removed, unless fewer than
        `minItems` items would remain.
        """
        if not self.touches(value) or (not self.names and not {(), (0,)}.isdisjoint(free.pinned)):
            return
        new_items: list[Any] = []
        kept_keys: set[Hashable] = set()
        taken = set(map(self._key, value))
        similar_items: dict[str, Iterator[Any]] = {}
        for number, item in enumerate(value):
            new, key = item, self._key(item)
            if key in kept_keys and not free.pinned:
                candidates = self._similar_items(item, free.schema.get("items", {}))
                candidates = similar_items.setdefault(repr(item), candidates)
                new = next((other for other in candidates if self._key(other) not in taken), item)
                key = self._key(new)
            remaining = len(value) - number
            if key not in kept_keys or len(new_items) + remaining <= free.schema.get("minItems", 0):
                new_items.append(new)
            kept_keys.add(key)
            taken.add(key)
        value[:] = new_items

    def _similar_items(self, item: Any, schema: Schema) -> Iterator[Any]:
        """If the item has a key, only another key helps."""
        if self.names and isinstance(item, dict):
            yield from self._with_other_key(item, schema)
        if self._key(item)[0] is None:
            yield from similar(item, schema)

    def _with_other_key(self, item: dict[str, Any], schema: Schema) -> Iterator[Any]:
        key = self.names[0]
        key_schema = schema["properties"][key]
        text = item.get(key)
        if not isinstance(text, str):
            text = "a"
            if matches(key_schema, text):
                yield {**item, key: text}
        yield from ({**item, key: name} for name in similar(text, key_schema))

    def probes(self, value: Any, now: datetime | None) -> Probes:
        if not value:
            return
        first = value[0]
        yield "same-item", [*value, first]
        if isinstance(first, dict) and len(first) > 1:
            yield "same-item-backwards", [*value, dict(reversed(first.items()))]
        if self.names and isinstance(first, dict) and isinstance(first.get(self.names[0]), str):
            for name, other in _other_property(first, self.names[0]):
                yield "same-identifier", [*value, {**first, name: other}]


def frozen(value: Any) -> Hashable:
    """Returns a hashable key, which is equal for equal JSON values, such as 1 and 1.0."""
    if isinstance(value, dict):
        return frozenset([(name, frozen(prop)) for name, prop in value.items()])
    if isinstance(value, list):
        return tuple(map(frozen, value))
    is_large = isinstance(value, float) and abs(value) > _LAST_WHOLE
    return Decimal(repr(value)) if is_large else value  # Python says that 1e40 and 10**40 differ


def similar(value: Any, schema: Schema) -> Iterator[Any]:
    """Yields other values that the schema allows, if they are easy to find. In objects, only one property is different,
    and integers stay the same, because some of them must be in ascending order.
    """
    if KNOWN in schema:
        yield from schema[KNOWN]
    elif {"enum", "maxLength", "multipleOf"} & schema.keys() or composed_keywords_of(schema):
        return
    elif isinstance(value, str) and "string" in types_of(schema):
        yield from _similar_texts(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and types_of(schema) & NUMBER:
        yield from takewhile(judge_of(schema), _larger(value))
    elif isinstance(value, list) and len(value) == 1:
        yield from ([other] for other in similar(value[0], schema.get("items", {})))
    elif isinstance(value, dict):
        for name, prop in schema.get("properties", {}).items():
            if type(value.get(name)) is not int or "number" in types_of(prop):
                yield from ({**value, name: other} for other in similar(value.get(name), prop))


def _similar_texts(text: str) -> Iterator[str]:
    """Yields the letters after a letter, or for example `ab-2` and `ab-3` for `ab`."""
    if len(text) == 1 and text in ascii_lowercase:
        yield from ascii_lowercase[ascii_lowercase.index(text) + 1 :]
    yield from (f"{text[:_LONGEST_STEM]}-{number}" for number in count(2))


def _larger(number: float) -> Iterator[float]:
    """Yields larger numbers, which a double can represent."""
    if isinstance(number, int):
        yield from (larger for larger in count(number + 1) if float(larger) == larger)
    elif abs(number) < _LARGE:
        yield from (number + more for more in count(1))


def _other_property(item: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    """Yields a property with another value, but not the key. Numbers are preferred."""
    numbers = [name for name, value in item.items() if name != key and type(value) in (int, float)]
    texts = [name for name, value in item.items() if name != key and isinstance(value, str)]
    if numbers:
        yield numbers[0], 1 if item[numbers[0]] != 1 else 2
    elif texts:
        yield texts[0], f"{item[texts[0]]}-2"
