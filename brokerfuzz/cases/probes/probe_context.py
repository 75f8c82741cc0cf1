"""Defines the arguments of functions that generate probes: the ambiguity, the place, a valid message, and the time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put, value_at
from brokerfuzz.schemas import Ambiguity
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import Steps

Probe = tuple[str, Steps, Change]
"""A probe: its name, its place, and the change to the message."""


@dataclass(frozen=True, slots=True)
class ProbeContext:
    """The arguments of a function that generates probes.

    `site` is a site from `ambiguities.json`: a path, or an array such as `["", "availableStartDate",
    "availableEndDate"]` (a path and property names). `message` is an ordinary message, and `steps` is the path to the
    place. If `now` is None, the function that gets these arguments must not generate probes whose verdict depends on
    the current time.
    """

    ambiguity: Ambiguity
    site: Any
    schema: Schema
    message: Any
    steps: Steps
    now: datetime | None

    @property
    def present(self) -> Any:
        return value_at(self.message, self.steps)

    def put(self, name: str, value: Any) -> Probe:
        return name, self.steps, Put(value)


Make = Callable[[ProbeContext], Iterator[Probe]]


def quoted(values: Mapping[str, str]) -> Make:
    """Returns a function that generates a probe for each string, in JSON notation without quotes."""
    return lambda context: (context.put(name, Fragment(f'"{value}"')) for name, value in values.items())


def literal(values: Mapping[str, str]) -> Make:
    """Returns a function that generates a probe for each number in `values`. The message contains the number exactly as
    `values` spells it. Negative numbers are skipped if the minimum is 0 or more.
    """
    return lambda context: (
        context.put(name, Fragment(value))
        for name, value in values.items()
        if not value.startswith("-") or context.schema.get("minimum", -1) < 0
    )
