"""A walk over a message that notices what is in doubt at its sites, and what is broken that schemas cannot say.

The walk is one function a message type, whose source is written from the sites and compiled once: it goes only where there is something to
see, and says where it is only when it sees something. Functions that call each other, one a site, take half as long again.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import count
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import Place, pointer
from brokerfuzz.schemas.ambiguity_detectors import OF_PAIRS, OF_VALUES, distinct
from brokerfuzz.schemas.contract import NOT_IN_FUTURE, Ambiguity, Contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.json_reader import Reading
from brokerfuzz.schemas.sites import Rule, Site, join
from brokerfuzz.schemas.verdicts import Broken, Touched, describe


@dataclass(slots=True)
class Inspection:
    """What the walk over a message needs and gathers."""

    now: datetime
    touched: list[Touched] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)

    def touch(self, ambiguity: Ambiguity, place: Place, found: str) -> None:
        """Notes that an ambiguity is touched at a place."""
        self.touched.append(Touched(ambiguity.id, pointer(place), found))


Look = Callable[[Any, Place, Inspection], None]
"""Looks at the value at a place, and at what lies below."""


class Inspector:
    """The walks over the messages of a type: over a whole one; over a property of it and what lies below; over what is around its properties."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._sites = contract.sites[message_type]
        self._contract = contract
        self._message_type: MessageType = message_type
        self._walk = _ScanWriter(contract, message_type).compiled("")
        self._too_long = next((s for s in contract.ambiguities if s.concerns(message_type) and s.detector == "string_length"), None)

    @property
    def longest_text(self) -> int:
        """Characters of the longest text that is not looked at."""
        return self._too_long.options["limit"] if self._too_long is not None else sys.maxsize

    @cached_property
    def props(self) -> Mapping[str, Look | None]:
        """The walk over each property that the root has a site for, in the order in which the walk over the whole comes to them; None where there
        is nothing to see."""
        walk = _ScanWriter(self._contract, self._message_type)
        return {name: walk.compiled(path) if walk.sees(path) else None for name, path in walk.props("").items()}

    @cached_property
    def around(self) -> Look:
        """What the walk over the whole sees that is not within one property."""
        return _ScanWriter(self._contract, self._message_type).around()

    @cached_property
    def compared(self) -> Sequence[frozenset[str]] | None:
        """The properties whose values that walk looks at, those together that it compares; None, if it may look at any."""
        return _ScanWriter(self._contract, self._message_type).compared()

    def whole(self, message: Any, reading: Reading, inspection: Inspection) -> None:
        """Looks at a message, one of those of a reading."""
        self._walk(message, None, inspection)
        self.long_texts("", message, None, reading, inspection)

    def long_texts(self, path: str, value: Any, place: Place, reading: Reading, inspection: Inspection) -> None:
        """Looks for texts too long at a site and below."""
        if self._too_long is not None and reading.may_hold_text_of(self.longest_text + 1):
            _look_for_long_texts(self._too_long, self._sites, path, value, place, inspection)


# --------------------------------------------------------------------------------------------------------- the walk

Lines = list[str]
"""Lines of Python, indented from where they stand."""


_DEEP = 12
"""Levels of a walk; what lies deeper has one of its own, for Python takes no more than 20 loops in each other, and 100 levels of indentation."""


@dataclass(frozen=True)
class _Here:
    """Where the source of the walk has come to: the site, the variable that holds its value, the expression of its place, and how deep that is."""

    path: str
    value: str = "message"
    place: str = "place"
    depth: int = 0

    def below(self, path: str, value: str, step: str) -> "_Here":
        return _Here(path, value, f"({self.place}, {step})", self.depth + 1)


class _ScanWriter:
    """Writes the walk over a message type. A changed contract may lack a site that an ambiguity concerns."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._sites = contract.sites[message_type]
        self._message_type = message_type
        self._properties: dict[str, dict[str, str]] = {}
        for path, site in self._sites.items():
            if path and not path.endswith("[]"):
                self._properties.setdefault(path[: -len(site.name)].removesuffix("."), {})[site.name] = path
        concerned = [ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)]
        self._of_a_kind = {str(ambiguity.detector): ambiguity for ambiguity in concerned}
        self._tolerance = self._of_a_kind["near_now"].options["seconds"] if "near_now" in self._of_a_kind else 0
        self._asked: dict[str, list[tuple[Any, ...]]] = {}
        for ambiguity in concerned:
            for where in (ambiguity.sites or {}).get(message_type, ()):
                asked, *rest = (where,) if isinstance(where, str) else where
                self._asked.setdefault(asked, []).append((ambiguity, *rest))
        self._rules = [rule for rule in contract.rules[message_type] if rule.keyword == NOT_IN_FUTURE]
        self._names: dict[str, Any] = {"distinct": distinct, "describe": describe}
        self._numbers = count()

    def props(self, path: str) -> Mapping[str, str]:
        """The sites of the properties of the object at a site, by their names."""
        return self._properties.get(path, {})

    def sees(self, path: str) -> bool:
        """Whether there is anything to see at a site or below."""
        return bool(self._at(_Here(path)))

    def compiled(self, path: str) -> Look:
        """The walk that begins at a site."""
        return self._compiled(self._at(_Here(path)))

    def around(self) -> Look:
        """The walk that begins at the root, and does not look into its properties."""
        return self._compiled(self._at(_Here(""), within=False))

    def compared(self) -> Sequence[frozenset[str]] | None:
        """The properties that it compares then; None where something looks at the message itself."""
        here = _Here("")
        if any(self._of(OF_VALUES, here)) or any(not rule.site for rule in self._rules):
            return None
        return [frozenset(names) for _, *names in self._pairs(here)]

    def _compiled(self, lines: Lines) -> Look:
        lines = ["def walk(message, place, inspection):", *_indented(["now, touch = inspection.now, inspection.touch", *lines])]
        # Our own source: of a contract it has names alone, written as Python writes texts.
        exec(compile("\n".join(lines), f"<walk over {self._message_type}>", "exec"), self._names)  # noqa: S102
        walk: Look = self._names["walk"]
        return walk

    def _at(self, here: _Here, *, within: bool = True) -> Lines:
        """The lines for the value at a site: what lies below it first (unless not `within` its properties), then itself."""
        if here.depth == _DEEP:
            return [f"{self._name(self.compiled(here.path))}({here.value}, {here.place}, inspection)"]
        types, schema = types_of(self._sites[here.path].schema), self._sites[here.path].schema
        lines = self._object(here, within) + (self._array(here) if "array" in types else [])
        if "integer" in types and "type" in schema and (ambiguity := self._of_a_kind.get("integer_form")):
            lines += [f"if type({here.value}) is float and {here.value}.is_integer():", *self._touch(ambiguity, here)]
        for ambiguity, *_ in self._of(OF_VALUES, here):
            detect = self._name(OF_VALUES[ambiguity.detector])
            lines += [f"if {detect}({here.value}, now, {self._name(ambiguity.options)}):", *self._touch(ambiguity, here)]
        for rule in self._rules:
            if rule.site == here.path:
                look = self._name(_not_in_future(rule, self._tolerance))
                lines += [f"{look}({here.value}, {here.place}, inspection)"]
        return lines

    def _object(self, here: _Here, within: bool) -> Lines:
        lines: Lines = []
        props, pairs = self.props(here.path), self._pairs(here)
        held = {name: f"v{next(self._numbers)}" for name in props}
        for name, path in props.items():
            below = self._at(here.below(path, held[name], repr(name))) if within else []
            if below or any(name in names for _, *names in pairs):
                lines += [f"{held[name]} = {here.value}.get({name!r})"]
                lines += [f"if {held[name]} is not None:", *_indented(below)] if below else []
        for ambiguity, low, high in pairs:
            one, other = held[low], held[high]
            detect, options = self._name(OF_PAIRS[str(ambiguity.detector)]), self._name(ambiguity.options)
            found = f"{f'{low} '!r} + describe({one}) + {f', {high} '!r} + describe({other})"
            lines += [f"if {detect}({one}, {other}, now, {options}):", *self._touch(ambiguity, here, found)]
        return [f"if type({here.value}) is dict:", *_indented(lines)] if lines else []

    def _pairs(self, here: _Here) -> list[tuple[Ambiguity, str, str]]:
        """(an ambiguity, the names of the two properties that it compares) of every pair that the object has a site for."""
        props = self.props(here.path)
        return [(ambiguity, low, high) for ambiguity, low, high in self._of(OF_PAIRS, here) if low in props and high in props]

    def _array(self, here: _Here) -> Lines:
        lines, path = [], f"{here.path}[]"
        if ambiguity := self._of_a_kind.get("item_count"):
            size = f"len({here.value})"
            lines += [f"if {size} > {ambiguity.options['limit']}:", *self._touch(ambiguity, here, f'f"{{{size}:,}} items"')]
        if path in self._sites:
            number = next(self._numbers)
            below = self._at(here.below(path, f"v{number}", f"i{number}"))
            lines += [f"for i{number}, v{number} in enumerate({here.value}):", *_indented(below)] if below else []
        for ambiguity, *key in self._of(("distinct",), here):
            named = key[0] if key else None
            lines += [f"if len({here.value}) > 1 and distinct({here.value}, {named!r}):"]
            lines += self._touch(ambiguity, here, repr(f"the same {named or 'item'} twice"))
        return [f"if type({here.value}) is list:", *_indented(lines)] if lines else []

    def _touch(self, ambiguity: Ambiguity, here: _Here, found: str = "") -> Lines:
        return _indented([f"touch({self._name(ambiguity)}, {here.place}, {found or f'describe({here.value})'})"])

    def _name(self, thing: Any) -> str:
        """The name by which the walk knows something."""
        name = f"n{next(self._numbers)}"
        self._names[name] = thing
        return name

    def _of(self, detectors: Collection[str], here: _Here) -> Iterator[tuple[Any, ...]]:
        """(an ambiguity of these detectors, what its table says behind the site), of every mention of the site."""
        return (asked for asked in self._asked.get(here.path, ()) if asked[0].detector in detectors)


def _indented(lines: Lines) -> Lines:
    return [f" {line}" for line in lines]


def _not_in_future(rule: Rule, tolerance: int) -> Look:
    def look(value: Any, place: Place, inspection: Inspection) -> None:
        when = instant(value) if isinstance(value, str) else None
        if when is not None and (when - inspection.now).total_seconds() > tolerance:
            inspection.broken.append(Broken(rule.id, pointer(place), describe(value), rule.demand))

    return look


def _look_for_long_texts(ambiguity: Ambiguity, sites: Mapping[str, Site], path: str, value: Any, place: Place, inspection: Inspection) -> None:
    """Looks at every text at a site and below."""
    if type(value) is str and len(value) > ambiguity.options["limit"]:
        inspection.touch(ambiguity, place, f"{len(value):,} characters")
    elif type(value) is dict:
        for name, prop in value.items():
            if (below := join(path, name)) in sites:
                _look_for_long_texts(ambiguity, sites, below, prop, (place, name), inspection)
    elif type(value) is list and f"{path}[]" in sites:
        for index, item in enumerate(value):
            _look_for_long_texts(ambiguity, sites, f"{path}[]", item, (place, index), inspection)
