"""Checks that the contract allows the values that users list in reference data, and that brokerfuzz can use them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from brokerfuzz.errors import ReferenceDataError, quoted
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.rule import JSON_RULE
from brokerfuzz.schemas.validation import registry_of, standard, validator

_LARGEST = 1 << 53
"""The largest number that reference data may contain. Doubles cannot represent all integers above this number, and sums
of very large numbers are not finite.
"""


class Cell(NamedTuple):
    """A value with its origin. `text` says that it comes from a file in which all values are strings."""

    value: Any
    origin: str
    text: bool = False

    def typed(self, schema: Schema) -> Any:
        """Returns the value with a type that the schema allows. In a text file, `12` can mean a string or a number."""
        types = types_of(schema)
        if not self.text or "string" in types:
            return self.value
        try:
            value = orjson.loads(self.value)
        except ValueError:
            return self.value
        expected = {bool} if types <= {"boolean", "null"} else {int, float}
        return value if type(value) in expected else self.value


class ValueChecker:
    """Checks the values of one site. Raises `ReferenceDataError` if users cannot choose the values of this site."""

    def __init__(self, contract: Contract, message_type: str, path: str, origin: str) -> None:
        self._schema = contract.sites[message_type][path].schema
        rules = [
            rule
            for rule in contract.rules[message_type]
            if rule.site == path and rule.keyword not in ("required", JSON_RULE)
        ]
        if types_of(self._schema) & {"array", "object"}:
            remedy = f"use {path}[]" if "array" in types_of(self._schema) else "use one of its properties"
            raise ReferenceDataError(
                f"{origin}: {path} of {message_type} is not a string, a number or a boolean: {remedy}"
            )
        if path in _computed(contract, message_type) or any(rule.keyword == NOT_IN_FUTURE for rule in rules):
            raise ReferenceDataError(
                f"{origin}: {path} of {message_type} cannot have values"
                ", because brokerfuzz computes this property from the time or from other properties: remove its values"
            )
        files = registry_of(contract.schemas)
        self._tests = [(rule, validator(standard({rule.keyword: rule.value}), files)) for rule in rules]

    def value_of(self, cell: Cell) -> Any:
        """Returns the value with the type of the site. Raises `ReferenceDataError` if it is not allowed."""
        value = cell.typed(self._schema)
        if problem := self._problem(value):
            raise ReferenceDataError(f"{cell.origin}: {quoted(value)} {problem}: correct or remove this value")
        return value

    def _problem(self, value: Any) -> str | None:
        if not isinstance(value, str | int | float):
            return "is not a string, a number or a boolean"
        for rule, test in self._tests:
            if not test.is_valid(value):
                return f"breaks the rule {rule.id.partition('/')[2]} (expected {rule.demand})"
        if not isinstance(value, str):
            return "is larger than 2**53" if abs(value) > _LARGEST else None
        return "contains NUL" if "\0" in value else None


def _computed(contract: Contract, message_type: str) -> Iterator[str]:
    """Yields the sites whose values brokerfuzz computes from other properties."""
    for ambiguity in contract.ambiguities:
        for asked in ambiguity.sites_in(message_type):
            yield from (path_to(steps, asked.path) for steps in ambiguity.question_at(asked).computed)
