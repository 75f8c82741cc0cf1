"""Bytes in, verdict out.

The structural half is a JSON Schema validator (jsonschema-rs) on the schemas as they are written; what the schemas
cannot say, and what the contract leaves open, is judged here. Nothing of this is shared with what generates messages,
so that a generator's mistake shows instead of being confirmed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from brokerfuzz.schemas.contract import NOT_IN_FUTURE, Contract, MessageType, Silence, Stances, known_message_type, load_contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.headers import Headers, carried, in_doubt
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.reading import DEEPEST, LONGEST_INTEGER, Reading, escape, read, read_shallow
from brokerfuzz.schemas.silence_detectors import OF_PAIRS, OF_VALUES, distinct
from brokerfuzz.schemas.sites import JSON_RULE, Rule, Site, join
from brokerfuzz.schemas.structure import Files, standard, validator

Label = Literal["valid", "invalid", "unspecified"]

MOST_BROKEN = 1000
"""How many broken rules one verdict lists at the most."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a message breaks. `at` is the JSON Pointer of the place (of an absent member: where it should be)."""

    rule: str
    at: str
    found: str
    demanded: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.at or 'the root'}: found {self.found}, demanded {self.demanded}"


@dataclass(frozen=True, slots=True)
class Touched:
    """A silence that a message touches, at a JSON Pointer."""

    silence: str
    at: str
    found: str

    def __str__(self) -> str:
        return f"{self.silence} at {self.at or 'the root'}: found {self.found}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`invalid` where a rule is broken, else `unspecified` where a silence is touched, else `valid`."""

    label: Label
    broken: tuple[Broken, ...] = ()
    silences: tuple[Touched, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join([self.label, *(f"breaks {b}" for b in self.broken), *(f"touches {t}" for t in self.silences)])


VALID = Verdict("valid")


def check(
    message_type: MessageType | str,
    body: Any,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    stances: Stances | None = None,
    headers: Headers = (),
) -> Verdict:
    """The verdict on a message.

    `body` is the message's bytes, or a Python value of what `json.dumps` takes (a `str` is a JSON string, not a text to
    be parsed). `now` is the time that the clock rule and the clock's silence follow (the present, where it is None; one
    without a time zone is taken for UTC). `stances` say what is thought of silences: `accept` passes one over, `reject`
    makes it a rule, broken as `silence/ID`. `headers` are those of the request that carries the message, as far as they
    are not the usual ones: they may touch silences too, and where they say gzip, and the bytes are that, the message is
    what they unpack to.

    Any bytes get a verdict. Raises `UnknownNameError` for a message type, silence or stance that is none, `TypeError`
    for a Python value that JSON cannot carry.
    """
    rulebook = _rulebook(contract or load_contract(), known_message_type(message_type))
    return rulebook.judge(
        bytes(body) if isinstance(body, bytes | bytearray | memoryview) else _written(body),
        now=aware(now),
        stances=rulebook.contract.check_stances(stances) if stances else {},
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
        return {name: _writable(member, depth - 1) for name, member in value.items()} if depth else {}
    if isinstance(value, list | tuple):
        return [_writable(item, depth - 1) for item in value] if depth else []
    if isinstance(value, int) and abs(value) > LONGEST_INTEGER:
        return -LONGEST_INTEGER if value < 0 else LONGEST_INTEGER
    return value


@lru_cache(maxsize=32)
def _rulebook(contract: Contract, message_type: MessageType) -> "_Rulebook":
    return _Rulebook(contract, message_type)


Place = tuple["Place", str | int] | None
"""A way down from the root: the place above and the last step."""


def _pointer(place: Place) -> str:
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.append(escape(str(step)))
    return "".join(f"/{step}" for step in reversed(steps))


@dataclass(slots=True)
class _Inspection:
    """What the walk over a message needs and gathers."""

    now: datetime
    touched: list[Touched] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)

    def touch(self, silence: Silence, place: Place, found: str) -> None:
        self.touched.append(Touched(silence.id, _pointer(place), found))


Look = Callable[[Any, Place, _Inspection], None]


@dataclass(slots=True)
class _Plan:
    """What to look at, at one site and below. Of most scalars there is nothing to see: `walked` are the types that are walked to."""

    looks: list[Look] = field(default_factory=list)
    members: dict[str, "_Plan"] = field(default_factory=dict)
    items: "_Plan | None" = None
    integer: bool = False
    walked: frozenset[type] = frozenset()


_KEYWORDS = {"const": "enum", "falseSchema": "type"}
"""What flat schemas write for a keyword that the validator names."""


class _Rulebook:
    """A contract's demands on one message type, compiled."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self.message_type = message_type
        files = Files(contract.schemas)
        self.validator = validator(contract.schemas[message_type], files)
        self.rules: dict[tuple[str, str], list[Rule]] = {}
        for rule in contract.rules[message_type]:
            self.rules.setdefault((rule.site, rule.keyword), []).append(rule)
        contested = [rule for rules in self.rules.values() if len(rules) > 1 for rule in rules]
        self.conditions = {rule.id: validator(standard(rule.condition.when), files) for rule in contested if rule.condition}
        self.alone = {rule.id: validator(standard({rule.keyword: rule.value}), files) for rule in contested if rule.keyword != "required"}
        self.silences = [silence for silence in contract.silences if silence.concerns(message_type)]
        self.detectors = {str(silence.detector): silence for silence in self.silences}
        self.longest = self._limit("string_length")
        self.most_items = self._limit("item_count")
        self.plan = self._compile(contract.sites[message_type])

    def _limit(self, detector: str) -> int:
        return self.detectors[detector].options["limit"] if detector in self.detectors else 1 << 62

    # ------------------------------------------------------------------------------------------------ judging

    def judge(self, body: bytes, *, now: datetime, stances: Stances, headers: Headers) -> Verdict:
        if headers:
            body = carried(body, headers)
        reading = read(body)
        inspection = _Inspection(now)
        broken: list[Broken] = []
        if reading.error is None:
            try:
                broken = self._broken(reading, inspection)
            except (ValueError, RecursionError):  # deeper than a validator goes
                reading, inspection = read_shallow(body), _Inspection(now)
                broken = self._broken(reading, inspection)
        else:
            rule = self.rules["", JSON_RULE][0]
            broken = [Broken(rule.id, "", reading.error, rule.demand)]
        self._touch_by_text(body, reading, inspection)
        self._touch_by_headers(headers, inspection)
        touched = _unique(inspection.touched)
        if not stances:
            label: Label = "invalid" if broken else "unspecified" if touched else "valid"
            return Verdict(label, tuple(broken), tuple(touched)) if label != "valid" else VALID
        return self._with_stances(broken, touched, stances)

    def _with_stances(self, broken: list[Broken], touched: list[Touched], stances: Stances) -> Verdict:
        rejected = [touch for touch in touched if stances.get(touch.silence) == "reject"]
        broken += [Broken(f"silence/{t.silence}", t.at, t.found, self.contract.silence(t.silence).plain) for t in rejected]
        left = tuple(touch for touch in touched if stances.get(touch.silence, "unspecified") == "unspecified")
        return Verdict("invalid" if broken else "unspecified" if left else "valid", tuple(broken), left)

    def _broken(self, reading: Reading, inspection: _Inspection) -> list[Broken]:
        """The rules broken, however the message is read."""
        found: list[list[Broken]] = []
        for value in reading.values:
            self._inspect(value, inspection)
            broken = [] if self.validator.is_valid(value) else self._explain(value)
            found.append(broken + inspection.broken)
            inspection.broken = []
        if len(found) == 1:
            return found[0]
        in_all = set.intersection(*({(b.rule, b.at) for b in broken} for broken in found))
        return [b for b in found[0] if (b.rule, b.at) in in_all]

    def _explain(self, value: Any) -> list[Broken]:
        """The rules broken, in the order of their places; a wrong type hides what follows from it."""
        broken: dict[tuple[str, str], tuple[Rule, Broken]] = {}
        for rule, steps, found in islice(self._errors(value), MOST_BROKEN):
            at = "".join(f"/{escape(str(step))}" for step in steps)
            broken.setdefault((rule.id, at), (rule, Broken(rule.id, at, found, rule.demand)))
        causes = {at for (_, at), (rule, _) in broken.items() if rule.keyword == "type" and rule.condition is None}
        return [
            entry
            for (_, at), (rule, entry) in sorted(broken.items(), key=lambda item: (item[0][1], item[0][0]))
            if at not in causes or (rule.keyword in ("type", "required") and rule.condition is None)
        ]

    def _errors(self, value: Any) -> Iterator[tuple[Rule, list[Any], str]]:
        """(a rule, the way to the place, what was found) of every error."""
        for error in self.validator.iter_errors(value):
            steps: list[Any] = list(error.instance_path)
            keyword = _KEYWORDS.get(error.kind.name, error.kind.name)
            detail = error.kind.as_dict()
            if keyword == "required" and "property" in detail:
                steps.append(detail["property"])
            found = "nothing" if keyword == "required" else describe(error.instance)
            for rule in self._rules_broken(value, steps, keyword, error.instance):
                if keyword == "additionalProperties":
                    yield from ((rule, [*steps, name], f"a member {name!r}") for name in detail["unexpected"])
                else:
                    yield rule, steps, found

    def _rules_broken(self, value: Any, steps: list[Any], keyword: str, instance: Any) -> list[Rule]:
        """The rules behind an error: of several that a keyword states at one site, those that hold here and are broken."""
        site = site_of(steps)
        rules = self.rules.get((site, keyword), [])
        if len(rules) > 1:
            rules = [rule for rule in rules if self._holds(rule, value, steps) and self._breaks(rule, instance)]
        return rules or [Rule(self.message_type, site, keyword, None, self.message_type, f"what {keyword} says")]

    def _holds(self, rule: Rule, value: Any, steps: list[Any]) -> bool:
        if rule.condition is None:
            return True
        depth = len([step for step in rule.condition.site.replace("[]", ".[]").split(".") if step])
        for step in steps[:depth]:
            value = value[step]
        return self.conditions[rule.id].is_valid(value) == rule.condition.holds

    def _breaks(self, rule: Rule, instance: Any) -> bool:
        return rule.id not in self.alone or not self.alone[rule.id].is_valid(instance)

    # ------------------------------------------------------------------------------------------------ silences

    def _touch_by_text(self, body: bytes, reading: Reading, inspection: _Inspection) -> None:
        for detector, at, found in reading.exotic:
            if detector in self.detectors:
                inspection.touched.append(Touched(self.detectors[detector].id, at, found))
        if reading.bom and (silence := self.detectors.get("byte_order_mark")):
            inspection.touch(silence, None, "a byte order mark")
        if reading.encoding and (silence := self.detectors.get("encoding")):
            inspection.touch(silence, None, reading.encoding)
        if (silence := self.detectors.get("message_size")) and len(body) > silence.options["limit"]:
            inspection.touch(silence, None, f"{len(body):,} bytes")

    def _touch_by_headers(self, headers: Headers, inspection: _Inspection) -> None:
        for detector, found in in_doubt(headers):
            if (silence := self.detectors.get(detector)) is not None:
                inspection.touch(silence, None, found)

    def _inspect(self, value: Any, inspection: _Inspection) -> None:
        self._walk(self.plan, value, None, inspection)

    def _walk(self, plan: _Plan, value: Any, place: Place, inspection: _Inspection) -> None:
        kind = type(value)
        if kind is dict:
            members, longest = plan.members, self.longest
            for name, member in value.items():
                below = members.get(name)
                if below is not None and (type(member) in below.walked or (type(member) is str and len(member) > longest)):
                    self._walk(below, member, (place, name), inspection)
        elif kind is list:
            self._walk_items(plan.items, value, place, inspection)
        elif kind is str and len(value) > self.longest:
            inspection.touch(self.detectors["string_length"], place, f"{len(value):,} characters")
        elif kind is float and plan.integer and value.is_integer() and "integer_form" in self.detectors:
            inspection.touch(self.detectors["integer_form"], place, describe(value))
        for look in plan.looks:
            look(value, place, inspection)

    def _walk_items(self, plan: _Plan | None, items: list[Any], place: Place, inspection: _Inspection) -> None:
        if len(items) > self.most_items:
            inspection.touch(self.detectors["item_count"], place, f"{len(items):,} items")
        if plan is not None:
            for index, item in enumerate(items):
                if type(item) in plan.walked or type(item) is str:
                    self._walk(plan, item, (place, index), inspection)

    def _compile(self, sites: Mapping[str, Site]) -> _Plan:
        plans = {path: _Plan(integer=_is_integer(site)) for path, site in sites.items()}
        for path, plan in plans.items():
            if path.endswith("[]"):
                plans[path[:-2]].items = plan
            elif path:
                plans[path.rpartition(".")[0]].members[sites[path].name] = plan
        for silence in self.silences:
            for where in (silence.sites or {}).get(self.message_type, ()):
                self._place(silence, where, plans)
        tolerance = self.detectors["near_now"].options["seconds"] if "near_now" in self.detectors else 0
        for rule in self.contract.rules[self.message_type]:
            if rule.keyword == NOT_IN_FUTURE:
                plans[rule.site].looks.append(_not_in_future(rule, tolerance))
        for plan in plans.values():
            plan.walked = frozenset([dict, list, *([float] if plan.integer else []), *([str, int, float] if plan.looks else [])])
        return plans[""]

    def _place(self, silence: Silence, where: Any, plans: dict[str, _Plan]) -> None:
        """Hangs a silence's look on the plan of the site that it concerns; a changed contract may lack that site."""
        path = where if isinstance(where, str) else where[0]
        if path not in plans:
            return
        if isinstance(where, str):
            plans[path].looks.append(_look_at_value(silence))
        elif silence.detector == "distinct":
            plans[path].looks.append(_look_at_items(silence, where[1] if len(where) > 1 else None))
        elif join(path, where[1]) in plans and join(path, where[2]) in plans:
            plans[path].looks.append(_look_at_pair(silence, where[1], where[2]))


def _is_integer(site: Site) -> bool:
    return "type" in site.schema and "integer" in types_of(site.schema)


def _look_at_value(silence: Silence) -> Look:
    detect, options = OF_VALUES[str(silence.detector)], silence.options

    def look(value: Any, place: Place, inspection: _Inspection) -> None:
        if detect(value, inspection.now, options):
            inspection.touch(silence, place, describe(value))

    return look


def _look_at_items(silence: Silence, key: str | None) -> Look:
    def look(value: Any, place: Place, inspection: _Inspection) -> None:
        if distinct(value, key):
            inspection.touch(silence, place, f"the same {key or 'item'} twice")

    return look


def _look_at_pair(silence: Silence, low: str, high: str) -> Look:
    detect, options = OF_PAIRS[str(silence.detector)], silence.options

    def look(value: Any, place: Place, inspection: _Inspection) -> None:
        if isinstance(value, dict) and low in value and high in value and detect(value[low], value[high], inspection.now, options):
            inspection.touch(silence, place, f"{low} {describe(value[low])}, {high} {describe(value[high])}")

    return look


def _not_in_future(rule: Rule, tolerance: int) -> Look:
    def look(value: Any, place: Place, inspection: _Inspection) -> None:
        when = instant(value) if isinstance(value, str) else None
        if when is not None and (when - inspection.now).total_seconds() > tolerance:
            inspection.broken.append(Broken(rule.id, _pointer(place), describe(value), rule.demand))

    return look


def site_of(steps: list[Any]) -> str:
    """The site of a concrete place: its way down from the root, indices replaced by `[]`."""
    path = ""
    for step in steps:
        path = f"{path}[]" if isinstance(step, int) else join(path, step)
    return path


def describe(value: Any) -> str:
    """A value in a few words: itself where that is short, else its kind and size."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if len(value) <= 60 else f"a string of {len(value):,} characters"
    if isinstance(value, dict):
        return f"an object of {len(value):,} member(s)"
    if isinstance(value, list):
        return f"an array of {len(value):,} item(s)"
    return json.dumps(value) if not isinstance(value, int) or abs(value) < 1 << 200 else "an integer of more than 60 digits"


def _unique(touched: list[Touched]) -> list[Touched]:
    return list({(touch.silence, touch.at): touch for touch in touched}.values()) if len(touched) > 1 else touched
