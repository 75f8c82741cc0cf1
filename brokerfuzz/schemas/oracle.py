"""The oracle: it judges the bytes of a message and returns a verdict.

A JSON Schema validator (jsonschema-rs) checks the structure against the schemas as they are written. This module adds the rules that
the schemas cannot state, and the ambiguities. It shares no code with the generators, so that it detects their mistakes instead of
repeating them.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property, lru_cache, reduce
from itertools import islice
from operator import attrgetter, getitem
from typing import Any, NamedTuple

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import escape, pointer_of
from brokerfuzz.schemas.ambiguity_scan import Inspection, Inspector
from brokerfuzz.schemas.contract import Contract, Policies, known_message_type, load_contract
from brokerfuzz.schemas.error_limiting import ErrorLimiter
from brokerfuzz.schemas.headers import Headers, carried, in_doubt
from brokerfuzz.schemas.interpretations import Exotic
from brokerfuzz.schemas.json_numbers import LONGEST_INTEGER
from brokerfuzz.schemas.json_reader import DEEPEST, Reading, read, read_shallow
from brokerfuzz.schemas.sites import JSON_RULE, Rule, join
from brokerfuzz.schemas.structural_validation import SchemaFiles, Split, Tie, Validator, split, standard, validator
from brokerfuzz.schemas.verdicts import NOT_JSON, NOTHING, UNKNOWN_PROPERTY, VALID, Broken, Touched, Verdict, describe
from brokerfuzz.wording import printable

Steps = tuple[str | int, ...]
"""The property names and item indexes that lead from the root to a place."""


class Error(NamedTuple):
    """An error that a validator reports at a place. `steps` is the path of the place, and `at` is its JSON Pointer.

    The message breaks one of `rules` there. If there are several rules, the whole message decides which one is broken.
    """

    rules: Sequence[Rule]
    steps: Steps
    at: str
    found: str
    instance: Any


MOST_BROKEN = 1000
"""The maximum number of broken rules in one verdict."""
_LARGE = 64 * 1024
"""The size in bytes above which a message is reduced before its errors are listed (see `error_limiting`)."""


def check(
    message_type: MessageType | str,
    body: Any,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    policies: Policies | None = None,
    headers: Headers = (),
) -> Verdict:
    """Returns the verdict on a message. Never fails on bytes, whatever they contain.

    - `body`: the bytes of the message, or a Python value that `json.dumps` accepts. A `str` is a JSON string; it is not parsed.
    - `now`: the current time for the rule and the ambiguity that depend on the clock. Default: the present. A time without a time
      zone is in UTC.
    - `policies`: how to treat ambiguities. `accept` ignores an ambiguity; `reject` makes it a rule, reported as `ambiguity/ID`.
    - `headers`: the unusual headers of the request that carries the message. They can touch ambiguities too. If they declare gzip
      and the body is valid gzip, the oracle judges the decompressed message.

    Raises `UnknownNameError` for an unknown message type, ambiguity or policy, and `TypeError` for a Python value that cannot be
    written as JSON.
    """
    rulebook = rulebook_of(contract or load_contract(), known_message_type(message_type))
    return rulebook.judge(
        bytes(body) if isinstance(body, bytes | bytearray | memoryview) else _written(body),
        now=aware(now),
        policies=rulebook.contract.check_policies(policies) if policies else {},
        headers=headers,
    )


def aware(now: datetime | None) -> datetime:
    """Returns the time with its zone. None means the present. A time without a zone is in UTC."""
    if now is None:
        return datetime.now(UTC)
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
    """Returns the value without anything deeper than `depth`. Replaces very large integers, because Python does not write them (see
    `json_numbers`).
    """
    if isinstance(value, dict):
        return {name: _writable(prop, depth - 1) for name, prop in value.items()} if depth else {}
    if isinstance(value, list | tuple):
        return [_writable(item, depth - 1) for item in value] if depth else []
    if isinstance(value, int) and abs(value) > LONGEST_INTEGER:
        return -LONGEST_INTEGER if value < 0 else LONGEST_INTEGER
    return value


@lru_cache(maxsize=32)
def rulebook_of(contract: Contract, message_type: MessageType) -> "Rulebook":
    """Returns the compiled rules of a message type. The function caches them."""
    return Rulebook(contract, message_type)


_KEYWORDS = {"const": "enum", "falseSchema": "type"}
"""Maps a keyword that the validator reports to the keyword in flat schemas, if the two names differ."""


class Rulebook:
    """The compiled rules and ambiguities of a contract for one message type."""

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
        """Returns the verdict on the bytes of a message (see `check`)."""
        if headers:
            body = carried(body, headers)
        reading = read(body)
        inspection = Inspection(now)
        broken: list[Broken] = []
        if reading.error is None:
            try:
                broken = self._broken(reading, inspection)
            except (ValueError, RecursionError):  # nested too deep for the validator
                reading, inspection = read_shallow(body), Inspection(now)
                broken = self._broken(reading, inspection)
        else:
            rule = self.rules["", JSON_RULE][0]
            broken = [Broken(rule.id, "", f"{NOT_JSON}{reading.error}", rule.demand)]
        self._touch_by_text(reading, inspection)
        self.touch_by_size(len(body), inspection)
        if headers:
            self._touch_by_headers(headers, inspection)
        verdict = verdict_of(broken, inspection.touched)
        return self._with_policies(verdict, policies) if policies else verdict

    def _with_policies(self, verdict: Verdict, policies: Policies) -> Verdict:
        rejected = [touch for touch in verdict.ambiguities if policies.get(touch.ambiguity) == "reject"]
        broken = [Broken(f"ambiguity/{t.ambiguity}", t.at, t.found, self.contract.ambiguity(t.ambiguity).plain) for t in rejected]
        left = [touch for touch in verdict.ambiguities if policies.get(touch.ambiguity, "unspecified") == "unspecified"]
        return verdict_of([*verdict.broken, *broken], left)

    def _broken(self, reading: Reading, inspection: Inspection) -> list[Broken]:
        """Returns the rules that are broken in every interpretation of the message."""
        found: list[list[Broken]] = []
        for value in reading.values:
            self.inspector.whole(value, reading, inspection)
            found.append(self.violations(value, large=len(reading.body) > _LARGE) + inspection.broken)
            inspection.broken = []
        return broken_in_all(found)

    def violations(self, value: Any, *, large: bool = False) -> list[Broken]:
        """Returns the rules of the schemas that are broken. Raises `ValueError` or `RecursionError` if the value is nested too deep."""
        if self.validator.is_valid(value):
            return []
        broken = self._broken_of(value, self._error_limiter.reduced(value)) if large else []
        return broken or self._broken_of(value, value)

    def _broken_of(self, value: Any, reduced: Any) -> list[Broken]:
        return self.broken_by(islice(self._errors(self.validator, value, reduced=reduced), MOST_BROKEN), value)

    @cached_property
    def _error_limiter(self) -> ErrorLimiter:
        return ErrorLimiter(self.contract.flat[self.message_type], self._files, MOST_BROKEN)

    @cached_property
    def _split(self) -> Split:
        return split(self.message_type, self.contract.schemas[self.message_type], self._files)

    def is_property_valid(self, name: str, value: Any) -> bool:
        """Returns True if the value satisfies the schema of the property. Also returns True if the properties cannot be checked one
        by one.
        """
        asked = self._split.props.get(name)
        return asked is None or asked.is_valid(value)

    def errors_of_property(self, name: str, value: Any) -> Sequence[Error]:
        """Returns the errors that the schema of a property finds in its value.

        An error keeps several rules only if one of them depends on a condition of the root. Otherwise this method determines the
        broken rule.
        """
        if self.is_property_valid(name, value):
            return ()
        found = []
        for error in self._errors(self._split.props[name], value, name):
            if len(error.rules) == 1 or any(rule.condition is not None and not rule.condition.site for rule in error.rules):
                found.append(error)
            else:
                found += [error._replace(rules=(rule,)) for rule in self._broken_here(error, {name: value})]
        return found

    @cached_property
    def ties(self) -> Sequence[Tie] | None:
        """The ties: groups of properties that the rest of the schema checks together, or that ambiguities compare.

        No property is in two ties. The result is None if the groups cannot be determined.
        """
        ties, compared = self._split.ties, self.inspector.compared
        if ties is None or compared is None or not self.inspector.props.keys() <= self._split.props.keys():
            return None
        found = list[Tie]()
        for tie in [*ties, *map(Tie, compared)]:
            tied = [other for other in found if other.names & tie.names]
            names, checks = tie.names.union(*(other.names for other in tied)), [one for other in (*tied, tie) for one in other.validators]
            found = [*(other for other in found if other not in tied), Tie(names, checks)]
        return found

    @property
    def strange(self) -> Sequence[Validator] | None:
        """The validators that check each property that the schema does not list. None if they cannot be determined."""
        if self.ties is None or len(self.rules.get(("", "additionalProperties"), ())) > 1:
            return None
        return [self._split.strange] if self._split.strange is not None else []

    @property
    def rest(self) -> Validator:
        """The validator for everything in the schema except `properties`."""
        return self._split.rest

    def errors(self, asked: Iterable[Validator], value: Any) -> Iterator[Error]:
        """Yields the errors that these validators find in a value. Raises `ValueError` if the value is nested too deep."""
        return (error for one in asked if not one.is_valid(value) for error in self._errors(one, value))

    def broken_by(self, errors: Iterable[Error], message: Any) -> list[Broken]:
        """Returns the broken rules. If a type is wrong, the errors that follow from the wrong type are omitted."""
        broken: dict[tuple[str, str], tuple[Rule, Broken]] = {}
        for error in errors:
            for rule in error.rules if len(error.rules) == 1 else self._broken_here(error, message):
                broken.setdefault((error.at, rule.id), (rule, Broken(rule.id, error.at, error.found, rule.demand)))
        if len(broken) <= 1:
            return [entry for _, entry in broken.values()]
        causes = {at for (at, _), (rule, _) in broken.items() if rule.keyword == "type" and rule.condition is None}
        return [
            entry
            for (at, _), (rule, entry) in broken.items()
            if at not in causes or (rule.keyword in ("type", "required") and rule.condition is None)
        ]

    def _errors(self, asked: Validator, value: Any, *above: str, reduced: Any = None) -> Iterator[Error]:
        """Yields the errors in a value, or in the value's reduced form if there is one. `above` contains the steps from the root to
        the value.
        """
        for error in asked.iter_errors(value if reduced is None else reduced):
            below, kind = error.instance_path, error.kind
            steps, instance = (*above, *below), reduce(getitem, below, value)  # do not use the validator's copy: the value may be large
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
        """Returns those of the error's rules (one keyword at one site) that apply to the message and are broken."""
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

    def touch_by_exotic(self, exotic: Iterable[Exotic], inspection: Inspection) -> None:
        """Records the ambiguities that were touched when the message was parsed."""
        for detector, at, found in exotic:
            if detector in self.detectors:
                inspection.touched.append(Touched(self.detectors[detector].id, at, found))

    @cached_property
    def largest(self) -> int:
        """A message up to this size (in bytes) touches no ambiguity about its size."""
        ambiguity = self.detectors.get("message_size")
        return ambiguity.options["limit"] if ambiguity else sys.maxsize

    def touch_by_size(self, size: int, inspection: Inspection) -> None:
        """Records the ambiguity about the size of the message if it is larger than `largest`."""
        if size > self.largest:
            inspection.touch(self.detectors["message_size"], None, f"{size:,} bytes")

    def _touch_by_text(self, reading: Reading, inspection: Inspection) -> None:
        self.touch_by_exotic(reading.exotic, inspection)
        if reading.bom and (ambiguity := self.detectors.get("byte_order_mark")):
            inspection.touch(ambiguity, None, "a byte order mark")
        if reading.encoding and (ambiguity := self.detectors.get("encoding")):
            inspection.touch(ambiguity, None, reading.encoding)

    def _touch_by_headers(self, headers: Headers, inspection: Inspection) -> None:
        for detector, found in in_doubt(headers):
            if (ambiguity := self.detectors.get(detector)) is not None:
                inspection.touch(ambiguity, None, found)


def broken_in_all(found: Sequence[list[Broken]]) -> list[Broken]:
    """Returns the rules that are broken in every interpretation of a message."""
    if len(found) == 1:
        return found[0]
    in_all = set.intersection(*({(b.rule, b.at) for b in broken} for broken in found))
    return [b for b in found[0] if (b.rule, b.at) in in_all]


_PLACE_OF_BROKEN, _PLACE_OF_TOUCHED = attrgetter("at", "rule"), attrgetter("at", "ambiguity", "found")


def verdict_of(broken: Sequence[Broken], touched: Sequence[Touched]) -> Verdict:
    """Returns the verdict for these broken rules and touched ambiguities. Both are sorted by place, and each ambiguity occurs once
    per place.
    """
    if not broken and not touched:
        return VALID
    return Verdict("invalid" if broken else "unspecified", tuple(sorted(broken, key=_PLACE_OF_BROKEN)), tuple(_once(touched) if touched else ()))


def _once(touched: Iterable[Touched]) -> Iterable[Touched]:
    found = dict[tuple[str, str], Touched]()
    for touch in sorted(touched, key=_PLACE_OF_TOUCHED):
        found.setdefault((touch.at, touch.ambiguity), touch)
    return found.values()


def site_of(steps: Steps) -> str:
    """Returns the site of a place: the steps from the root to the place, with `[]` instead of indexes."""
    path = ""
    for step in steps:
        path = f"{path}[]" if isinstance(step, int) else join(path, step)
    return path


@lru_cache(maxsize=4096)
def _place_of(steps: Steps) -> tuple[str, str]:
    """Returns (site, JSON Pointer) of a place."""
    return site_of(steps), pointer_of(steps)
