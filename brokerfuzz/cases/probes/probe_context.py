"""What a probe is made from: the ambiguity, the place, a message that is valid, the time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put, Steps, value_at
from brokerfuzz.schemas import Ambiguity
from brokerfuzz.schemas.flattening import Schema

Probe = tuple[str, Steps, Change]
"""(its name, the place, the change)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a maker of probes knows: the ambiguity, its site as the table gives it and that site's schema, a plain message, the way to the
    place, the time."""

    ambiguity: Ambiguity
    site: Any
    schema: Schema
    message: Any
    steps: Steps
    now: datetime

    @property
    def present(self) -> Any:
        """What is at the place now."""
        return value_at(self.message, self.steps)

    def put(self, name: str, value: Any) -> Probe:
        """The probe that replaces what is at the place."""
        return name, self.steps, Put(value)


Make = Callable[[Asked], Iterator[Probe]]


def spelled(values: Mapping[str, str]) -> Make:
    """Texts, in place of the one that is there."""
    return lambda asked: (asked.put(name, value) for name, value in values.items())


def quoted(values: Mapping[str, str]) -> Make:
    """Texts as they are written between quotes."""
    return lambda asked: (asked.put(name, Fragment(f'"{value}"')) for name, value in values.items())


def literal(values: Mapping[str, str]) -> Make:
    """Numbers as they are written, those that are not below a least."""
    return lambda asked: (
        asked.put(name, Fragment(value)) for name, value in values.items() if not value.startswith("-") or asked.schema.get("minimum", -1) < 0
    )
