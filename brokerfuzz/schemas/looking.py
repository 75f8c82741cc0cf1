"""A walk over a message that notices what is in doubt at its sites, and what is broken that schemas cannot say.

The walk is compiled once, a function a site, and goes only where there is something to see: most of a message's values are passed by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from brokerfuzz.schemas.contract import NOT_IN_FUTURE, Contract, MessageType, Silence
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.reading import Reading
from brokerfuzz.schemas.silence_detectors import OF_PAIRS, OF_VALUES, distinct
from brokerfuzz.schemas.sites import Rule, Site, join
from brokerfuzz.schemas.verdicts import Broken, Place, Touched, describe, pointer


@dataclass(slots=True)
class Inspection:
    """What the walk over a message needs and gathers."""

    now: datetime
    touched: list[Touched] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)

    def touch(self, silence: Silence, place: Place, found: str) -> None:
        """Notes that a silence is touched at a place."""
        self.touched.append(Touched(silence.id, pointer(place), found))


Look = Callable[[Any, Place, Inspection], None]
"""Looks at the value at a place, and at what lies below."""


def inspector(contract: Contract, message_type: MessageType) -> Callable[[Any, Reading, Inspection], None]:
    """The walk over the messages of a type: it is given the message, as one of those of a reading, and where to note what it sees."""
    concerned = [silence for silence in contract.silences if silence.concerns(message_type)]
    silences = {str(silence.detector): silence for silence in concerned}
    sites = contract.sites[message_type]
    look = _Walks(sites, silences, _looks_of(contract, message_type, concerned)).of("")
    too_long = silences.get("string_length")

    longest = too_long.options["limit"] if too_long else 0

    def inspect(message: Any, reading: Reading, inspection: Inspection) -> None:
        if look is not None:
            look(message, None, inspection)
        if too_long is not None and reading.may_hold_text_of(longest + 1):
            _look_for_long_texts(too_long, sites, "", message, None, inspection)

    return inspect


class _Walks:
    """Makes the walks: what is to be seen at a site, and at those below it."""

    def __init__(self, sites: Mapping[str, Site], silences: Mapping[str, Silence], looks: Mapping[str, list[Look]]) -> None:
        self._sites, self._silences, self._looks = sites, silences, looks

    def of(self, path: str) -> Look | None:
        """The walk that begins at a site; None where nothing is to be seen."""
        types = types_of(self._sites[path].schema)
        looks = list(self._looks[path])
        if "integer" in types and "type" in self._sites[path].schema and (silence := self._silences.get("integer_form")):
            looks.insert(0, _look_at_integer(silence))
        if "array" in types:
            looks.insert(0, _array(self.of(f"{path}[]") if f"{path}[]" in self._sites else None, self._silences.get("item_count")))
        if members := [(self._sites[below].name, look) for below in self._members(path) if (look := self.of(below)) is not None]:
            looks.insert(0, _object(members))
        return _every(looks) if looks else None

    def _members(self, path: str) -> list[str]:
        return [below for below, site in self._sites.items() if below and not below.endswith("[]") and join(path, site.name) == below]


def _object(members: Sequence[tuple[str, Look]]) -> Look:
    def look(value: Any, place: Place, inspection: Inspection) -> None:
        if type(value) is dict:
            for name, look_at in members:
                if (member := value.get(name)) is not None:
                    look_at(member, (place, name), inspection)

    return look


def _array(items: Look | None, too_many: Silence | None) -> Look:
    most = too_many.options["limit"] if too_many else 0

    def look(value: Any, place: Place, inspection: Inspection) -> None:
        if type(value) is list:
            if too_many is not None and len(value) > most:
                inspection.touch(too_many, place, f"{len(value):,} items")
            if items is not None:
                for index, item in enumerate(value):
                    items(item, (place, index), inspection)

    return look


def _every(looks: Sequence[Look]) -> Look:
    if len(looks) == 1:
        return looks[0]

    def look(value: Any, place: Place, inspection: Inspection) -> None:
        for look_at in looks:
            look_at(value, place, inspection)

    return look


# ------------------------------------------------------------------------------------------------- what is looked at


def _looks_of(contract: Contract, message_type: MessageType, silences: Sequence[Silence]) -> Mapping[str, list[Look]]:
    """The looks at each site. A changed contract may lack a site that a silence concerns."""
    sites = contract.sites[message_type]
    looks: dict[str, list[Look]] = {path: [] for path in sites}
    for silence in silences:
        for where in (silence.sites or {}).get(message_type, ()):
            path, *rest = (where,) if isinstance(where, str) else where
            if path not in sites:
                continue
            if silence.detector == "distinct":
                looks[path].append(_look_at_items(silence, *rest))
            elif not rest:
                looks[path].append(_look_at_value(silence))
            elif all(join(path, name) in sites for name in rest):
                looks[path].append(_look_at_pair(silence, *rest))
    tolerance = next((silence.options["seconds"] for silence in silences if silence.detector == "near_now"), 0)
    for rule in contract.rules[message_type]:
        if rule.keyword == NOT_IN_FUTURE:
            looks[rule.site].append(_not_in_future(rule, tolerance))
    return looks


def _look_at_value(silence: Silence) -> Look:
    detect, options = OF_VALUES[str(silence.detector)], silence.options

    def look(value: Any, place: Place, inspection: Inspection) -> None:
        if detect(value, inspection.now, options):
            inspection.touch(silence, place, describe(value))

    return look


def _look_at_items(silence: Silence, key: str | None = None) -> Look:
    def look(value: Any, place: Place, inspection: Inspection) -> None:
        if distinct(value, key):
            inspection.touch(silence, place, f"the same {key or 'item'} twice")

    return look


def _look_at_pair(silence: Silence, low: str, high: str) -> Look:
    detect, options = OF_PAIRS[str(silence.detector)], silence.options

    def look(value: Any, place: Place, inspection: Inspection) -> None:
        if isinstance(value, dict) and low in value and high in value and detect(value[low], value[high], inspection.now, options):
            inspection.touch(silence, place, f"{low} {describe(value[low])}, {high} {describe(value[high])}")

    return look


def _look_at_integer(silence: Silence) -> Look:
    def look(value: Any, place: Place, inspection: Inspection) -> None:
        if type(value) is float and value.is_integer():
            inspection.touch(silence, place, describe(value))

    return look


def _not_in_future(rule: Rule, tolerance: int) -> Look:
    def look(value: Any, place: Place, inspection: Inspection) -> None:
        when = instant(value) if isinstance(value, str) else None
        if when is not None and (when - inspection.now).total_seconds() > tolerance:
            inspection.broken.append(Broken(rule.id, pointer(place), describe(value), rule.demand))

    return look


def _look_for_long_texts(silence: Silence, sites: Mapping[str, Site], path: str, value: Any, place: Place, inspection: Inspection) -> None:
    """Looks at every text at a site and below."""
    if type(value) is str and len(value) > silence.options["limit"]:
        inspection.touch(silence, place, f"{len(value):,} characters")
    elif type(value) is dict:
        for name, member in value.items():
            if (below := join(path, name)) in sites:
                _look_for_long_texts(silence, sites, below, member, (place, name), inspection)
    elif type(value) is list and f"{path}[]" in sites:
        for index, item in enumerate(value):
            _look_for_long_texts(silence, sites, f"{path}[]", item, (place, index), inspection)
