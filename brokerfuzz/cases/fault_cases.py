"""Breaks every rule with every technique, in messages that vary: for the catalogue, at several positions in arrays and
with different properties around the fault; for the default corpus, in the smallest message.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain, product, repeat
from typing import Any

from brokerfuzz.cases.case import Broken, Case, Fault, confirmed
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.fault_wishes import (
    arrays_with_later_items,
    joined,
    wishes_at,
    wishes_for,
    wishes_meeting,
)
from brokerfuzz.cases.techniques import Technique
from brokerfuzz.generation import COMPLETE, NARROW, REQUIRED, SETTINGS, SMALLEST, Setting, Wish, Wishes, message
from brokerfuzz.generation.nodes import values_at
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule, check
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import JSON_TYPES
from brokerfuzz.schemas.rule import JSON_RULE
from brokerfuzz.schemas.sites import Site


@dataclass(frozen=True)
class ArrayPosition:
    """The position of a fault in arrays: in the item with this index, in `arrays` of this size. In other arrays, it is
    in the first item.
    """

    name: str
    size: int = 1
    index: int = 0
    arrays: tuple[str, ...] = ()

    @property
    def wishes(self) -> Wishes:
        return {array: Wish(least=self.size, most=self.size, index=self.index) for array in self.arrays}

    def fits(self, steps: Steps, site: Site) -> bool:
        wanted = [self.index if array.path in self.arrays else 0 for array in site.arrays]
        return [step for step in steps if isinstance(step, int)] == wanted


ONLY = ArrayPosition("only")
MANY = 10
"""Programs that check only some items check at most this many."""
_ELEVENTH = ArrayPosition("eleventh", 12, MANY)
_IN_SHORT_ARRAYS = (
    ArrayPosition("last", 3, 2),
    ArrayPosition("middle", 3, 1),
    ArrayPosition("first", 3, 0),
)


def positions(site: Site) -> list[ArrayPosition]:
    """Returns the positions of a fault at a site. Some programs check only the first item of an array, or only the
    first ten items, so the first two positions are the only item, and the eleventh of twelve items.
    """
    arrays = tuple(array.path for array in site.arrays)
    if not arrays:
        return [ONLY]
    in_one_array = (replace(position, arrays=(array,)) for position in _IN_SHORT_ARRAYS for array in arrays)
    return [ONLY, replace(_ELEVENTH, arrays=arrays), *in_one_array]


@dataclass(frozen=True)
class Surroundings:
    """The message around a fault."""

    setting: Setting = NARROW
    position: ArrayPosition = ONLY
    wishes: Wishes = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    def tagged(self, *tags: str) -> "Surroundings":
        return replace(self, tags=(f"at:{self.position.name}", f"in:{self.setting.name}", *tags))


_NARROW_BACKWARDS = Setting("narrow-backwards", narrow=True, backwards=True)
OF_PRESENCE = {"required", "minItems", "minLength", "minimum"}
"""The keywords of rules that require a property, or that set a lower limit."""
Attempts = Iterable[tuple[Technique, Surroundings]]
"""Ways to break a rule. The first one that gives a new case is used."""


@dataclass(frozen=True)
class FaultCases:
    contract: Contract
    message_type: MessageType
    now: datetime | None
    _messages: dict[str, tuple[Any, Case | None]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _injector(self) -> FaultInjector:
        return FaultInjector(self.contract, self.message_type, self.now)

    def _site(self, rule: Rule) -> Site:
        return self.contract.sites[self.message_type][rule.site]

    def of_rule(self, rule: Rule, *, small: bool = False) -> Iterator[Case]:
        """Yields cases that break the rule: those of the catalogue, or, with `small`, those of the default corpus."""
        techniques = self._injector.techniques(rule)
        if not techniques:
            return
        made = set[str]()  # two techniques may do the same in another message
        for attempts in self._small(rule, techniques) if small else self._varied(rule, techniques):
            cases = (self._case(rule, technique, around) for technique, around in attempts)
            new = next((case for case in cases if case is not None and case.id not in made), None)
            if new is not None:
                made.add(new.id)
                yield new
        if not made:
            yield from self._in_suitable_message(rule, techniques)

    def _in_suitable_message(self, rule: Rule, techniques: Sequence[Technique]) -> Iterator[Case]:
        """Breaks a rule of a changed contract that cannot be broken in ordinary messages."""
        suitable = self._injector.breakable_message(rule).message
        for technique in techniques:
            case = self._injector.break_rule(suitable, rule, [technique])
            if case is not None:
                yield case

    def _case(self, rule: Rule, technique: Technique, around: Surroundings) -> Broken | None:
        valid, twin = self._valid_message(rule, around)
        if twin is None:
            return None

        def place_of(places: Sequence[Steps]) -> Steps | None:
            return next((steps for steps in places if around.position.fits(steps, self._site(rule))), None)

        return self._injector.break_rule(valid, rule, [technique], choose_place=place_of, tags=around.tags, twin=twin)

    def _valid_message(self, rule: Rule, around: Surroundings) -> tuple[Any, Case | None]:
        """Returns a message in which the rule can be broken, and its case if it is valid.

        Rules share messages that differ only in wishes for values that the setting gives anyway. Those with many items
        are not shared: their answers show how many items a target accepts.
        """
        wishes = joined(wishes_for(self.contract, rule), around.wishes, around.position.wishes)
        if around.position.index < MANY:
            sites = self.contract.sites[self.message_type]
            wishes = {
                path: wish
                for path, wish in wishes.items()
                if not around.setting.fulfils(wish, is_deep=sites[path].is_deep)
            }
        key = f"{around.setting.name} {sorted(wishes.items())}"
        if key not in self._messages:
            setting = replace(around.setting, name=f"{around.setting.name} around faults")  # not the plain message
            valid = message(self.contract, self.message_type, setting, wishes)
            self._messages[key] = valid, self._injector.valid(valid)
        return self._messages[key]

    def empty_object(self) -> Iterator[Case]:
        """Yields the message `{}`, which breaks the rules of all required properties. The twin of this case has only
        the required properties.
        """
        twin = self._injector.valid(message(self.contract, self.message_type, REQUIRED))
        broken = check(self.message_type, b"{}", now=self.now, contract=self.contract).broken
        faults = [Fault(entry.rule, entry.at, "removed") for entry in broken]
        if twin is not None and faults:
            tags = ("body:empty-object",)
            case = confirmed(
                self.message_type, b"{}", faults=faults, tags=tags, twin=twin, now=self.now, contract=self.contract
            )
            if case is not None:
                yield case

    # ------------------------------------------------------------------------------------------- for the catalogue

    def _varied(self, rule: Rule, techniques: Sequence[Technique]) -> Iterator[Attempts]:
        """Uses each technique, and each message around the fault. If a technique does not apply there, it breaks the
        rule in a message with one more property, or in a complete one. The first technique for wrong types, mostly
        null, is also used in the eleventh item: some programs accept null only in later items.
        """
        complete = Surroundings(COMPLETE).tagged()
        messages = list(self._varied_surroundings(rule))
        larger = [*(around.tagged() for around in self._with_a_value_of_each_type(rule)), complete]
        for technique, around in zip(techniques, chain(messages, repeat(messages[0])), strict=False):
            yield [(technique, surroundings) for surroundings in (around, *larger)]
        queue = deque(techniques)
        for around in messages[len(techniques) :]:
            yield [*((technique, around) for technique in queue), (queue[0], complete)]
            queue.rotate(-1)
        for position in positions(self._site(rule))[1:2] if rule.keyword == "type" else ():
            yield [(techniques[0], Surroundings(position=position).tagged())]

    def _varied_surroundings(self, rule: Rule) -> Iterator[Surroundings]:
        """Yields messages with each setting and each position of the fault, and messages that meet a condition. A
        lower limit is broken before and behind the property that decides: programs often check the condition only
        once, or too early.
        """
        all_positions = positions(self._site(rule))
        yield from (Surroundings(position=position).tagged() for position in all_positions[:2])
        yield from (Surroundings(setting).tagged() for setting in SETTINGS)
        yield from (Surroundings(position=position).tagged() for position in all_positions[2:])
        for condition in self._affecting(rule):
            met = wishes_meeting(self.contract, self.message_type, condition)
            tag = f"under:{condition.label}"
            yield Surroundings(wishes=met).tagged(tag)
            if rule.condition or rule.keyword in OF_PRESENCE:
                for position, setting in product(all_positions, (NARROW, _NARROW_BACKWARDS)):
                    yield Surroundings(setting, position, met).tagged(tag)

    def _affecting(self, rule: Rule) -> list[Condition]:
        """Returns the condition of the rule. If it has none, returns conditions of other rules about an object or array
        around the site, or about the value of an enumeration.
        """
        if rule.condition is not None:
            return [rule.condition]
        around = {site.path for site in self._site(rule).around if site.path}
        conditions: dict[str, Condition] = {}
        deciding: dict[str, Condition] = {}
        for other in self.contract.rules[self.message_type]:
            if other.condition is not None and other.site in around:
                conditions[other.condition.label] = other.condition
            if other.condition is not None and rule.keyword == "enum" and rule.site in other.condition.deciding_sites:
                deciding[other.condition.label] = other.condition
        return list({**conditions, **deciding}.values())

    # -------------------------------------------------------------------------------------- for the default corpus

    def _small(self, rule: Rule, techniques: Sequence[Technique]) -> Iterator[Attempts]:
        """Uses each technique in the smallest message in which it applies. A rule about a part of an array is also
        broken in a later item: some programs read only the first one. In the smallest message, two items may be equal,
        and one of them is left out.
        """
        messages = list(self._small_surroundings(rule))
        for technique in techniques:
            yield [(technique, around) for around in messages]
        if arrays := arrays_with_later_items(self.contract, rule):
            second = ArrayPosition("second", 2, 1, tuple(arrays))
            messages = [Surroundings(setting, second).tagged() for setting in (SMALLEST, COMPLETE)]
            yield product(techniques, messages)

    def _small_surroundings(self, rule: Rule) -> Iterator[Surroundings]:
        """Yields the smallest message, messages with one more property, and a complete one. The smallest message is not
        always possible: a technique that copies a property needs an object with a property.
        """
        yield Surroundings(SMALLEST)
        yield from self._with_a_value_of_each_type(rule)
        there = self._site(rule)
        for site in there.all():
            if site.name and len(site.arrays) <= len(there.arrays) + 1:
                size = 2 if types_of(site.schema.get("items", {})).isdisjoint(("array", "object")) else 1
                wishes = {array.path: Wish(least=1) for array in site.arrays}
                yield Surroundings(REQUIRED, wishes={**wishes, site.path: Wish(least=size)})
        yield Surroundings(COMPLETE)

    def _with_a_value_of_each_type(self, rule: Rule) -> Iterator[Surroundings]:
        """Slips in JSON need a fraction, a boolean, null, an array or a string. Each is in a message of its own, so
        that a change of one property of the contract changes few messages.
        """
        if rule.keyword != JSON_RULE:
            return
        first_paths: dict[str, str] = {}
        for path, site in self.contract.sites[self.message_type].items():
            for json_type in JSON_TYPES:
                if site.name and json_type in types_of(site.schema):
                    first_paths.setdefault(json_type, path)
        for json_type, path in first_paths.items():
            wishes = wishes_at(self.contract, self.message_type, path)
            if json_type == "null":
                wishes = joined(wishes, {path: Wish(state="null")})
            elif json_type == "number":
                values = values_at(self.contract, self.message_type, path)
                fractions = [value for value in values if isinstance(value, int | float) and value % 1]
                wishes = joined(wishes, {path: Wish(options=fractions[:1])})
            yield Surroundings(SMALLEST, wishes=wishes)
