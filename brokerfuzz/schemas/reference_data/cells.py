"""Reads the values of one site: from a list, a column of a CSV file, or the lines of a text file. Stores each value
with its origin, so that errors can mention the origin. `ValueChecker` checks that the contract allows the values.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from brokerfuzz.errors import ReferenceDataError, UnknownNameError, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.sites import JSON_RULE, Rule, join
from brokerfuzz.schemas.structural_validation import registry_of, standard, validator
from brokerfuzz.wording import listed


class KnownCell(NamedTuple):
    """A value with its origin: a file and line, or an argument. `text` is true if the value comes from a text file or a
    CSV file, in which every value is a string.
    """

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


@dataclass(frozen=True)
class CsvTable:
    """A CSV file with the names of its columns. Each row consists of its line number, and of a mapping from column
    names to cells.
    """

    path: Path
    names: Sequence[str]
    rows: Sequence[tuple[int, Mapping[str, str]]]

    def column(self, name: str, origin: str) -> Iterator[KnownCell]:
        """If a row is too short, its missing cells are empty. Raises `ReferenceDataError` if there is no such
        column.
        """
        if name not in self.names:
            remedy = f"{self.path} has {listed(map(repr, self.names))}"
            raise ReferenceDataError(f"{origin}: {UnknownNameError('column', name, self.names, remedy)}")
        return (KnownCell(row.get(name) or "", f"{self.path}:{line}", text=True) for line, row in self.rows)


def table_of(path: Path, origin: str) -> CsvTable:
    """Reads a CSV file whose first line contains the names of the columns."""
    lines = _text(path, origin).splitlines(keepends=True)
    reader = csv.DictReader(lines)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as problem:
        raise ReferenceDataError(f"{path}:{reader.line_num}: this is not CSV ({problem}): correct the line") from None
    if rows and not reader.fieldnames:
        raise ReferenceDataError(f"{origin}: the first line of {path} is empty: write the names of the columns there")
    if not rows:
        raise ReferenceDataError(f"{origin}: {path} has no rows: add rows below the header line")
    return CsvTable(path, list(reader.fieldnames or ()), rows)


def lines_of(path: Path, origin: str) -> list[KnownCell]:
    """Reads a text file with one value per line, and ignores empty lines."""
    lines = enumerate(_text(path, origin).splitlines(), 1)
    return [KnownCell(line, f"{path}:{number}", text=True) for number, line in lines if line]


def cells_of(values: Sequence[Any], origin: str) -> list[KnownCell]:
    for value in values:
        if not isinstance(value, str | int | float):
            raise ReferenceDataError(
                f"{origin}: {quoted(value)} is not a string, a number or a boolean: correct this value"
            )
    return [KnownCell(value, origin) for value in values]


def _text(path: Path, origin: str) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except OSError as problem:
        raise ReferenceDataError(
            f"{origin}: {path} cannot be read: {problem.strerror or problem}; specify a readable file"
        ) from None
    except UnicodeDecodeError as problem:
        raise ReferenceDataError(
            f"{origin}: {path} is not UTF-8 at byte {problem.start + 1:,}: save the file as UTF-8"
        ) from None


# ------------------------------------------------------------------------------------------------------ allowed values

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
        files = registry_of(contract.schemas)
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
