"""Finds the ambiguities that a message touches, and the broken rules that JSON Schema cannot express.

A scan walks through a message, and visits the places that the contract describes.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import Place, pointer
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW, OF_RELATIONS, OF_VALUES, TIMESTAMP, distinct
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE, Ambiguity
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import Moment, timestamp
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.schemas.sites import Rule, join
from brokerfuzz.schemas.verdicts import Touched, Violation, describe


@dataclass(slots=True)
class Inspection:
    """The arguments and the results of the scan of one message.

    `tolerance` contains the lowest and the highest clock tolerance of all allowed interpretations, in seconds. The scan
    adds the ambiguities that the message touches to `touched`, and the broken rules to `broken`.
    """

    now: datetime
    tolerance: tuple[int, int]
    touched: list[Touched] = field(default_factory=list)
    broken: list[Violation] = field(default_factory=list)

    def touch(self, ambiguity: Ambiguity, place: Place, found: str) -> None:
        self.touched.append(Touched(ambiguity.id, pointer(place), found))


Scan = Callable[[Any, Place, Inspection], None]


def scan_of(contract: Contract, message_type: MessageType) -> Scan:
    """Returns a function that scans messages of this type."""
    return _ScanBuilder(contract, message_type).at("").scan


@dataclass(frozen=True, slots=True)
class _Check:
    """Decides whether a value touches an ambiguity. `found` describes such a value."""

    ambiguity: Ambiguity
    test: Callable[[Any, datetime], bool]
    found: Callable[[Any], str] = describe


@dataclass(frozen=True, slots=True)
class _SiteScan:
    """What is checked at a site, and below it in the properties of an object and the items of an array."""

    props: Mapping[str, "_SiteScan"]
    items: "_SiteScan | None"
    timestamps: Scan | None
    too_long: Ambiguity | None
    longest: float
    checks: Sequence[_Check]

    def scan(self, value: Any, place: Place, inspection: Inspection) -> None:
        kind = type(value)
        if kind is dict:
            for name, inner in value.items():
                if inner is not None and (below := self.props.get(name)) is not None:
                    below.scan(inner, (place, name), inspection)
        elif kind is list:
            if self.items is not None:
                for index, item in enumerate(value):
                    self.items.scan(item, (place, index), inspection)
        elif kind is str:
            if self.timestamps is not None:
                self.timestamps(value, place, inspection)
            if len(value) > self.longest and self.too_long is not None:
                inspection.touch(self.too_long, place, f"{len(value):,} characters")
        for check in self.checks:
            if check.test(value, inspection.now):
                inspection.touch(check.ambiguity, place, check.found(value))


class _ScanBuilder:
    """Builds the scan of one message type. If a changed contract lacks a site of an ambiguity, the scan does not check
    this site.
    """

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._sites = contract.sites[message_type]
        concerned = [ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)]
        self._by_detector = {str(ambiguity.detector): ambiguity for ambiguity in concerned}
        self._too_long = self._by_detector.get("string_length")
        self._at_site: dict[str, list[tuple[Ambiguity, list[str]]]] = {}
        for ambiguity in concerned:
            for where in (ambiguity.sites or {}).get(message_type, ()):
                at, *names = (where,) if isinstance(where, str) else where
                self._at_site.setdefault(at, []).append((ambiguity, names))
        self._rules = {rule.site: rule for rule in contract.rules[message_type] if rule.keyword == NOT_IN_FUTURE}
        self._unknown = contract.values.detectors(message_type) if contract.values else {}

    def at(self, path: str) -> _SiteScan:
        schema = self._sites[path].schema
        props = {
            name: self.at(there) for name in schema.get("properties", {}) if (there := join(path, name)) in self._sites
        }
        return _SiteScan(
            props,
            self.at(f"{path}[]") if f"{path}[]" in self._sites else None,
            self._timestamps(path),
            self._too_long,
            math.inf if self._too_long is None else self._too_long.options["limit"],
            [
                *self._of_type(path),
                *(
                    check
                    for ambiguity, names in self._at_site.get(path, ())
                    for check in self._of(ambiguity, names, path)
                ),
            ],
        )

    def _timestamps(self, path: str) -> Scan | None:
        rule = self._rules.get(path)
        asked = [ambiguity for ambiguity, _ in self._at_site.get(path, ()) if ambiguity.detector == TIMESTAMP]
        spellings = {ambiguity.options["spelling"]: ambiguity for ambiguity in asked}
        return (
            _timestamp_check(rule, self._by_detector.get(NEAR_NOW), spellings)
            if rule is not None or spellings
            else None
        )

    def _of_type(self, path: str) -> Iterator[_Check]:
        """Yields the checks that concern all integers or all arrays."""
        schema = self._sites[path].schema
        if "integer" in types_of(schema) and "type" in schema and (ambiguity := self._by_detector.get("integer_form")):
            yield _Check(ambiguity, lambda value, now: type(value) is float and value.is_integer())
        if "array" in types_of(schema) and (ambiguity := self._by_detector.get("item_count")):
            limit = ambiguity.options["limit"]
            yield _Check(
                ambiguity,
                lambda value, now: type(value) is list and len(value) > limit,
                lambda value: f"{len(value):,} items",
            )

    def _of(self, ambiguity: Ambiguity, names: list[str], path: str) -> Iterator[_Check]:
        """Yields the check of an ambiguity at one of its sites. `names` are the properties that its detector
        compares.
        """
        detector, options = str(ambiguity.detector), ambiguity.options
        if detector in OF_VALUES:
            of_value = OF_VALUES[detector]
            yield _Check(ambiguity, lambda value, now: of_value(value, now, options))
        elif detector == DETECTOR:
            yield _Check(ambiguity, lambda value, now: self._unknown[path](value))
        elif detector == "distinct":
            key = names[0] if names else None
            yield _Check(
                ambiguity,
                lambda value, now: type(value) is list and len(value) > 1 and distinct(value, key),
                lambda value: _twice(key),
            )
        elif detector in OF_RELATIONS and set(names) <= self._sites[path].schema.get("properties", {}).keys():
            yield _relation(ambiguity, names)


def _relation(ambiguity: Ambiguity, names: list[str]) -> _Check:
    compare, options = OF_RELATIONS[str(ambiguity.detector)], ambiguity.options

    def test(value: Any, now: datetime) -> bool:
        return type(value) is dict and compare(*(value.get(name) for name in names), now, options)

    return _Check(ambiguity, test, lambda value: ", ".join(f"{name} {describe(value.get(name))}" for name in names))


def _twice(key: str | None) -> str:
    return f"the same {key or 'item'} twice"


def _timestamp_check(rule: Rule | None, tolerated: Ambiguity | None, spellings: Mapping[str, Ambiguity]) -> Scan:
    """Returns a function that finds unusual notations of a timestamp, which touch the ambiguities in `spellings`. If
    `rule` is given, a timestamp in the future breaks this rule.

    A timestamp in the future, but within the clock tolerance, touches the ambiguity `tolerated`.
    """

    def check(value: Any, place: Place, inspection: Inspection) -> None:
        _, unusual, earliest = timestamp(value)
        if rule is not None and earliest is not None:
            tolerance = inspection.tolerance if tolerated is not None else (0, 0)
            first, last = (Moment.of(inspection.now).after(seconds) for seconds in tolerance)
            if earliest > last:
                inspection.broken.append(Violation(rule.id, pointer(place), describe(value), rule.demand))
            elif tolerated is not None and earliest > first:
                inspection.touch(tolerated, place, describe(value))
        for spelling in unusual:
            if spelling in spellings:
                inspection.touch(spellings[spelling], place, describe(value))

    return check
