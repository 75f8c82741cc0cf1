"""The contract from which the mutants are made, and plain messages that have all properties of this contract."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from benchmarks.fleet.messages import OFFER, Behaviour, Reader
from benchmarks.fleet.places import ABSENT, put
from brokerfuzz.schemas import Contract, Rule, Site, check
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import Schema, conditions_of, types_of
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.sites import JSON_RULE, join

_PLAIN = {"cron": "30 6 * * 1", "url": "https://example.com/a/b.png"}


@dataclass(frozen=True)
class Ground:
    contract: Contract
    now: datetime

    @property
    def schema(self) -> Schema:
        """The schema of the offer, with references replaced by the schemas themselves."""
        return self.contract.flat[OFFER]

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
    def messages(self) -> tuple[Any, ...]:
        """Complete valid messages: one message that meets no condition of the contract, and one message for each
        condition.
        """
        first = self.plain(self.schema, "", 0)
        return (first, *(_under(first, entry["if"]) for entry in conditions_of(self.schema)))

    @cached_property
    def instants(self) -> dict[str, str]:
        """Maps each site that has a timestamp to a plain timestamp. The end of a period is later than its start."""
        found = dict.fromkeys(self.doubtful("timestamp"), "2020-02-03T04:05:06Z")
        for above, _, end in self.ordered("ordered_instants"):
            found[join(above, end)] = "2021-02-03T04:05:06Z"
        return found

    def doubtful(self, detector: str) -> list[str]:
        """Returns the sites at which this detector finds ambiguities."""
        return [
            path
            for s in self.contract.ambiguities
            if s.detector == detector
            for path in (s.sites or {}).get(OFFER, ())
            if path in self.sites
        ]

    def ordered(self, detector: str) -> list[tuple[str, ...]]:
        """Each tuple contains the path of an object, and then the names of its properties that the detector compares
        with each other.
        """
        return [
            tuple(pair)
            for s in self.contract.ambiguities
            if s.detector == detector
            for pair in (s.sites or {}).get(OFFER, ())
        ]

    def plain(self, schema: Schema, path: str, number: int) -> Any:
        """Returns a plain value for a site. Each `number` gives a different value."""
        types = types_of(schema)
        if "enum" in schema:
            return schema["enum"][0]
        if "object" in types:
            value = {
                name: self.plain(prop, join(path, name), number) for name, prop in schema.get("properties", {}).items()
            }
            return self._with_ranges(path, value)
        if "array" in types:
            return [self.plain(schema.get("items", {}), path + "[]", number)]
        if "string" in types:
            return self._text(path, number)
        return max(schema.get("minimum", 0), 0) + 2 + number if types & {"integer", "number"} else True

    def _with_ranges(self, path: str, value: dict[str, Any]) -> dict[str, Any]:
        """Sets limits of quantities to 1 and 1,000,000, so that the quantities in plain messages are between them."""
        for above, quantities, low, high in self.ordered("within_range"):
            if above == path and value.keys() >= {quantities, low, high}:
                value[low], value[high] = 1, 1_000_000
        return value

    def _text(self, path: str, number: int) -> str:
        if path in self.instants:
            return self.instants[path]
        for detector, text in _PLAIN.items():
            if path in self.doubtful(detector):
                return text
        return f"{path.rpartition('.')[2].removesuffix('[]')}-{number + 1}"

    def items(self, path: str, count: int) -> list[Any]:
        return [self.plain(self.sites[path].schema.get("items", {}), path + "[]", number) for number in range(count)]

    def with_value(self, path: str, value: Any) -> Iterator[bytes]:
        """Yields the complete messages with `value` at `path`. The value `ABSENT` removes the property."""
        yield from (written(put(message, path, value)) for message in self.messages)

    def breach(self, rule: Rule) -> Any:
        """Returns a value that breaks the rule. Returns `ABSENT` if the rule is broken when the property is missing."""
        match rule.keyword:
            case "required":
                return ABSENT
            case "type":
                return self._other_type(rule)
            case "minimum":
                return rule.value - 1
            case "maximum":
                return rule.value + 1
            case "minLength":
                return ""
            case "minItems":
                return []
            case "enum":
                return "no such thing"
            case "additionalProperties":
                return {**self.plain(self.sites[rule.site].schema, rule.site, 0), "unexpected": 1}
            case "not-in-future":
                return spell(self.now + timedelta(days=400))
            case _:
                return json.dumps(rule.keyword == JSON_RULE)

    def _other_type(self, rule: Rule) -> Any:
        if rule.condition is not None and "null" in types_of(self.sites[rule.site].schema):
            return None
        return "text" if "string" not in types_of(self.sites[rule.site].schema) else 7

    def broken(self, body: bytes) -> list[str]:
        return [broken.rule for broken in check(OFFER, body, now=self.now, contract=self.contract).broken]

    def first_killer(self, behaviour: Behaviour, bodies: Iterable[bytes]) -> bytes | None:
        """Returns the first message to which the service gives a wrong answer. Returns None if all answers are
        correct.
        """
        for body in bodies:
            message = self.reader(body)
            if message.contradicts(behaviour(message)):
                return body
        return None


CLOCK_RULE = NOT_IN_FUTURE


def _under(message: Any, when: Schema) -> Any:
    """Sets the properties that the condition `when` requires."""
    return {**message, **{name: prop["enum"][0] for name, prop in when.get("properties", {}).items() if "enum" in prop}}


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
