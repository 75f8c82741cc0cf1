"""The oracle judges the bytes of a message and returns a verdict.

A JSON Schema validator (jsonschema-rs) checks the structure. This module adds the rules that the schemas cannot express, and the
ambiguities. The oracle shares no code with the generators, so that it detects their mistakes instead of repeating them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache, reduce
from itertools import islice
from operator import attrgetter, getitem
from typing import Any, NamedTuple

from brokerfuzz.contract_names import MessageType
from brokerfuzz.errors import quoted
from brokerfuzz.pointers import escape, pointer_of
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW, REJECTED
from brokerfuzz.schemas.ambiguity_scan import Inspection, Inspector
from brokerfuzz.schemas.contract import Contract, Policies, PolicyValues, known_contract, known_message_type
from brokerfuzz.schemas.error_limiting import ErrorLimiter
from brokerfuzz.schemas.headers import Headers, carried, in_doubt
from brokerfuzz.schemas.interpretations import Interpretation
from brokerfuzz.schemas.json_reader import DEEPEST, Reading, read, read_shallow
from brokerfuzz.schemas.sites import JSON_RULE, Rule, join
from brokerfuzz.schemas.structural_validation import SchemaFiles, standard, validator
from brokerfuzz.schemas.verdicts import NOT_JSON, NOTHING, UNKNOWN_PROPERTY, VALID, Touched, Verdict, Violation, describe
from brokerfuzz.wording import printable

Steps = tuple[str | int, ...]
"""The property names and item indexes on the path from the root of a message to a place."""


class Error(NamedTuple):
    """An error that a validator reports. `steps` is the path of its place, and `at` is its JSON Pointer.

    The message breaks one of `rules` there. If there are several rules, the whole message decides which one is broken.
    """

    rules: Sequence[Rule]
    steps: Steps
    at: str
    found: str
    instance: Any


MOST_BROKEN = 1000
"""The maximum number of broken rules in a verdict."""
AMBIGUITY_RULE = "ambiguity/"
"""If a policy rejects an ambiguity, the ID of the broken rule is this prefix and the ID of the ambiguity."""
DUPLICATE_PROPERTIES, DOUBLE_RANGE = "duplicate_properties", "double_range"
"""The detectors of ambiguities that decide which value of a text is judged."""
_LARGEST_INTEGER = 10**399
"""The largest integer that is written. Python can be configured to reject integers of more than 640 digits."""
_LARGE = 64 * 1024
"""Larger messages (in bytes) are made smaller before the oracle lists their errors (see `error_limiting`)."""


def check(
    message_type: MessageType | str,
    body: Any,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    policies: PolicyValues | None = None,
    headers: Headers = (),
) -> Verdict:
    """Returns the verdict on a message. The function accepts any bytes.

    - `body`: the bytes of the message, or a Python value that `json.dumps` accepts. A `str` is a JSON string; it is not parsed as
      JSON.
    - `now`: the time that counts as the present (default: the actual time). A time without a time zone is in UTC.
    - `policies`: maps the ID of an ambiguity to the interpretations that you allow (see `Contract.check_policies`). The oracle
      judges the message under every allowed interpretation. If the message breaks a rule under each of them, it is invalid; if it
      breaks none under any, it is valid. An ambiguity that a policy rejects is reported as the rule `ambiguity/ID`.
    - `headers`: the unusual headers of the request. Headers can touch ambiguities, too. If the headers declare gzip and the body
      is valid gzip, the oracle judges the decompressed message.

    Raises `UnknownNameError` if a message type, an ambiguity or a policy is unknown, and `TypeError` if a Python value cannot be
    written as JSON.
    """
    rulebook = rulebook_of(known_contract(contract), known_message_type(message_type))
    return rulebook.judge(
        bytes(body) if isinstance(body, bytes | bytearray | memoryview) else _written(body),
        now=aware(now),
        policies=rulebook.contract.check_policies(policies or {}),
        headers=headers,
    )


def aware(now: datetime | None) -> datetime:
    """Returns the time with a time zone. None means the present, and a time without a zone is in UTC."""
    if now is None:
        return datetime.now(UTC)
    if not isinstance(now, datetime):
        raise TypeError(f"now={quoted(now)}: use a datetime, such as datetime(2026, 1, 1, tzinfo=UTC)")
    return now if now.utcoffset() is not None else now.replace(tzinfo=UTC)


def _written(value: Any) -> bytes:
    try:
        try:
            return json.dumps(value).encode()
        except RecursionError:
            return json.dumps(_writable(value, DEEPEST + 2)).encode()
        except ValueError as problem:
            if "ircular" in str(problem):
                raise
            return json.dumps(_writable(value, DEEPEST + 2)).encode()
    except (TypeError, ValueError) as problem:
        raise TypeError(f"this value cannot be written as JSON ({problem}): pass bytes, or a value that json.dumps accepts") from None


def _writable(value: Any, depth: int) -> Any:
    """Returns the value without anything deeper than `depth`, and with a smaller number in place of integers that Python does not write."""
    if isinstance(value, dict):
        return {name: _writable(prop, depth - 1) for name, prop in value.items()} if depth else {}
    if isinstance(value, list | tuple):
        return [_writable(item, depth - 1) for item in value] if depth else []
    return max(-_LARGEST_INTEGER, min(value, _LARGEST_INTEGER)) if type(value) is int else value


@lru_cache(maxsize=32)
def rulebook_of(contract: Contract, message_type: MessageType) -> "Rulebook":
    return Rulebook(contract, message_type)


_KEYWORDS = {"const": "enum", "falseSchema": "type"}
"""Maps keywords that the validator reports to keywords of flat schemas, if their names differ."""


class Rulebook:
    """The rules and ambiguities of one message type, prepared for judging messages."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self.message_type = message_type
        self._files = files = SchemaFiles(contract.schemas)
        self.validator = validator({"properties": {}, **contract.schemas[message_type]}, files)  # without "properties", errors have no property
        self.rules: dict[tuple[str, str], list[Rule]] = {}
        for rule in contract.rules[message_type]:
            self.rules.setdefault((rule.site, rule.keyword), []).append(rule)
        contested = [rule for rules in self.rules.values() if len(rules) > 1 for rule in rules]
        self.conditions = {rule.id: validator(standard(rule.condition.when), files) for rule in contested if rule.condition}
        self.alone = {rule.id: validator(standard({rule.keyword: rule.value}), files) for rule in contested if rule.keyword != "required"}
        self.detectors = {str(ambiguity.detector): ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)}
        self.inspector = Inspector(contract, message_type)

    # ------------------------------------------------------------------------------------------------ judging

    def judge(self, body: bytes, *, now: datetime, policies: Policies, headers: Headers) -> Verdict:
        """Judges the bytes of a message (see `check`)."""
        if headers:
            body = carried(body, headers)
        reading = read(body)
        try:
            outcomes = self._outcomes(reading, now, policies)
        except (ValueError, RecursionError):  # nested too deeply for the validator
            reading = read_shallow(body)
            outcomes = self._outcomes(reading, now, policies)
        everywhere = [*self._touched_by_text(reading), *self._touched_by_size(len(body)), *self._touched_by_headers(headers)]
        return self._verdict([outcome.settled(everywhere, policies, self.contract) for outcome in outcomes], policies)

    def _outcomes(self, reading: Reading, now: datetime, policies: Policies) -> "list[_Outcome]":
        """Judges the message under each allowed interpretation of its text."""
        if reading.error is not None:
            rule = self.rules["", JSON_RULE][0]
            return [_Outcome("", [Violation(rule.id, "", f"{NOT_JSON}{reading.error}", rule.demand)], [])]
        found, tolerance = [], self._tolerance(policies)
        literals = {at: literal for detector, at, literal in reading.exotic if detector == DOUBLE_RANGE}
        for interpretation, value in reading.values.items():
            names = self._names(reading, interpretation, policies)
            if names is not None:
                inspection = Inspection(now, tolerance)
                self.inspector.whole(value, reading, inspection)
                broken = self.violations(value, large=len(reading.body) > _LARGE) + inspection.broken
                outcome = _Outcome(", ".join(names), broken, inspection.touched)
                found.append(outcome.as_written(literals) if literals else outcome)
        return found

    def _names(self, reading: Reading, interpretation: Interpretation, policies: Policies) -> list[str] | None:
        """Returns the names of an interpretation, such as `duplicate-properties=first`. Returns None if a policy does not allow
        it.

        If a policy allows only `rejected`, the message is judged in the usual interpretation.
        """
        found = []
        for detector, name, usual in (
            (DUPLICATE_PROPERTIES, "first" if interpretation.first else "last", not interpretation.first),
            (DOUBLE_RANGE, "rounded" if interpretation.rounded else "exact", not interpretation.rounded),
        ):
            ambiguity = self.detectors.get(detector)
            if ambiguity is None or not any(detector == noted for noted, _, _ in reading.exotic):
                continue
            open_ones = [one for one in policies.get(ambiguity.id, ambiguity.interpretations) if one != REJECTED]
            if name not in open_ones and not (usual and not open_ones):
                return None
            found.append(f"{ambiguity.id}={name}")
        return found

    def _tolerance(self, policies: Policies) -> tuple[int, int]:
        """Returns the lowest and the highest number of seconds by which a timestamp may be later than the clock."""
        ambiguity = self.detectors.get(NEAR_NOW)
        seconds = [int(one) for one in policies.get(ambiguity.id, ambiguity.interpretations)] if ambiguity else [0]
        return min(seconds), max(seconds)

    def _verdict(self, outcomes: "Sequence[_Outcome]", policies: Policies) -> Verdict:
        if not any(outcome.broken or outcome.touched for outcome in outcomes):
            return VALID
        touched = [touch for outcome in outcomes for touch in outcome.touched]
        if all(outcome.broken for outcome in outcomes):
            return Verdict("invalid", _sorted(_of_all(outcomes)), _once(touched))
        differ = any(outcome.broken for outcome in outcomes)
        if not differ and not any(REJECTED in self._open(touch, policies) for touch in touched):
            return VALID
        return Verdict("unspecified", (), _once(touched))

    def _open(self, touch: Touched, policies: Policies) -> Sequence[str]:
        """Returns the allowed interpretations of an ambiguity. A clock tolerance may reject every timestamp that touches it."""
        ambiguity = self.contract.ambiguity(touch.ambiguity)
        return (REJECTED,) if ambiguity.detector == NEAR_NOW else policies.get(ambiguity.id, ambiguity.interpretations)

    def violations(self, value: Any, *, large: bool = False) -> list[Violation]:
        """Returns the rules of the schemas that the value breaks.

        Raises `ValueError` or `RecursionError` if the value is nested too deeply.
        """
        if self.validator.is_valid(value):
            return []
        broken = self._broken_of(value, self._error_limiter.reduced(value)) if large else []
        return broken or self._broken_of(value, value)

    def _broken_of(self, value: Any, reduced: Any) -> list[Violation]:
        return self.broken_by(islice(self._errors(value, reduced), MOST_BROKEN), value)

    @cached_property
    def _error_limiter(self) -> ErrorLimiter:
        return ErrorLimiter(self.contract.flat[self.message_type], self._files, MOST_BROKEN)

    def broken_by(self, errors: Iterable[Error], message: Any) -> list[Violation]:
        """Converts errors to broken rules. If a type is wrong, the other errors at this place are ignored."""
        broken: dict[tuple[str, str], tuple[Rule, Violation]] = {}
        for error in errors:
            for rule in error.rules if len(error.rules) == 1 else self._broken_here(error, message):
                broken.setdefault((error.at, rule.id), (rule, Violation(rule.id, error.at, error.found, rule.demand)))
        if len(broken) <= 1:
            return [entry for _, entry in broken.values()]
        causes = {at for (at, _), (rule, _) in broken.items() if rule.keyword == "type" and rule.condition is None}
        return [
            entry
            for (at, _), (rule, entry) in broken.items()
            if at not in causes or (rule.keyword in ("type", "required") and rule.condition is None)
        ]

    def _errors(self, value: Any, reduced: Any) -> Iterator[Error]:
        """Yields the errors of the smaller form of a message."""
        for error in self.validator.iter_errors(reduced):
            steps, kind = tuple(error.instance_path), error.kind
            instance = reduce(getitem, steps, value)  # ignore the validator's copy of the value, which may be large
            keyword, found = _KEYWORDS.get(kind.name, kind.name), NOTHING
            if keyword != "required":
                found = describe(instance)
            elif "property" in (detail := kind.as_dict()):
                steps = (*steps, detail["property"])
            site, at = _place_of(steps)
            rules = self.rules.get((site, keyword)) or self._unnamed(site, keyword)
            if keyword == "additionalProperties":
                for name in kind.as_dict()["unexpected"]:
                    yield Error(rules, steps, f"{at}/{escape(name)}", f"{UNKNOWN_PROPERTY}`{printable(name)}`", instance)
            else:
                yield Error(rules, steps, at, found, instance)

    def _unnamed(self, site: str, keyword: str) -> Sequence[Rule]:
        return (Rule(self.message_type, site, keyword, None, f"a value that matches {keyword}"),)

    def _broken_here(self, error: Error, message: Any) -> Sequence[Rule]:
        """Returns the rules of the error that apply to the message and are broken."""
        rules = [rule for rule in error.rules if self._holds(rule, message, error.steps) and self._breaks(rule, error.instance)]
        return rules or self._unnamed(error.rules[0].site, error.rules[0].keyword)

    def _holds(self, rule: Rule, value: Any, steps: Steps) -> bool:
        if rule.condition is None:
            return True
        depth = len([step for step in rule.condition.site.replace("[]", ".[]").split(".") if step])
        for step in steps[:depth]:
            value = value[step]
        return self.conditions[rule.id].is_valid(value) == rule.condition.holds

    def _breaks(self, rule: Rule, instance: Any) -> bool:
        return rule.id not in self.alone or not self.alone[rule.id].is_valid(instance)

    # ------------------------------------------------------------------------------------------------ ambiguities

    def _touched_by_text(self, reading: Reading) -> Iterator[Touched]:
        noted = list(reading.exotic)
        if reading.bom:
            noted.append(("byte_order_mark", "", "a byte order mark"))
        if reading.encoding:
            noted.append(("encoding", "", reading.encoding))
        return (Touched(self.detectors[detector].id, at, found) for detector, at, found in noted if detector in self.detectors)

    def _touched_by_size(self, size: int) -> Iterator[Touched]:
        ambiguity = self.detectors.get("message_size")
        if ambiguity is not None and size > ambiguity.options["limit"]:
            yield Touched(ambiguity.id, "", f"{size:,} bytes")

    def _touched_by_headers(self, headers: Headers) -> Iterator[Touched]:
        for detector, found in in_doubt(headers):
            if (ambiguity := self.detectors.get(detector)) is not None:
                yield Touched(ambiguity.id, "", found)


class _Outcome(NamedTuple):
    """The broken rules and touched ambiguities in one interpretation of a text. `names` names the interpretation, unless there is
    only one.
    """

    names: str
    broken: list[Violation]
    touched: list[Touched]

    def as_written(self, literals: Mapping[str, str]) -> "_Outcome":
        """Replaces numbers in the descriptions with the notation of the message. `literals` maps JSON Pointers to numbers."""
        broken = [replace(one, found=literals.get(one.at, one.found)) for one in self.broken]
        return self._replace(broken=broken, touched=[replace(one, found=literals.get(one.at, one.found)) for one in self.touched])

    def settled(self, everywhere: Sequence[Touched], policies: Policies, contract: Contract) -> "_Outcome":
        """Adds the ambiguities that the message touches in every interpretation, and applies the policies.

        If a policy allows only one interpretation, the ambiguity is settled. If this interpretation rejects, the message breaks a
        rule.
        """
        touched = [*self.touched, *everywhere]
        if not policies or not touched:
            return self._replace(touched=touched)
        rejected = [touch for touch in touched if policies.get(touch.ambiguity) == (REJECTED,)]
        faults = [
            Violation(f"{AMBIGUITY_RULE}{touch.ambiguity}", touch.at, touch.found, contract.ambiguity(touch.ambiguity).plain) for touch in rejected
        ]
        left = [touch for touch in touched if len(policies.get(touch.ambiguity, ("", ""))) > 1]
        return _Outcome(self.names, [*self.broken, *faults], left)


def _of_all(outcomes: "Sequence[_Outcome]") -> list[Violation]:
    """Returns the rules that are broken in every interpretation. If there are none, returns the rules that are broken in any of them."""
    common = set.intersection(*({(one.rule, one.at) for one in outcome.broken} for outcome in outcomes))
    if common:
        return [one for one in outcomes[0].broken if (one.rule, one.at) in common]
    found: dict[tuple[str, str], list[str]] = {}
    broken = {(one.rule, one.at): one for outcome in outcomes for one in outcome.broken}
    for outcome in outcomes:
        for one in outcome.broken:
            found.setdefault((one.rule, one.at), []).append(outcome.names)
    return [replace(broken[key], under=" or ".join(names)) for key, names in found.items()]


_PLACE_OF_BROKEN, _PLACE_OF_TOUCHED = attrgetter("at", "rule"), attrgetter("at", "ambiguity", "found")


def _sorted(broken: Iterable[Violation]) -> tuple[Violation, ...]:
    return tuple(sorted(broken, key=_PLACE_OF_BROKEN))


def _once(touched: Iterable[Touched]) -> tuple[Touched, ...]:
    """Sorts ambiguities by place and removes duplicates."""
    found = dict[tuple[str, str], Touched]()
    for touch in sorted(touched, key=_PLACE_OF_TOUCHED):
        found.setdefault((touch.at, touch.ambiguity), touch)
    return tuple(found.values())


def site_of(steps: Steps) -> str:
    """Returns the site of a place, with `[]` in place of each index."""
    path = ""
    for step in steps:
        path = f"{path}[]" if isinstance(step, int) else join(path, step)
    return path


@lru_cache(maxsize=4096)
def _place_of(steps: Steps) -> tuple[str, str]:
    """Returns the site and the JSON Pointer of a place."""
    return site_of(steps), pointer_of(steps)
