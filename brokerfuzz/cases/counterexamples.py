"""Searches values that break one rule and no other rule of the same site, for rules whose keywords the generator does
not follow.

The generator draws values of schemas that lack the keyword or contradict it, and a validator judges them.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, islice
from typing import Any

from brokerfuzz.cases.changes import Put, Remove, altered
from brokerfuzz.errors import ContractError
from brokerfuzz.generation.nodes import values_of
from brokerfuzz.generation.searched_values import PLAIN_VALUES
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Contract, Rule
from brokerfuzz.schemas.keywords import OTHER_ITEMS, Schema, conjoin
from brokerfuzz.schemas.validation import judge_of

_MOST_SCHEMAS = 20
_MOST_PAIRS = 6
_MOST_OF_SCHEMA = 10
_UNEXPECTED = (("unexpected", "a"), ("unexpected", 1), ("~ an unexpected property with a long name", 1))
_CHANGES = (Remove(), Put(""), Put(0), Put(None), Put("~"), Put(-1))
"""The changes of one part of a valid value."""
_DEEPEST = 3


@cache
def counterexamples_of(contract: Contract, rule: Rule) -> "Counterexamples":
    schema = contract.sites[rule.message_type][rule.site].schema
    keyword = OTHER_ITEMS if rule.keyword == "items" else rule.keyword
    whole = {**schema, keyword: rule.value}
    other_keywords = _without(whole, keyword)
    condition = rule.condition
    if condition is not None and condition.site == rule.site:
        other_keywords.pop("allOf", None)  # it contains the rule
        other_keywords = conjoin(other_keywords, condition.when if condition.holds else {"not": condition.when})
    return Counterexamples(contract, rule, keyword, whole, other_keywords)


@dataclass(frozen=True, eq=False)
class Counterexamples:
    """The values that break a rule and no other rule of its site. `whole` is the schema of the site with the rule, and
    `other_keywords` without it.
    """

    contract: Contract
    rule: Rule
    keyword: str
    whole: Schema
    other_keywords: Schema

    def __contains__(self, value: Any) -> bool:
        return judge_of(self.other_keywords)(value) and not judge_of(self.whole)(value)

    @cached_property
    def found(self) -> Sequence[Any]:
        """Some of these values, the shortest first."""
        values: dict[str, Any] = {}
        schemas = _breaking_schemas(self.other_keywords, self.keyword, self.rule.value)
        for schema in islice(schemas, _MOST_SCHEMAS):
            drawn = values_of(self.contract, self.rule.message_type, schema, self.rule.site)
            candidates = [*drawn, *_with_unexpected_property(drawn)]
            broken = [value for value in [*candidates, *PLAIN_VALUES] if value in self]
            values.update({repr(value): value for value in broken[:_MOST_OF_SCHEMA]})
        return [values[text] for text in sorted(values, key=lambda text: (len(text), text))]

    @cached_property
    def near_misses(self) -> Sequence[Any]:
        """The values that a change of one part makes from valid ones. All parts are first left out, then replaced: if
        each branch of `oneOf` is an object, each of its properties is checked in turn.
        """
        valid_values = values_of(self.contract, self.rule.message_type, self.whole, self.rule.site)
        near_misses: dict[str, Any] = {}
        for change in _CHANGES:
            changed_places: set[Steps] = set()
            for valid in valid_values:
                for steps in _parts(valid):
                    if steps in changed_places or (change == Remove() and isinstance(steps[-1], int)):
                        continue
                    changed = altered(valid, steps, change)
                    if changed in self:
                        changed_places.add(steps)
                        near_misses[repr(changed)] = changed
        return list(near_misses.values())


def _parts(value: Any, steps: Steps = ()) -> Iterator[Steps]:
    """Yields the paths of the parts of a value: of properties, and of the first items of arrays."""
    if steps:
        yield steps
    if len(steps) == _DEEPEST:
        return
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _parts(part, (*steps, name))
    elif isinstance(value, list) and value:
        yield from _parts(value[0], (*steps, 0))


def _without(schema: Schema, keyword: str) -> Schema:
    """Returns the schema without a keyword, but with its effect on other keywords: without `patternProperties`,
    `additionalProperties` would concern more names.
    """
    rest = {name: value for name, value in schema.items() if name != keyword}
    match keyword:
        case "patternProperties":
            return {**rest, keyword: {pattern: {} for pattern in schema[keyword]}}
        case "prefixItems":
            return {**rest, keyword: [{} for _ in schema[keyword]]}
        case "minContains":
            return {**rest, keyword: 0}
        case _:
            return rest


def _breaking_schemas(other_keywords: Schema, keyword: str, value: Any) -> Iterator[Schema]:
    """Yields schemas some of whose values break a keyword with this value. The schema also has `other_keywords`."""
    yield other_keywords
    match keyword:
        case "oneOf" | "anyOf":
            for branch in value[: _MOST_SCHEMAS // 2]:
                yield from _conjoined(other_keywords, branch)
            for first, second in islice(combinations(value, 2), _MOST_PAIRS):
                yield from _conjoined(other_keywords, first, second)
        case "not":
            yield from _conjoined(other_keywords, value)
        case "patternProperties":
            opposites = {pattern: {"not": of_pattern} for pattern, of_pattern in value.items()}
            yield {**other_keywords, keyword: opposites, "minProperties": len(other_keywords.get("required", ())) + 1}
        case "propertyNames":
            yield {
                **other_keywords,
                keyword: {"not": value},
                "minProperties": len(other_keywords.get("required", ())) + 1,
            }
        case "minContains":
            yield {**other_keywords, "items": {"not": other_keywords["contains"]}}
        case "maxContains":
            yield {**other_keywords, "items": other_keywords["contains"], "minItems": value + 1}


def _with_unexpected_property(values: Sequence[Any]) -> list[Any]:
    objects = [value for value in values if isinstance(value, dict)]
    return [{**value, name: unexpected} for value in objects for name, unexpected in _UNEXPECTED]


def _conjoined(*schemas: Schema) -> Iterator[Schema]:
    """Yields the schema of the values that comply with all schemas, if they can be merged."""
    with suppress(ContractError):
        joined: Schema = {}
        for schema in schemas:
            joined = conjoin(joined, schema)
        yield joined
