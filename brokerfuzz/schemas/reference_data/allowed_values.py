"""Checks that the values of reference data comply with the contract."""

from collections.abc import Callable, Iterator
from typing import Any

from brokerfuzz.errors import ReferenceDataError, quoted
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.reference_data.cells import KnownCell
from brokerfuzz.schemas.sites import JSON_RULE, Rule, join
from brokerfuzz.schemas.structural_validation import SchemaFiles, standard, validator

_COMPUTED = {
    "envelope": ("operationWasSuccessful", "failureMessages[]"),
    "arithmetic": ("totalExtendedPrice", "offers[].extendedPrice"),
}
"""Maps the detector of an ambiguity to properties of the objects at its sites. Users cannot list values for these
properties, because brokerfuzz computes them from other properties.
"""
_LARGEST = 1 << 53
"""The largest number that reference data may contain. Doubles cannot represent all integers above this number, and sums
of very large numbers are not finite.
"""


class ValueChecker:
    """Checks the values of one site. Raises `ReferenceDataError` if users cannot choose the values of this site."""

    def __init__(self, contract: Contract, message_type: str, path: str, origin: str) -> None:
        self._schema, self._path = contract.sites[message_type][path].schema, path
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
        files = SchemaFiles(contract.schemas)
        self._tests: list[tuple[Rule, Callable[[Any], bool]]] = [
            (rule, validator(standard({rule.keyword: rule.value}), files).is_valid) for rule in rules
        ]
        self._longest = next(
            (one.options["limit"] for one in contract.ambiguities if one.detector == "string_length"), None
        )

    def value_of(self, cell: KnownCell) -> Any:
        """Returns the value of a cell, converted to the type of the site. Raises `ReferenceDataError` if the contract
        does not allow the value.
        """
        value = cell.typed(self._schema)
        for rule, is_allowed in self._tests:
            if not is_allowed(value):
                name = rule.id.partition("/")[2]
                raise ReferenceDataError(
                    f"{cell.origin}: {quoted(value)} breaks the rule {name} (expected {rule.demand}): correct or "
                    "remove this value"
                )
        if isinstance(value, str) and "\0" in value:
            raise ReferenceDataError(f"{cell.origin}: {quoted(value)} contains NUL: remove this value")
        if isinstance(value, str) and self._longest is not None and len(value) > self._longest:
            raise ReferenceDataError(
                f"{cell.origin}: {quoted(value)} contains more than {self._longest:,} characters: remove this value"
            )
        if isinstance(value, int | float) and abs(value) > _LARGEST:
            raise ReferenceDataError(f"{cell.origin}: {quoted(value)} is larger than 2**53: remove this value")
        return value


def _computed(contract: Contract, message_type: str) -> Iterator[str]:
    for ambiguity in contract.ambiguities:
        for site in (ambiguity.sites or {}).get(message_type, ()) if ambiguity.detector in _COMPUTED else ():
            yield from (join(site, name) for name in _COMPUTED[str(ambiguity.detector)])
