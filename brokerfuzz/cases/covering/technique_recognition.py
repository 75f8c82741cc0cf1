"""Finds out which technique was used in an invalid message that brokerfuzz did not generate.

A technique turns a valid value into an invalid value. The message contains only the invalid value, so brokerfuzz guesses the valid
value: for example, the number in a string, or the first item of an array. If a technique turns a guess into exactly the invalid
value, the technique is recognised. If no technique is recognised, the message covers only the broken rule.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

from orjson import Fragment

from brokerfuzz.cases.case import Fault, compact
from brokerfuzz.cases.changes import AddProperty, Change, Put, Remove, Rewrite, places, value_at
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import MessagePlan, build
from brokerfuzz.cases.techniques import FaultContext, Technique, techniques_for
from brokerfuzz.cases.techniques.other_types import JSON_TYPE_OF
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas import Contract, MessageType, Rule, Verdict
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.json_numbers import integer
from brokerfuzz.schemas.sites import JSON_RULE

_LONGEST = 10_000
"""The maximum length of a value that is analysed, in characters of JSON."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_MILLISECONDS = 1e11
"""Numbers above this limit count as times in milliseconds since 1970. As seconds, they would be more than 3,000 years in the future."""
_PARTS = ("year", "month", "day", "hour", "minute", "second")

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Recogniser:
    """Recognises techniques in the messages of one type. `now` is the current time, which some techniques need."""

    contract: Contract
    message_type: MessageType
    now: datetime
    _at: dict[str, "_Breakable"] = field(default_factory=dict, repr=False, compare=False)

    def faults(self, body: bytes, verdict: Verdict) -> tuple[Fault, ...]:
        """Returns a fault for each technique that may have created the message.

        Returns no faults if the message breaks several rules, or one rule at several places.
        """
        if len(verdict.broken) != 1 or verdict.broken[0].rule not in self.contract.rules_by_id:
            return ()
        name, at = verdict.broken[0].rule, verdict.broken[0].at
        if name not in self._at:
            rule = self.contract.rules_by_id[name]
            breakable = FaultMaker(self.contract, self.message_type, self.now).breakable_schema(rule)
            message = build(self.contract, self.message_type, MessagePlan().narrow(breakable))
            self._at[name] = _Breakable(rule, self.contract.sites[self.message_type][rule.site].schema, message, self.now)
        techniques = dict.fromkeys(self._at[name].techniques(body, at))
        return tuple(Fault(name, at, technique.name) for technique in techniques)


@dataclass
class _Breakable:
    """A rule, the schema of its site, and an ordinary message in which a technique can break the rule."""

    rule: Rule
    schema: Schema
    message: Any
    now: datetime

    def techniques(self, body: bytes, at: str) -> Iterable[Technique]:
        """Returns the techniques that may have created the message. `at` is the JSON Pointer to the message's only fault."""
        if self.rule.keyword == JSON_RULE:
            return self.bodies.get(body, ())
        if self.rule.keyword == "required":
            return [technique for technique, change in self._changes(self.plain) if isinstance(change, Remove)]
        try:
            *_, name = steps = ["", *steps_of(at)]
            found = _value_at(json.loads(body, parse_int=integer), steps[1:])
            spelled = _spelled(found)
        except (ValueError, LookupError, TypeError, RecursionError):  # RecursionError: nested too deeply for Python's parser
            return ()
        if len(spelled) > _LONGEST:
            return ()
        return self._adding(name, found) if self.rule.keyword == "additionalProperties" else self._putting(found, spelled)

    @cached_property
    def plain(self) -> Any:
        """The value at the rule's site in the ordinary message. None if a changed contract prevents a value at this site."""
        return next((value_at(self.message, steps) for steps in places(self.message, self.rule.site)), None)

    def _changes(self, present: Any) -> Iterator[tuple[Technique, Change]]:
        if present is not None:
            context = FaultContext(self.rule, self.schema, present, self.now)
            changes = ((technique, technique.change(context)) for technique in techniques_for(self.rule))
            yield from ((technique, change) for technique, change in changes if change is not None)

    @cached_property
    def bodies(self) -> Mapping[bytes, Sequence[Technique]]:
        """Maps each body to the techniques that create this body. Some techniques create the same body from every message."""
        rewritten = ((technique, change.how) for technique, change in self._changes(self.message) if isinstance(change, Rewrite))
        return _grouped((how(compact(self.message)), technique) for technique, how in rewritten)

    # ------------------------------------------------------------------------------------------------------ values

    def _putting(self, found: Any, spelled: str) -> Iterator[Technique]:
        yield from self.values.get(spelled, ())
        for present in _origins(found, self.rule, self.schema):
            if present is not None and _fits(self.schema, present):
                for technique, change in self._changes(present):
                    if isinstance(change, Put) and type(change.value) is type(found) and _spelled(change.value) == spelled:
                        yield technique

    @cached_property
    def values(self) -> Mapping[str, Sequence[Technique]]:
        """Maps each invalid value, as JSON, to the techniques that create this value. Most techniques create the same value
        from every valid value.
        """
        return _grouped((_spelled(change.value), technique) for technique, change in self._changes(self.plain) if isinstance(change, Put))

    # ----------------------------------------------------------------------------------------------------- properties

    def _adding(self, name: str, value: Any) -> Sequence[Technique]:
        """Returns the techniques that add a property called `name`. If no technique adds this name, returns the techniques that add
        any unknown name. In both cases, if the added values have different types, returns only techniques whose value has the type of `value`.
        """
        added = self.added.get(name, self.of_any_name)
        kinds = {type(put) for _, put in added}
        return [technique for technique, put in added if len(kinds) == 1 or type(put) is type(value)]

    @cached_property
    def added(self) -> Mapping[str, Sequence[tuple[Technique, Any]]]:
        """Maps the name of each added property to the techniques that add this property. Each technique is listed with the
        property's value.
        """
        presents = [{name: value} for name, value in self.plain.items()] if self.plain else []
        changes = (entry for present in presents for entry in self._changes(present))
        adding = ((technique, change) for technique, change in changes if isinstance(change, AddProperty))
        return _grouped((change.name, (technique, json.loads(_spelled(change.value), parse_int=integer))) for technique, change in adding)

    @property
    def of_any_name(self) -> Sequence[tuple[Technique, Any]]:
        """The techniques that add a property with an arbitrary unknown name. Each technique is listed with the property's value."""
        return next((added for added in self.added.values() if len({type(put) for _, put in added}) > 2), ())


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _spelled(value: Any) -> str:
    """Returns the JSON of a value with sorted properties, so that equal values give equal strings. `value` can be an `orjson.Fragment`."""
    return json.dumps(json.loads(compact(value), parse_int=integer) if isinstance(value, Fragment) else value, sort_keys=True)


def _value_at(message: Any, at: Sequence[str]) -> Any:
    for step in at:
        message = message[int(step)] if isinstance(message, list) else message[step]
    return message


# ------------------------------------------------------------------------------------------------------- origins


def _origins(found: Any, rule: Rule, schema: Schema) -> Iterator[Any]:
    """Yields valid values that a technique may have turned into the invalid value `found`."""
    if rule.keyword == "enum":
        yield from rule.value
        return
    match found:
        case str():
            yield from _read_from(found)
        case list():
            yield from (found[:1], found[:-1], found[: len(found) // 2], *found[:1])
            yield dict(zip(schema.get("properties", ()), found, strict=False))
            with suppress(TypeError, ValueError):
                yield dict(found)
            with suppress(TypeError, ValueError, OverflowError):
                yield spell(datetime(1970, 1, 1, tzinfo=UTC).replace(**dict(zip(_PARTS, found, strict=True))))
        case dict():
            yield from found.values()
            yield list(found.values())
        case int():
            with suppress(ValueError, OverflowError, OSError):
                yield spell(datetime.fromtimestamp(found if abs(found) < _MILLISECONDS else found // 1000, UTC))
    yield [found]
    yield from ({name: found} for name in schema.get("properties", ()))


def _fits(schema: Schema, value: Any) -> bool:
    """Returns whether the schema allows the type of the value, and the types and names of all values inside the value."""
    types = types_of(schema)
    if JSON_TYPE_OF[type(value)] not in types and not (type(value) is int and "number" in types):
        return False
    if isinstance(value, list):
        return all(_fits(schema.get("items", {}), item) for item in value)
    props = schema.get("properties", {})
    return not isinstance(value, dict) or all(name in props and _fits(props[name], item) for name, item in value.items())


def _read_from(text: str) -> Iterator[Any]:
    """Yields valid values that a technique may have turned into the string `text`."""
    if number := _NUMBER.search(text):
        yield float(number[0])
        with suppress(OverflowError):
            yield int(float(number[0]))
    for spelled in (text, f"[{text}]"):
        with suppress(ValueError, RecursionError):
            yield json.loads(spelled, parse_int=integer)
    yield from (text.split(","), text.strip(), text[:-1])
