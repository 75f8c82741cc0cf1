"""Bytes in, verdict out.

The structural half is a JSON Schema validator (jsonschema-rs) on the schemas as they are written; what the schemas
cannot say, and what the contract leaves open, is judged here. Nothing of this is shared with what generates messages,
so that a generator's mistake shows instead of being confirmed.
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
from brokerfuzz.schemas.error_limiting import Thinning
from brokerfuzz.schemas.headers import Headers, carried, in_doubt
from brokerfuzz.schemas.interpretations import Exotic
from brokerfuzz.schemas.json_numbers import LONGEST_INTEGER
from brokerfuzz.schemas.json_reader import DEEPEST, Reading, read, read_shallow
from brokerfuzz.schemas.sites import JSON_RULE, Rule, join
from brokerfuzz.schemas.structural_validation import SchemaFiles, Split, Tie, Validator, split, standard, validator
from brokerfuzz.schemas.verdicts import VALID, Broken, Touched, Verdict, describe

Steps = tuple[str | int, ...]
"""The way down from the root to a place."""


class Error(NamedTuple):
    """What a validator finds: at a place (its steps and its JSON Pointer), this, against one of these rules; which of several, the message tells."""

    rules: Sequence[Rule]
    steps: Steps
    at: str
    found: str
    instance: Any


MOST_BROKEN = 1000
"""How many broken rules one verdict lists at the most."""
_LARGE = 64 * 1024
"""Bytes of a message that is thinned before its errors are listed."""


def check(
    message_type: MessageType | str,
    body: Any,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    policies: Policies | None = None,
    headers: Headers = (),
) -> Verdict:
    """The verdict on a message.

    `body` is the message's bytes, or a Python value of what `json.dumps` takes (a `str` is a JSON string, not a text to
    be parsed). `now` is the time that the clock rule and the clock's ambiguity follow (the present, where it is None; one
    without a time zone is taken for UTC). `policies` say what is thought of ambiguities: `accept` passes one over, `reject`
    makes it a rule, broken as `ambiguity/ID`. `headers` are those of the request that carries the message, as far as they
    are not the usual ones: they may touch ambiguities too, and where they say gzip, and the bytes are that, the message is
    what they unpack to.

    Any bytes get a verdict. Raises `UnknownNameError` for a message type, ambiguity or policy that is none, `TypeError`
    for a Python value that JSON cannot carry.
    """
    rulebook = rulebook_of(contract or load_contract(), known_message_type(message_type))
    return rulebook.judge(
        bytes(body) if isinstance(body, bytes | bytearray | memoryview) else _written(body),
        now=aware(now),
        policies=rulebook.contract.check_policies(policies) if policies else {},
        headers=headers,
    )


def aware(now: datetime | None) -> datetime:
    """The time with its zone: the present for None, UTC where none is given."""
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
        raise TypeError(f"JSON cannot carry this value ({problem}): give check() bytes, or what json.dumps takes") from None


def _writable(value: Any, depth: int) -> Any:
    """The value without what lies deeper, and with integers that Python will write: see `reading` on both."""
    if isinstance(value, dict):
        return {name: _writable(prop, depth - 1) for name, prop in value.items()} if depth else {}
    if isinstance(value, list | tuple):
        return [_writable(item, depth - 1) for item in value] if depth else []
    if isinstance(value, int) and abs(value) > LONGEST_INTEGER:
        return -LONGEST_INTEGER if value < 0 else LONGEST_INTEGER
    return value


@lru_cache(maxsize=32)
def rulebook_of(contract: Contract, message_type: MessageType) -> "Rulebook":
    """The demands on a message type, compiled once."""
    return Rulebook(contract, message_type)


_KEYWORDS = {"const": "enum", "falseSchema": "type"}
"""What flat schemas write for a keyword that the validator names."""


class Rulebook:
    """A contract's demands on one message type, compiled."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self.message_type = message_type
        self._files = files = SchemaFiles(contract.schemas)
        self.validator = validator({"properties": {}, **contract.schemas[message_type]}, files)  # else no property has its own error
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
        """The verdict on the bytes of a message: see `check`."""
        if headers:
            body = carried(body, headers)
        reading = read(body)
        inspection = Inspection(now)
        broken: list[Broken] = []
        if reading.error is None:
            try:
                broken = self._broken(reading, inspection)
            except (ValueError, RecursionError):  # deeper than a validator goes
                reading, inspection = read_shallow(body), Inspection(now)
                broken = self._broken(reading, inspection)
        else:
            rule = self.rules["", JSON_RULE][0]
            broken = [Broken(rule.id, "", reading.error, rule.demand)]
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
        """The rules broken, however the message is read."""
        found: list[list[Broken]] = []
        for value in reading.values:
            self.inspector.whole(value, reading, inspection)
            found.append(self.violations(value, large=len(reading.body) > _LARGE) + inspection.broken)
            inspection.broken = []
        return broken_in_all(found)

    def violations(self, value: Any, *, large: bool = False) -> list[Broken]:
        """What the schemas find broken. Raises `ValueError` or `RecursionError` for what is deeper than a validator goes."""
        if self.validator.is_valid(value):
            return []
        thinned = self._broken_of(value, self._thinning.of(value)) if large else []
        return thinned or self._broken_of(value, value)

    def _broken_of(self, value: Any, thinned: Any) -> list[Broken]:
        return self.broken_by(islice(self._errors(self.validator, value, thinned=thinned), MOST_BROKEN), value)

    @cached_property
    def _thinning(self) -> Thinning:
        return Thinning(self.contract.flat[self.message_type], self._files, MOST_BROKEN)

    @cached_property
    def _split(self) -> Split:
        return split(self.message_type, self.contract.schemas[self.message_type], self._files)

    def is_property_valid(self, name: str, value: Any) -> bool:
        """Whether the schema of a property finds nothing in its value, where the properties of the schema can be asked one by one."""
        asked = self._split.props.get(name)
        return asked is None or asked.is_valid(value)

    def errors_of_property(self, name: str, value: Any) -> Sequence[Error]:
        """What the schema of a property finds in its value so.

        Of several rules that may be behind an error only a condition of the message itself is left open.
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
        """What is asked of properties together: by the schema besides that, and by the walk around them, which compares some. No property has two
        ties. None where that cannot be told."""
        ties, compared = self._split.ties, self.inspector.compared
        if ties is None or compared is None or not self.inspector.props.keys() <= self._split.props.keys():
            return None
        found = list[Tie]()
        for tie in [*ties, *map(Tie, compared)]:
            tied = [other for other in found if other.names & tie.names]
            names, asked = tie.names.union(*(other.names for other in tied)), [one for other in (*tied, tie) for one in other.asked]
            found = [*(other for other in found if other not in tied), Tie(names, asked)]
        return found

    @property
    def strange(self) -> Sequence[Validator] | None:
        """What is asked of properties that the schema does not know, each by itself. None where that cannot be told."""
        if self.ties is None or len(self.rules.get(("", "additionalProperties"), ())) > 1:
            return None
        return [self._split.strange] if self._split.strange is not None else []

    @property
    def rest(self) -> Validator:
        """What the schema asks of a message besides that."""
        return self._split.rest

    def errors(self, asked: Iterable[Validator], value: Any) -> Iterator[Error]:
        """What these find in a value. Raises `ValueError` for one that is deeper than a validator goes."""
        return (error for one in asked if not one.is_valid(value) for error in self._errors(one, value))

    def broken_by(self, errors: Iterable[Error], message: Any) -> list[Broken]:
        """The rules broken; a wrong type hides what follows from it."""
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

    def _errors(self, asked: Validator, value: Any, *above: str, thinned: Any = None) -> Iterator[Error]:
        """The errors of a value, which lies below these steps of the message, or of what was left of it when it was thinned."""
        for error in asked.iter_errors(value if thinned is None else thinned):
            below, kind = error.instance_path, error.kind
            steps, instance = (*above, *below), reduce(getitem, below, value)  # a large value is not to be told again
            keyword, found = _KEYWORDS.get(kind.name, kind.name), "nothing"
            if keyword != "required":
                found = describe(instance)
            elif "property" in (detail := kind.as_dict()):
                steps = (*steps, detail["property"])
            site, at = _place_of(steps)
            rules = self.rules.get((site, keyword)) or self._unnamed(site, keyword)
            if keyword == "additionalProperties":
                for name in kind.as_dict()["unexpected"]:
                    yield Error(rules, steps, f"{at}/{escape(name)}", f"a property {name!r}", instance)
            else:
                yield Error(rules, steps, at, found, instance)

    def _unnamed(self, site: str, keyword: str) -> Sequence[Rule]:
        return (Rule(self.message_type, site, keyword, None, self.message_type, f"what {keyword} says"),)

    def _broken_here(self, error: Error, message: Any) -> Sequence[Rule]:
        """Of several rules that a keyword states at one site, those that hold in the message and are broken."""
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
        """Notes what a reading has found exotic."""
        for detector, at, found in exotic:
            if detector in self.detectors:
                inspection.touched.append(Touched(self.detectors[detector].id, at, found))

    @cached_property
    def largest(self) -> int:
        """Bytes of the largest message that is not noted for that."""
        ambiguity = self.detectors.get("message_size")
        return ambiguity.options["limit"] if ambiguity else sys.maxsize

    def touch_by_size(self, size: int, inspection: Inspection) -> None:
        """Notes that a message of so many bytes is a long one."""
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
    """The rules broken in every way to read a message."""
    if len(found) == 1:
        return found[0]
    in_all = set.intersection(*({(b.rule, b.at) for b in broken} for broken in found))
    return [b for b in found[0] if (b.rule, b.at) in in_all]


_PLACE_OF_BROKEN, _PLACE_OF_TOUCHED = attrgetter("at", "rule"), attrgetter("at", "ambiguity", "found")


def verdict_of(broken: Sequence[Broken], touched: Sequence[Touched]) -> Verdict:
    """The verdict where these rules are broken and these ambiguities touched: each in the order of its places, an ambiguity once at each."""
    if not broken and not touched:
        return VALID
    return Verdict("invalid" if broken else "unspecified", tuple(sorted(broken, key=_PLACE_OF_BROKEN)), tuple(_once(touched) if touched else ()))


def _once(touched: Iterable[Touched]) -> Iterable[Touched]:
    found = dict[tuple[str, str], Touched]()
    for touch in sorted(touched, key=_PLACE_OF_TOUCHED):
        found.setdefault((touch.at, touch.ambiguity), touch)
    return found.values()


def site_of(steps: Steps) -> str:
    """The site of a concrete place: its way down from the root, indices replaced by `[]`."""
    path = ""
    for step in steps:
        path = f"{path}[]" if isinstance(step, int) else join(path, step)
    return path


@lru_cache(maxsize=4096)
def _place_of(steps: Steps) -> tuple[str, str]:
    """(the site, the JSON Pointer) of a place."""
    return site_of(steps), pointer_of(steps)
