"""Plain valid messages of a contract, in which one value can be replaced."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, reduce
from typing import Any

from benchmarks.fleet.messages import ABSENT, OFFER, Reader, steps_of
from benchmarks.fleet.values import TEXTS
from brokerfuzz.schemas import Condition, Contract, Rule, Site
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions import QUESTION_KINDS


@dataclass(frozen=True)
class Ground:
    """The contract from which the mutants are made."""

    contract: Contract
    now: datetime

    @property
    def sites(self) -> Mapping[str, Site]:
        return self.contract.sites[OFFER]

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self.contract.rules[OFFER]

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.contract, self.now)

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        return {rule.condition.label: rule.condition for rule in self.rules if rule.condition}

    @cached_property
    def forms(self) -> dict[str, str]:
        """Maps each site with strings of a certain form to this form."""
        return {
            asked.path: name
            for name, kind in QUESTION_KINDS.items()
            for ambiguity in self.contract.ambiguities
            if name in TEXTS and ambiguity.kind is kind
            for asked in ambiguity.sites_in(OFFER)
        }

    @cached_property
    def _messages(self) -> dict[tuple[str, ...], list[Any]]:
        return {}

    def messages(self, *paths: str) -> list[Any]:
        """Returns messages with a plain value at each path, and without other optional properties: one that meets no
        condition of the contract, and one for each condition.
        """
        if paths not in self._messages:
            under = [self._under(condition, paths) for condition in self.conditions.values()]
            self._messages[paths] = [self.plain("", paths), *under]
        return self._messages[paths]

    def _under(self, condition: Condition, paths: tuple[str, ...]) -> Any:
        needed = [rule.site for rule in self.rules if rule.condition == condition and rule.keyword == "required"]
        given = {name: prop["enum"][0] for name, prop in condition.when["properties"].items()}
        return {**self.plain("", (*paths, *needed)), **given}

    def bodies(self, *values: tuple[str, Any]) -> Iterator[bytes]:
        """Yields these messages with a value at each path."""
        for message in self.messages(*(path for path, _ in values)):
            yield written(reduce(lambda changed, pair: put(changed, steps_of(pair[0]), pair[1]), values, message))

    def items(self, path: str, count: int, *paths: str) -> list[Any]:
        return [self.plain(f"{path}[]", paths, number) for number in range(count)]

    def values(self, path: str, count: int) -> list[Any]:
        """Returns plain items of an array, or plain values of another site."""
        is_array = "array" in types_of(self.sites[path].schema)
        return self.items(path, count) if is_array else [self.plain(path, (), number) for number in range(count)]

    def plain(self, path: str, paths: tuple[str, ...] = (), number: int = 0) -> Any:
        """Returns a value of a site, with the properties that `paths` needs. Each `number` gives another value."""
        schema: Schema = self.sites[path].schema
        types = types_of(schema)
        if "enum" in schema:
            return schema["enum"][0]
        if "object" in types:
            return {
                name: self.plain(prop.path, paths, number)
                for name, prop in self.sites[path].properties.items()
                if prop.required or any(is_within(one, (prop.path,)) for one in paths)
            }
        if "array" in types:
            return [self.plain(f"{path}[]", paths, number)]
        if "string" in types:
            form = TEXTS.get(self.forms.get(path, ""))
            return next(iter(form.values()))[1] if form else f"{path.rpartition('.')[2]}-{number + 1}"
        return max(schema.get("minimum", 0), 0) + 2 + number if types & {"integer", "number"} else True


def is_within(path: str, sites: Iterable[str]) -> bool:
    return any(path == site or path.startswith((f"{site}.", f"{site}[]")) for site in sites)


def put(message: Any, steps: list[str], value: Any, item: int = 0) -> Any:
    """Returns the message with another value. `ABSENT` removes the property. `item` is the index in each array on the
    way that has so many items.
    """
    if not steps:
        return value
    if steps == ["*"]:
        return {**message, **value}
    step, *rest = steps
    changed = message.copy()
    key: Any = min(item, len(message) - 1) if step == "[]" else step
    if rest or value is not ABSENT:
        changed[key] = put(message[key] if rest else None, rest, value, item)
    else:
        changed.pop(key, None)
    return changed


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
