"""Defines a message that consists of its value and its bytes, and a claim about it: the expected verdict and the tags of the case."""

from typing import Any, NamedTuple

from brokerfuzz.cases.case import Fault, compact
from brokerfuzz.cases.changes import Change, Rewrite, Steps, altered


class Claim(NamedTuple):
    """The expected verdict of a case: its faults, or `valid`, or the ID of an ambiguity (see `Case.judged`)."""

    faults: tuple[Fault, ...]
    claim: str | None
    tags: tuple[str, ...]


class Message:
    """A message as an object and as bytes. `value` is None if a change replaced the bytes. Callers must not modify `value`."""

    __slots__ = ("body", "value")

    def __init__(self, value: Any, body: bytes | None = None) -> None:
        self.value, self.body = value, compact(value) if body is None else body

    def changed(self, steps: Steps, change: Change) -> "Message":
        return Message(None, change.how(self.body)) if isinstance(change, Rewrite) else Message(altered(self.value, steps, change))
