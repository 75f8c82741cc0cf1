"""Finds the rules of a JSON Schema that a message breaks.

jsonschema-rs reports errors, and this module finds the rules that cause them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import jsonschema_rs

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import Steps, escape, path_to, pointer_of, value_at
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.keywords import JUDGED
from brokerfuzz.schemas.rule import Rule
from brokerfuzz.schemas.validation import registry_of, standard, validator, without_surrogates
from brokerfuzz.schemas.verdicts import NOTHING, UNKNOWN_PROPERTY, Violation, describe, describe_whole
from brokerfuzz.wording import printable

MOST_BROKEN = 1000
"""The maximum number of broken rules in a verdict."""
_LARGE = 64 * 1024
"""If a message has more than `_LARGE` bytes, only the first items of each array are searched for errors, to save
memory: jsonschema-rs creates all errors before it returns the first one, and each needs two kilobytes.
"""
_FIRST_ITEMS = 100
"""The number of items that remain of each array in a large message."""
_KEYWORDS = {"const": "enum"}
"""Maps keywords in errors of the validator to keywords in flat schemas, if the names differ."""
_STEPS = {
    "properties": 1,
    "items": 0,
    "allOf": 1,
    "dependentSchemas": 1,
    "then": 0,
    "else": 0,
    "$ref": 0,
    "$dynamicRef": 0,
}
"""The keywords whose schemas have sites, and how many steps of an evaluation path follow them: for example, a name
follows `properties`.
"""


_DETAILED = ("required", "dependentRequired", "additionalProperties", "unevaluatedProperties")
"""The kinds of errors whose details are needed."""


class Error(NamedTuple):
    """An error that a validator reports. `steps` is the path to the place of the error, `at` is the JSON Pointer of
    this place, and `found` describes the value there. `instance` is this value. For a missing property, `instance` is
    the object that lacks the property.

    The message breaks at least one of `rules`. If `rules` contains several rules, `StructureChecker` finds out which of
    them are broken.
    """

    rules: Sequence[Rule]
    steps: Steps
    at: str
    found: str
    instance: Any


class StructureChecker:
    """Finds the broken rules of one message type. The schema is compiled only once."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._message_type: MessageType = message_type
        files = registry_of(contract.schemas)
        self._validator = validator(
            {"properties": {}, **contract.schemas[message_type]}, files
        )  # without "properties", errors lack property names
        self._sites = contract.sites[message_type]
        self._rules: dict[tuple[str, str], list[Rule]] = {}
        for rule in contract.rules[message_type]:
            self._rules.setdefault((rule.site, rule.keyword), []).append(rule)
        contested = [rule for rules in self._rules.values() if len(rules) > 1 for rule in rules]
        self._conditions = {
            rule.id: validator(standard(rule.condition.when), files) for rule in contested if rule.condition
        }
        self._alone = {
            rule.id: validator(standard({rule.keyword: rule.value}), files)
            for rule in contested
            if rule.keyword != "required"
        }

    def violations(self, value: Any, size: int = 0) -> list[Violation]:
        """Returns the rules that the value breaks. `size` is the size of the message in bytes.

        Raises `ValueError` or `RecursionError` if the value is nested too deeply.
        """
        try:
            return self._violations(value, size)
        except UnicodeEncodeError:
            return self._violations(without_surrogates(value), size)

    def _violations(self, value: Any, size: int) -> list[Violation]:
        if self._validator.is_valid(value):
            return []
        shortened = _shortened(value) if size > _LARGE else value
        if shortened is not value and self._validator.is_valid(shortened):
            shortened = value
        return self.broken_by(islice(self._errors(value, shortened), MOST_BROKEN), value)

    def broken_by(self, errors: Iterable[Error], message: Any) -> list[Violation]:
        """Returns the broken rules. If the type of a value is wrong, most of its other errors are ignored."""
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

    def _errors(self, value: Any, shortened: Any) -> Iterator[Error]:
        """Yields the errors in `shortened`, which is the message `value` or a copy with shorter arrays."""
        for error in self._validator.iter_errors(shortened):
            keyword, depth = self._keyword(error)
            steps, description = tuple(error.instance_path[:depth]), NOTHING
            instance = value_at(value, steps)  # not the validator's copy of the value, which may be large
            detail = error.kind.as_dict() if error.kind.name in _DETAILED else {}
            if "property" in detail and depth == len(error.instance_path):
                keyword, steps = "required", (*steps, detail["property"])
            elif keyword != "required":
                description = describe_whole(instance) if keyword in JUDGED else describe(instance)
            site, at = path_to(steps), pointer_of(steps)
            rules = self._rules.get((site, keyword)) or self._unnamed(site, keyword)
            if keyword in ("additionalProperties", "unevaluatedProperties") and "unexpected" in detail:
                for name in detail["unexpected"]:
                    yield Error(
                        rules, steps, f"{at}/{escape(name)}", f"{UNKNOWN_PROPERTY}`{printable(name)}`", instance
                    )
            else:
                yield Error(rules, steps, at, description, instance)

    def _keyword(self, error: jsonschema_rs.ValidationError) -> tuple[str, int]:
        """Returns the keyword of the rule that an error concerns, and how many steps of its path lead to the site of
        the rule: the first keyword whose schemas have no sites (such as `patternProperties`), or the last one.
        """
        path, depth, position = error.evaluation_path, 0, 0
        while position < len(path):
            keyword = str(path[position])
            if keyword not in _STEPS or (keyword == "items" and not self._has_items(error.instance_path[:depth])):
                return _KEYWORDS.get(keyword, keyword), depth
            depth += keyword in ("properties", "items")
            position += 1 + _STEPS[keyword]
        return "type", depth  # the schema false

    def _has_items(self, steps: Sequence[str | int]) -> bool:
        site = self._sites[""].at(tuple(steps))
        return site is not None and site.items is not None

    def _unnamed(self, site: str, keyword: str) -> Sequence[Rule]:
        return (Rule(self._message_type, site, keyword, None, f"a value that matches {keyword}"),)

    def _broken_here(self, error: Error, message: Any) -> Sequence[Rule]:
        """Returns the broken ones of several rules that differ only in their conditions or values."""
        rules = [
            rule
            for rule in error.rules
            if self._holds(rule, message, error.steps) and self._breaks(rule, error.instance)
        ]
        return rules or self._unnamed(error.rules[0].site, error.rules[0].keyword)

    def _holds(self, rule: Rule, value: Any, steps: Steps) -> bool:
        if rule.condition is None:
            return True
        depth = len(self._sites[rule.condition.site].steps)
        return self._conditions[rule.id].is_valid(value_at(value, steps[:depth])) == rule.condition.holds

    def _breaks(self, rule: Rule, instance: Any) -> bool:
        return rule.id not in self._alone or not self._alone[rule.id].is_valid(instance)


def _shortened(value: Any) -> Any:
    """Returns a copy of a large message with only the first items of each array."""
    if isinstance(value, dict):
        return {name: _shortened(prop) for name, prop in value.items()}
    return [_shortened(item) for item in value[:_FIRST_ITEMS]] if isinstance(value, list) else value
