"""Finds the ambiguities that a message touches, and the broken rules that JSON Schema cannot express.

For each message type, the module generates the source of a Python function and compiles it. The function visits only sites that
have something to check. Without generated source, a scan would take 1.5 times as long.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import Place, pointer
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW, OF_RELATIONS, OF_VALUES, TIMESTAMP, distinct
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE, Ambiguity
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import Moment, timestamp
from brokerfuzz.schemas.json_reader import Reading
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.schemas.sites import Rule, Site, join
from brokerfuzz.schemas.verdicts import Touched, Violation, describe


@dataclass(slots=True)
class Inspection:
    """The arguments and the results of the scan of one message.

    `tolerance` contains the lowest and the highest clock tolerance of all allowed interpretations, in seconds. The scan adds the
    ambiguities that the message touches to `touched`, and the broken rules to `broken`.
    """

    now: datetime
    tolerance: tuple[int, int]
    touched: list[Touched] = field(default_factory=list)
    broken: list[Violation] = field(default_factory=list)

    def touch(self, ambiguity: Ambiguity, place: Place, found: str) -> None:
        self.touched.append(Touched(ambiguity.id, pointer(place), found))


Scan = Callable[[Any, Place, Inspection], None]


class Inspector:
    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._sites = contract.sites[message_type]
        self._scan = _ScanWriter(contract, message_type).compiled("")
        self._too_long = next((s for s in contract.ambiguities if s.concerns(message_type) and s.detector == "string_length"), None)

    def whole(self, message: Any, reading: Reading, inspection: Inspection) -> None:
        self._scan(message, None, inspection)
        if self._too_long is not None and reading.may_hold_text_of(self._too_long.options["limit"] + 1):
            _report_long_strings(self._too_long, self._sites, "", message, None, inspection)


# --------------------------------------------------------------------------------------------------------- the scan

Lines = list[str]
"""Lines of generated Python source."""


_DEEP = 12
"""The maximum number of nested sites in one generated function. Python allows at most 20 nested loops and 100 levels of indentation."""


@dataclass(frozen=True)
class _ScanPosition:
    """A site (`path`), and the way in which the generated Python code accesses it. `value` is the name of the variable that
    contains the site's value. `place` is the Python expression for the value's place in the message. `depth` is the number of
    loops and objects around the site in the same generated function (see `_DEEP`).
    """

    path: str
    value: str = "message"
    place: str = "place"
    depth: int = 0

    def below(self, path: str, value: str, step: str) -> "_ScanPosition":
        return _ScanPosition(path, value, f"({self.place}, {step})", self.depth + 1)


class _ScanWriter:
    """Writes the source of the function that scans messages of one type. If a changed contract lacks a site of an ambiguity,
    the function does not check this site.
    """

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._sites = contract.sites[message_type]
        self._message_type = message_type
        self._properties: dict[str, dict[str, str]] = {}
        for path, site in self._sites.items():
            if path and not path.endswith("[]"):
                self._properties.setdefault(path[: -len(site.name)].removesuffix("."), {})[site.name] = path
        concerned = [ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)]
        self._by_detector = {str(ambiguity.detector): ambiguity for ambiguity in concerned}
        self._at_site: dict[str, list[tuple[Any, ...]]] = {}
        for ambiguity in concerned:
            for where in (ambiguity.sites or {}).get(message_type, ()):
                at, *rest = (where,) if isinstance(where, str) else where
                self._at_site.setdefault(at, []).append((ambiguity, *rest))
        self._rules = [rule for rule in contract.rules[message_type] if rule.keyword == NOT_IN_FUTURE]
        self._unknown = contract.values.detectors(message_type) if contract.values else {}
        self._names: dict[str, Any] = {"distinct": distinct, "describe": describe}
        self._numbers = count()

    def props(self, path: str) -> Mapping[str, str]:
        """Maps property names to sites, for the object at the site `path`."""
        return self._properties.get(path, {})

    def compiled(self, path: str) -> Scan:
        lines = self._at(_ScanPosition(path))
        lines = ["def scan(message, place, inspection):", *_indented(["now, touch = inspection.now, inspection.touch", *lines])]
        # This is safe, because the source contains only names from the contract as Python string literals.
        exec(compile("\n".join(lines), f"<scan of {self._message_type}>", "exec"), self._names)  # noqa: S102
        scan: Scan = self._names["scan"]
        return scan

    def _at(self, here: _ScanPosition) -> Lines:
        """Returns the source lines that check the value at the site `here.path`, and all values inside this value."""
        if here.depth == _DEEP:
            return [f"{self._name(self.compiled(here.path))}({here.value}, {here.place}, inspection)"]
        types, schema = types_of(self._sites[here.path].schema), self._sites[here.path].schema
        lines = self._object(here) + (self._array(here) if "array" in types else [])
        if "integer" in types and "type" in schema and (ambiguity := self._by_detector.get("integer_form")):
            lines += [f"if type({here.value}) is float and {here.value}.is_integer():", *self._touch(ambiguity, here)]
        for ambiguity, *_ in self._of(OF_VALUES, here):
            detect = self._name(OF_VALUES[ambiguity.detector])
            lines += [f"if {detect}({here.value}, now, {self._name(ambiguity.options)}):", *self._touch(ambiguity, here)]
        for ambiguity, *_ in self._of((DETECTOR,), here):
            lines += [f"if {self._name(self._unknown[here.path])}({here.value}):", *self._touch(ambiguity, here)]
        rule = next((rule for rule in self._rules if rule.site == here.path), None)
        spellings = {ambiguity.options["spelling"]: ambiguity for ambiguity, *_ in self._of((TIMESTAMP,), here)}
        if rule is not None or spellings:
            check = self._name(_timestamp_check(rule, self._by_detector.get(NEAR_NOW), spellings))
            lines += [f"if type({here.value}) is str:", f" {check}({here.value}, {here.place}, inspection)"]
        return lines

    def _object(self, here: _ScanPosition) -> Lines:
        lines: Lines = []
        props, relations = self.props(here.path), self._relations(here)
        held = {name: f"v{next(self._numbers)}" for name in props}
        for name, path in props.items():
            below = self._at(here.below(path, held[name], repr(name)))
            if below or any(name in names for _, *names in relations):
                lines += [f"{held[name]} = {here.value}.get({name!r})"]
                lines += [f"if {held[name]} is not None:", *_indented(below)] if below else []
        for ambiguity, *names in relations:
            detect, options = self._name(OF_RELATIONS[str(ambiguity.detector)]), self._name(ambiguity.options)
            found = ' + ", " + '.join(f"{f'{name} '!r} + describe({held[name]})" for name in names)
            lines += [f"if {detect}({', '.join(held[name] for name in names)}, now, {options}):", *self._touch(ambiguity, here, found)]
        return [f"if type({here.value}) is dict:", *_indented(lines)] if lines else []

    def _relations(self, here: _ScanPosition) -> list[tuple[Any, ...]]:
        """Returns the ambiguities whose detectors compare properties, each with the names of these properties. If a changed
        contract lacks one of the properties, the ambiguity is omitted.
        """
        props = self.props(here.path)
        return [(ambiguity, *names) for ambiguity, *names in self._of(OF_RELATIONS, here) if props.keys() >= set(names)]

    def _array(self, here: _ScanPosition) -> Lines:
        lines, path = [], f"{here.path}[]"
        if ambiguity := self._by_detector.get("item_count"):
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

    def _touch(self, ambiguity: Ambiguity, here: _ScanPosition, found: str = "") -> Lines:
        return _indented([f"touch({self._name(ambiguity)}, {here.place}, {found or f'describe({here.value})'})"])

    def _name(self, thing: Any) -> str:
        """Returns the name of a Python object in the generated source."""
        name = f"n{next(self._numbers)}"
        self._names[name] = thing
        return name

    def _of(self, detectors: Collection[str], here: _ScanPosition) -> Iterator[tuple[Any, ...]]:
        """Yields the ambiguities with one of `detectors` at the site `here.path`. Each tuple contains an ambiguity, and the
        names of the properties that its detector compares.
        """
        return (entry for entry in self._at_site.get(here.path, ()) if entry[0].detector in detectors)


def _indented(lines: Lines) -> Lines:
    return [f" {line}" for line in lines]


def _timestamp_check(rule: Rule | None, tolerated: Ambiguity | None, spellings: Mapping[str, Ambiguity]) -> Scan:
    """Returns a function that finds unusual notations of a timestamp, which touch the ambiguities in `spellings`. If `rule` is
    given, a timestamp in the future breaks this rule.

    A timestamp in the future, but within the clock tolerance, touches the ambiguity `tolerated`.
    """

    def check(value: Any, place: Place, inspection: Inspection) -> None:
        _, unusual, earliest = timestamp(value)
        if rule is not None and earliest is not None:
            first, last = _latest_moments(inspection.now, inspection.tolerance if tolerated is not None else (0, 0))
            if earliest > last:
                inspection.broken.append(Violation(rule.id, pointer(place), describe(value), rule.demand))
            elif tolerated is not None and earliest > first:
                inspection.touch(tolerated, place, describe(value))
        for spelling in unusual:
            if spelling in spellings:
                inspection.touch(spellings[spelling], place, describe(value))

    return check


@lru_cache(maxsize=4)
def _latest_moments(now: datetime, tolerance: tuple[int, int]) -> tuple[Moment, Moment]:
    """Returns two moments: `now` plus the lowest clock tolerance, and `now` plus the highest one."""
    return Moment.of(now).after(tolerance[0]), Moment.of(now).after(tolerance[1])


def _report_long_strings(ambiguity: Ambiguity, sites: Mapping[str, Site], path: str, value: Any, place: Place, inspection: Inspection) -> None:
    if type(value) is str and len(value) > ambiguity.options["limit"]:
        inspection.touch(ambiguity, place, f"{len(value):,} characters")
    elif type(value) is dict:
        for name, prop in value.items():
            if (below := join(path, name)) in sites:
                _report_long_strings(ambiguity, sites, below, prop, (place, name), inspection)
    elif type(value) is list and f"{path}[]" in sites:
        for index, item in enumerate(value):
            _report_long_strings(ambiguity, sites, f"{path}[]", item, (place, index), inspection)
