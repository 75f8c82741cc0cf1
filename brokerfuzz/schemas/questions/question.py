"""Defines what a kind of open question is, and what a repair may change."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from brokerfuzz.pointers import Steps
from brokerfuzz.schemas.edge import EdgeTable
from brokerfuzz.schemas.keywords import JSON_TYPES, Schema
from brokerfuzz.schemas.validation import matches
from brokerfuzz.schemas.verdicts import describe
from brokerfuzz.wording import listed

NUMBER, TEXT, LIST, OBJECT, FLAG = ({"integer", "number"}, {"string"}, {"array"}, {"object"}, {"boolean"})
ANYTHING = frozenset(JSON_TYPES)
NUMBERS = (int, float, Decimal)
"""The Python types of JSON numbers."""
Types = Mapping[Steps, Collection[str]]
"""Maps paths below a site to JSON types. In a path, 0 stands for the items of an array: `(0, "name")`."""
Probes = Iterator[tuple[str, Any]]
"""The names of probes, each with the value that it puts at the site. An `orjson.Fragment` is written as it is."""
REJECTED = "rejected"
"""The name of the interpretation in which every message that touches the ambiguity is invalid."""


@dataclass(frozen=True)
class Freedom:
    """What a repair may change: not what the user has pinned. `schema` is that of the site, which may have further
    demands if a condition holds, and `pinned` contains the paths to the pinned places below the site.
    """

    schema: Schema
    pinned: Collection[Steps] = ()

    def may_remove(self, name: str) -> bool:
        return (name,) not in self.pinned and name not in self.schema.get("required", ())

    def may_become(self, name: str, value: Any) -> bool:
        return (name,) not in self.pinned and matches(self.schema["properties"][name], value)


class Question:
    """A kind of open question about the value at a site. Its name is the `kind` of entries in `ambiguities.json`:
    `class Cron(Question, kind="cron")`.

    `names` are what an entry lists behind the path of a site: the properties that it concerns. `options` are other
    properties of the entry, and `schema` is that of the site.
    """

    python_types: ClassVar[tuple[type, ...]] = (dict,)
    """The types of the values that the question can concern."""
    numbers_of_names: ClassVar[Collection[int] | None] = (0,)
    """How many properties an entry can name at a site. None: the question is not about certain sites."""
    json_type: ClassVar[str | None] = None
    """The JSON type of the values that the question is asked at, if it is not about certain sites."""
    makes_sense_without_names: ClassVar[bool] = False
    """Whether the question is still asked if a changed contract lacks the properties."""
    interpretations_schema: ClassVar[Mapping[str, Any]] = {"type": "array", "contains": {"const": REJECTED}}
    """The schema of the interpretations in an entry."""
    options_schema: ClassVar[Mapping[str, Any]] = {}
    """The properties that entries must have, with the schemas of these properties."""
    candidates: ClassVar[Sequence[str]] = ()
    """The interpretations that a campaign compares with the answers, if they are not those of the entry."""
    plain: ClassVar[EdgeTable | None] = None
    """The values that do not touch a question about the notation of strings. They replace a repair."""
    can_be_drawn: ClassVar[bool] = True
    """False if no Python value touches the question: for example, it is about bytes."""
    timed: ClassVar[Collection[str]] = ()
    """The names of the probes that depend on the current time."""

    def __init_subclass__(cls, kind: str = "") -> None:
        if kind:
            QUESTION_KINDS[kind] = cls

    def __init__(
        self, names: Sequence[Any] = (), options: Mapping[str, Any] | None = None, schema: Schema | None = None
    ) -> None:
        self.names = tuple(names)
        self.options = options or {}
        self.schema = schema or {}

    @property
    def reads(self) -> Types:
        """The places that the question looks at, if it relates several values, with the types that it expects there.
        If a changed contract has other types, messages are neither repaired nor probed.
        """
        return {}

    @property
    def computed(self) -> Sequence[Steps]:
        """The paths of the places below the site whose values a repair computes, so users cannot choose them."""
        return ()

    @property
    def needs_null(self) -> Mapping[Steps, Steps]:
        """Maps places below the site to other places that must be null, or else a repair removes the values there."""
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

    def values(self) -> Iterable[Any]:
        """Returns Python values that touch the question, for strategies."""
        return () if self.reads else [value for _, value in self.probes(None, None)]

    @classmethod
    def choices(cls, interpretations: Sequence[str]) -> str:
        """Describes the interpretations that a policy can contain. `interpretations` are those of the entry."""
        return listed(interpretations, "or")

    @classmethod
    def has(cls, interpretation: str, interpretations: Sequence[str]) -> bool:
        """Returns whether a policy can contain this interpretation."""
        return interpretation in interpretations


class AboutType(Question):
    """A kind of open question about all values of a JSON type. If the parser finds the values that touch it, there are
    no `python_types`.
    """

    numbers_of_names = None
    python_types: ClassVar[tuple[type, ...]] = ()

    @property
    def is_open(self) -> bool:
        """Whether the schema of the site leaves the question open."""
        return True


class AboutBytes(Question):
    """A kind of open question about the bytes of a message: `touches` and `found` get the bytes, and probes are
    fragments of a message, or whole ones.
    """

    numbers_of_names = None
    python_types = ()
    can_be_drawn = False


class Unsearched(Question):
    """A kind of open question that brokerfuzz does not search messages for, because the contract alone does not say
    which messages it concerns.
    """

    python_types = ()
    can_be_drawn = False

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield from ()


QUESTION_KINDS: dict[str, type[Question]] = {}
"""Maps the names of the kinds to their classes."""
