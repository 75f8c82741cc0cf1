"""The input for making a probe: the ambiguity, the place, a valid message, and the time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put, Steps, value_at
from brokerfuzz.schemas import Ambiguity
from brokerfuzz.schemas.flattening import Schema

Probe = tuple[str, Steps, Change]
"""(name, place, change)."""


@dataclass(frozen=True, slots=True)
class ProbeContext:
    """The input for making probes.

    `site` is an entry of the ambiguity's list of sites. `message` is a plain message, and `steps` is the path to the place in this
    message.
    """

    ambiguity: Ambiguity
    site: Any
    schema: Schema
    message: Any
    steps: Steps
    now: datetime

    @property
    def present(self) -> Any:
        """The current value at the place."""
        return value_at(self.message, self.steps)

    def put(self, name: str, value: Any) -> Probe:
        """Returns the probe that replaces the value at the place."""
        return name, self.steps, Put(value)


Make = Callable[[ProbeContext], Iterator[Probe]]


def spelled(values: Mapping[str, str]) -> Make:
    """Makes probes that replace the value with these strings."""
    return lambda context: (context.put(name, value) for name, value in values.items())


def quoted(values: Mapping[str, str]) -> Make:
    """Makes probes that replace the value with these strings. The strings are given in JSON notation, without the quotes."""
    return lambda context: (context.put(name, Fragment(f'"{value}"')) for name, value in values.items())


def literal(values: Mapping[str, str]) -> Make:
    """Makes probes that replace the value with these numbers, exactly as `values` spells them. Skips negative numbers if the
    minimum is 0 or more.
    """
    return lambda context: (
        context.put(name, Fragment(value)) for name, value in values.items() if not value.startswith("-") or context.schema.get("minimum", -1) < 0
    )
