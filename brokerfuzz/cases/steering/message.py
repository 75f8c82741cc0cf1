"""Defines a class for a random message, and a class for its expected verdict."""

from typing import Any, NamedTuple

from brokerfuzz.cases.case import Fault, compact
from brokerfuzz.cases.changes import Change, Rewrite, Steps, altered


class Claim(NamedTuple):
    """The arguments of `Case.judged` that describe the expected verdict and the tags of a case."""

    faults: tuple[Fault, ...]
    claim: str | None
    tags: tuple[str, ...]


class Message:
    """A message as a Python object (`value`) and as bytes (`body`). If a change rewrote the bytes, `value` is None. Callers must
    not modify `value`.
    """

    __slots__ = ("body", "value")

    def __init__(self, value: Any, body: bytes | None = None) -> None:
        self.value, self.body = value, compact(value) if body is None else body

    def changed(self, steps: Steps, change: Change) -> "Message":
        return Message(None, change.how(self.body)) if isinstance(change, Rewrite) else Message(altered(self.value, steps, change))
