"""Finds the ambiguities that a message touches, and the broken rules that JSON Schema cannot express.

A scan walks through a message, and visits the places that the contract describes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import Place, pointer
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE, Ambiguity, path_of
from brokerfuzz.schemas.flattening import KNOWN, Schema, types_of
from brokerfuzz.schemas.instants import OTHER, Moment, timestamp
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.schemas.questions.notations import Timestamp
from brokerfuzz.schemas.questions.question import NUMBERS
from brokerfuzz.schemas.sites import join
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

    def touch(self, ambiguity: Ambiguity, place: Place, found: str, *, stays_open: bool = False) -> None:
        self.touched.append(Touched(ambiguity.id, pointer(place), found, stays_open))


Scan = Callable[[Any, Place, Inspection], None]


def scan_of(contract: Contract, message_type: MessageType) -> Scan:
    """Returns a function that scans messages of this type."""
    return _ScanBuilder(contract, message_type).at("").scan


@dataclass(frozen=True, slots=True)
class _Check:
    """Decides whether a value of these Python types touches an ambiguity. `found` describes such a value."""

    ambiguity: Ambiguity
    kinds: tuple[type, ...]
    test: Callable[[Any], bool]
    found: Callable[[Any], str] = describe


class _SiteScan:
    """What is checked at a site, and below it in the properties of an object and the items of an array."""

    def __init__(
        self,
        props: Mapping[str, "_SiteScan"],
        items: "_SiteScan | None",
        past: Scan | None,
        checks: Sequence[_Check],
    ) -> None:
        self._props, self._items, self._past = props, items, past
        self.checks: dict[type, list[tuple[Callable[[Any], bool], _Check]]] = {dict: [], list: [], str: []}
        for check in checks:
            for kind in check.kinds:
                self.checks.setdefault(kind, []).append((check.test, check))

    def scan(self, value: Any, place: Place, inspection: Inspection) -> None:
        kind = type(value)
        if kind not in self.checks:
            return
        if kind is dict:
            for name, inner in value.items():
                below = self._props.get(name)
                if below is not None and type(inner) in below.checks:
                    below.scan(inner, (place, name), inspection)
        elif kind is list:
            if self._items is not None:
                for index, item in enumerate(value):
                    self._items.scan(item, (place, index), inspection)
        elif kind is str and self._past is not None:
            self._past(value, place, inspection)
        for test, check in self.checks[kind]:
            if test(value):
                inspection.touch(check.ambiguity, place, check.found(value))


class _ScanBuilder:
    """Builds the scan of one message type."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._sites = contract.sites[message_type]
        concerned = [ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)]
        self._by_detector = {str(ambiguity.detector): ambiguity for ambiguity in concerned}
        self._at_site: dict[str, list[tuple[Ambiguity, Any]]] = {}
        for ambiguity in concerned:
            for where in (ambiguity.sites or {}).get(message_type, ()):
                self._at_site.setdefault(path_of(where), []).append((ambiguity, where))
        self._rules = {rule.site: rule for rule in contract.rules[message_type] if rule.keyword == NOT_IN_FUTURE}
        self._unknown = contract.values.detectors(message_type) if contract.values else {}

    def at(self, path: str) -> _SiteScan:
        schema = self._sites[path].schema
        props = {
            name: self.at(there) for name in schema.get("properties", {}) if (there := join(path, name)) in self._sites
        }
        of_site = [self._of(ambiguity, where, path) for ambiguity, where in self._at_site.get(path, ())]
        return _SiteScan(
            props,
            self.at(f"{path}[]") if f"{path}[]" in self._sites else None,
            self._past_check(path),
            [*self._of_type(path), *(check for check in of_site if check is not None)],
        )

    def _of_type(self, path: str) -> Iterator[_Check]:
        """Yields the checks that concern all integers, strings or arrays."""
        schema = self._sites[path].schema
        if _demands_integers(schema) and (ambiguity := self._by_detector.get("integer_form")):
            yield _Check(ambiguity, (float,), float.is_integer)
        if "maxLength" not in schema and (ambiguity := self._by_detector.get("string_length")):
            yield _size_check(ambiguity, str, "characters", _allowed_length(schema))
        has_open_size = "array" in types_of(schema) and "maxItems" not in schema
        if has_open_size and (ambiguity := self._by_detector.get("item_count")):
            yield _size_check(ambiguity, list, "items", schema.get("minItems", 0))

    def _of(self, ambiguity: Ambiguity, where: Any, path: str) -> _Check | None:
        if ambiguity.detector == DETECTOR:
            return _Check(ambiguity, (str, *NUMBERS, bool), self._unknown[path])
        if ambiguity.kind is None:
            return None
        question = ambiguity.question_at(where)
        return _Check(ambiguity, question.python_types, question.touches, question.found)

    def _past_check(self, path: str) -> Scan | None:
        """Returns a function that finds timestamps in the future, if a rule forbids them at a site. Timestamps that may
        be in the future touch an ambiguity: that of the clock tolerance, or that of their notation.
        """
        rule, tolerated = self._rules.get(path), self._by_detector.get(NEAR_NOW)
        if rule is None:
            return None
        unusual = self._ambiguity_of_other_timestamps(path)

        def check(value: Any, place: Place, inspection: Inspection) -> None:
            _, earliest, latest = timestamp(value)
            tolerance = (0, 0) if tolerated is None else inspection.tolerance
            first, last = (Moment.of(inspection.now).after(seconds) for seconds in tolerance)
            if earliest is not None and earliest > last:
                inspection.broken.append(Violation(rule.id, pointer(place), describe(value), rule.demand))
            elif latest is None or latest > first:
                touched = unusual if latest is None or latest != earliest else tolerated
                if touched is not None:
                    found = f"{describe(value)}, which may be in the future"
                    inspection.touch(touched, place, found, stays_open=True)

        return check

    def _ambiguity_of_other_timestamps(self, path: str) -> Ambiguity | None:
        at_site = (ambiguity for ambiguity, _ in self._at_site.get(path, ()) if ambiguity.kind is Timestamp)
        return next((ambiguity for ambiguity in at_site if ambiguity.options["spelling"] == OTHER), None)


def _demands_integers(schema: Any) -> bool:
    """Returns whether a flat schema, or one of its branches, allows integers but no other numbers."""
    if not isinstance(schema, dict):
        return False
    branches = [branch for keyword in ("allOf", "anyOf", "oneOf") for branch in schema.get(keyword, ())]
    branches += [schema.get("then"), schema.get("else")]
    return ("type" in schema and "integer" in types_of(schema)) or any(map(_demands_integers, branches))


def _allowed_length(schema: Schema) -> int:
    """Returns a length that a schema without `maxLength` clearly allows, because it demands it or lists such values."""
    listed = (*schema.get("enum", ()), *schema.get(KNOWN, ()))
    lengths = [len(value) for value in listed if isinstance(value, str)]
    return max(int(schema.get("minLength", 0)), *lengths, 0)


def _size_check(ambiguity: Ambiguity, kind: type, unit: str, allowed: int) -> _Check:
    limit = max(ambiguity.options["limit"], allowed)
    return _Check(ambiguity, (kind,), lambda value: len(value) > limit, lambda value: f"{len(value):,} {unit}")
