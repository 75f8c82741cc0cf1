"""Questions about the sizes of strings, arrays and messages. The option `limit` is the largest size that every target
should accept.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from orjson import Fragment, dumps

from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions.question import AboutBytes, AboutType, Probes, Question

_LONG = 5000
_LIMIT = {"limit": {"type": "integer", "minimum": 1}}


class StringLength(AboutType, kind="string_length"):
    """A string that is longer than the limit."""

    json_type = "string"
    python_types = (str,)
    options_schema: ClassVar = _LIMIT

    @property
    def is_open(self) -> bool:
        return "maxLength" not in self.schema

    def touches(self, value: str) -> bool:
        return len(value) > self._limit

    @cached_property
    def _limit(self) -> int:
        """A longer string that the schema demands, or lists, is clearly allowed."""
        listed = (*self.schema.get("enum", ()), *self.schema.get(KNOWN, ()))
        lengths = [len(value) for value in listed if isinstance(value, str)]
        return max(int(self.options["limit"]), int(self.schema.get("minLength", 0)), *lengths)

    def found(self, value: str) -> str:
        return f"{len(value):,} characters"

    def probes(self, value: Any, now: datetime | None) -> Probes:
        """The first probe, which is sent at each site, is longer than most columns of databases."""
        longer = self.options["limit"] + 1
        for length in (max(longer, _LONG), longer, 65_536):
            yield f"{length}-characters", "b" * length
        yield f"{longer}-emoji", "🧪" * longer

    def values(self) -> Iterable[str]:
        return "b" * (self.options["limit"] + 1), "b" * _LONG


class ItemCount(AboutType, kind="item_count"):
    """An array with more items than the limit."""

    json_type = "array"
    python_types = (list,)
    options_schema: ClassVar = _LIMIT
    can_be_drawn = False

    @property
    def is_open(self) -> bool:
        return "array" in types_of(self.schema) and "maxItems" not in self.schema

    def touches(self, value: list[Any]) -> bool:
        return len(value) > self._limit

    @cached_property
    def _limit(self) -> int:
        return max(int(self.options["limit"]), int(self.schema.get("minItems", 0)))

    def found(self, value: list[Any]) -> str:
        return f"{len(value):,} items"

    def probes(self, value: Any, now: datetime | None) -> Probes:
        if not isinstance(value, list) or not value:
            return
        limit = self.options["limit"]
        for size in (limit + 1,) if isinstance(value[0], dict) else (limit + 1, 10 * limit):
            items = [_numbered(self.schema.get("items", {}), value[0], number) for number in range(size)]
            yield f"{size}-items", items


def _numbered(schema: Schema, item: Any, number: int) -> Any:
    """Puts `number` into the array item, so that all items are different."""
    if isinstance(item, str):
        return f"{item}-{number}"
    if not isinstance(item, dict):
        return number + 1
    props = schema.get("properties", {})
    for kind in ("string", "number", "integer"):
        for name, value in item.items():
            if value is not None and kind in types_of(props.get(name, {})):
                return {**item, name: f"{value}-{number}" if kind == "string" else number + 1}
    return item


class MessageSize(AboutBytes, kind="message_size"):
    """A message with more bytes than the limit."""

    options_schema: ClassVar = _LIMIT

    def touches(self, value: bytes) -> bool:
        return len(value) > int(self.options["limit"])

    def found(self, value: bytes) -> str:
        return f"{len(value):,} bytes"

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield "white-space", Fragment(dumps(value) + b" " * (self.options["limit"] + 1))


OF_LONG_MESSAGES: tuple[type[Question], ...] = (MessageSize, StringLength, ItemCount)
"""These questions need long messages, so only the catalogue asks them."""
