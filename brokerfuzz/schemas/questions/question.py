"""Defines what a kind of open question is, and what a repair may change."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from brokerfuzz.pointers import Steps
from brokerfuzz.schemas.edge import EdgeTable
from brokerfuzz.schemas.judging import matches
from brokerfuzz.schemas.keywords import JSON_TYPES, Schema
from brokerfuzz.schemas.verdicts import describe

NUMBER, TEXT, LIST, OBJECT, FLAG = ({"integer", "number"}, {"string"}, {"array"}, {"object"}, {"boolean"})
ANYTHING = frozenset(JSON_TYPES)
NUMBERS = (int, float, Decimal)
"""The Python types of JSON numbers."""
Types = Mapping[Steps, Collection[str]]
"""Maps paths below a site to JSON types. In a path, 0 stands for the items of an array: `(0, "name")`."""
Probes = Iterator[tuple[str, Any]]
"""The names of probes, each with the value that it puts at the site."""


@dataclass(frozen=True)
class Freedom:
    """What a repair may change at a site with this schema: not what the user has pinned. `pinned` contains the paths
    to the pinned places below the site.
    """

    schema: Schema
    pinned: Collection[Steps] = ()

    def may_remove(self, name: str) -> bool:
        return (name,) not in self.pinned and name not in self.schema.get("required", ())

    def may_become(self, name: str, value: Any) -> bool:
        return (name,) not in self.pinned and matches(self.schema["properties"][name], value)


class Question:
    """A kind of open question about the value at a site. Its name is the `detector` of entries in `ambiguities.json`:
    `class Cron(Question, kind="cron")`.

    `names` are the properties that an entry names at a site, and `options` are other properties of the entry.
    """

    python_types: ClassVar[tuple[type, ...]] = (dict,)
    """The types of the values that the question can concern."""
    numbers_of_names: ClassVar[Collection[int]] = (0,)
    """How many properties an entry can name at a site."""
    makes_sense_without_names: ClassVar[bool] = False
    """Whether the question is still asked if a changed contract lacks the properties."""
    options_schema: ClassVar[Mapping[str, Any]] = {}
    """The properties that entries must have, with the schemas of these properties."""
    plain: ClassVar[EdgeTable | None] = None
    """The values that do not touch a question about the notation of strings. They replace a repair."""
    computed: ClassVar[Sequence[Steps]] = ()
    """The paths of the places below the site whose values a repair computes, so users cannot choose them."""

    needs_null: ClassVar[Mapping[Steps, Steps]] = {}
    """Maps places below the site to other places that must be null, or else a repair removes the values there."""

    def __init_subclass__(cls, kind: str = "") -> None:
        if kind:
            KINDS[kind] = cls

    def __init__(self, names: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> None:
        self.names = tuple(names)
        self.options = options or {}

    @property
    def reads(self) -> Types:
        """The places that the question looks at, if it relates several values, with the types that it expects there.
        If a changed contract has other types, messages are neither repaired nor probed.
        """
        return {}

    def touches(self, value: Any) -> bool:
        """Returns whether a value of the site depends on the question."""
        raise NotImplementedError

    def found(self, value: Any) -> str:
        """Describes a value that touches the question."""
        if not self.names:
            return describe(value)
        return ", ".join(f"{name} {describe(value.get(name))}" for name in self.names)

    def repair(self, value: Any, free: Freedom) -> None:
        """Changes an object or array so that it does not touch the question. Simple results are best, because
        Hypothesis then shrinks messages well.
        """

    def probes(self, value: Any, now: datetime | None) -> Probes:
        """Yields values that touch the question. `value` is an ordinary value of the site. If `now` is None, no probe
        depends on the current time.
        """
        raise NotImplementedError


KINDS: dict[str, type[Question]] = {}
"""Maps the names of the kinds to their classes."""
