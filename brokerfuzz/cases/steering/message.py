"""Defines a message that consists of its value and its bytes."""

from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Rewrite, Steps, altered


class Message:
    """A message as an object and as bytes. `value` is None if a change replaced the bytes. Callers must not modify `value`."""

    __slots__ = ("body", "value")

    def __init__(self, value: Any, body: bytes | None = None) -> None:
        self.value, self.body = value, compact(value) if body is None else body

    def changed(self, steps: Steps, change: Change) -> "Message":
        return Message(None, change.how(self.body)) if isinstance(change, Rewrite) else Message(altered(self.value, steps, change))
