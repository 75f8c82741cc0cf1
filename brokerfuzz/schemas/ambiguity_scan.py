"""Finds the ambiguities that a message touches, and the broken rules that JSON Schema cannot express."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import Steps, pointer_of
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE, Ambiguity, path_of
from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.instants import OTHER, Moment, timestamp
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.schemas.questions.notations import UnusualTimestamp
from brokerfuzz.schemas.questions.question import NUMBERS
from brokerfuzz.schemas.rule import Rule
from brokerfuzz.schemas.sites import Site
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

    def touch(self, ambiguity: Ambiguity, steps: Steps, found: str, *, stays_open: bool = False) -> None:
        self.touched.append(Touched(ambiguity.id, pointer_of(steps), found, stays_open))


Reporter = Callable[[Any, Steps, Inspection], None]
_NESTED = (dict, list)


@dataclass(frozen=True, slots=True)
class _Check:
    """Decides whether a value of these Python types touches an ambiguity. `found` describes such a value."""

    ambiguity: Ambiguity
    python_types: tuple[type, ...]
    test: Callable[[Any], bool]
    found: Callable[[Any], str] = describe

    def report(self, value: Any, steps: Steps, inspection: Inspection) -> None:
        inspection.touch(self.ambiguity, steps, self.found(value))


@dataclass(frozen=True, slots=True)
class _PastCheck:
    """Finds timestamps in the future, which a rule forbids. Timestamps that may be in the future touch an ambiguity:
    that of the clock tolerance, or that of their notation.
    """

    rule: Rule
    tolerated: Ambiguity | None
    unusual: Ambiguity | None
    python_types = (str,)

    def test(self, value: Any) -> bool:
        return True

    def report(self, value: Any, steps: Steps, inspection: Inspection) -> None:
        _, earliest, latest = timestamp(value)
        tolerance = (0, 0) if self.tolerated is None else inspection.tolerance
        first, last = (Moment.of(inspection.now).after(seconds) for seconds in tolerance)
        if earliest is not None and earliest > last:
            violation = Violation(self.rule.id, pointer_of(steps), describe(value), self.rule.demand)
            inspection.broken.append(violation)
        elif latest is None or latest > first:
            touched = self.unusual if latest is None or latest != earliest else self.tolerated
            if touched is not None:
                inspection.touch(touched, steps, f"{describe(value)}, which may be in the future", stays_open=True)


class Scan:
    """Scans messages of one type. Each check belongs to a site and to a Python type."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        sites = contract.sites[message_type]
        self._root = sites[""]
        self._rules = {rule.site: rule for rule in contract.rules[message_type] if rule.keyword == NOT_IN_FUTURE}
        self._unknown = contract.values.detectors(message_type) if contract.values else {}
        concerned = [ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)]
        self._by_detector = {str(ambiguity.detector): ambiguity for ambiguity in concerned}
        self._checks: dict[tuple[Site, type], list[tuple[Callable[[Any], bool], Reporter]]] = {}
        entries = [
            (ambiguity, where) for ambiguity in concerned for where in (ambiguity.sites or {}).get(message_type, ())
        ]
        for site in sites.values():
            asked = [(ambiguity, where) for ambiguity, where in entries if path_of(where) == site.path]
            self._add_checks(site, asked)

    def __call__(self, message: Any, inspection: Inspection) -> None:
        self._scan(self._root, message, (), inspection)

    def _scan(self, site: Site, value: Any, steps: Steps, inspection: Inspection) -> None:
        """Visits the same places as `Site.walk`, in half of the time: it extends no path to a value that is not nested
        and touches nothing.
        """
        for test, report in self._checks.get((site, type(value)), ()):
            if test(value):
                report(value, steps, inspection)
        is_object = type(value) is dict
        if not is_object and (type(value) is not list or site.items is None):
            return
        for step, part in _parts(value):
            below = site.properties.get(step) if is_object else site.items
            if below is None:
                continue
            if type(part) in _NESTED:
                self._scan(below, part, (*steps, step), inspection)
                continue
            for test, report in self._checks.get((below, type(part)), ()):
                if test(part):
                    report(part, (*steps, step), inspection)

    def _add_checks(self, site: Site, asked: Sequence[tuple[Ambiguity, Any]]) -> None:
        """`asked` contains the ambiguities at the site, with their entries."""
        checks: list[_Check | _PastCheck | None] = [*self._of_type(site.schema)]
        checks += [self._of(ambiguity, where) for ambiguity, where in asked]
        if rule := self._rules.get(site.path):
            unreadable_dates = (
                ambiguity
                for ambiguity, _ in asked
                if ambiguity.kind is UnusualTimestamp and ambiguity.options["spelling"] == OTHER
            )
            checks.append(_PastCheck(rule, self._by_detector.get(NEAR_NOW), next(unreadable_dates, None)))
        for check in checks:
            if check is not None:
                for python_type in check.python_types:
                    self._checks.setdefault((site, python_type), []).append((check.test, check.report))

    def _of_type(self, schema: Schema) -> Iterator[_Check]:
        """Yields the checks that concern all integers, strings or arrays."""
        if _demands_integers(schema) and (ambiguity := self._by_detector.get("integer_form")):
            yield _Check(ambiguity, (float,), float.is_integer)
        if "maxLength" not in schema and (ambiguity := self._by_detector.get("string_length")):
            yield _size_check(ambiguity, str, "characters", _allowed_length(schema))
        has_open_size = "array" in types_of(schema) and "maxItems" not in schema
        if has_open_size and (ambiguity := self._by_detector.get("item_count")):
            yield _size_check(ambiguity, list, "items", schema.get("minItems", 0))

    def _of(self, ambiguity: Ambiguity, where: Any) -> _Check | None:
        if ambiguity.detector == DETECTOR:
            return _Check(ambiguity, (str, *NUMBERS, bool), self._unknown[path_of(where)])
        if ambiguity.kind is None:
            return None
        question = ambiguity.question_at(where)
        return _Check(ambiguity, question.python_types, question.touches, question.found)


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """Returns the properties of an object, or the items of an array."""
    return value.items() if type(value) is dict else enumerate(value)


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
