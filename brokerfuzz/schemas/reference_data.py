"""Reads reference data, which lists the values that a target knows, from a TOML file or a mapping, and checks that the
contract allows these values.

    "*.productId" = ["P-1", "P-2"]
    "categoryIds[]" = {lines = "categories.txt"}
    "data.customerId" = {csv = "customers.csv", column = "id"}

A `*` matches any characters.
"""

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from brokerfuzz.errors import ReferenceDataError, UnknownNameError, path_in, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.name_patterns import name_pattern
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.known_values import KnownValues
from brokerfuzz.schemas.rule import JSON_RULE
from brokerfuzz.schemas.validation import registry_of, standard, validator
from brokerfuzz.wording import listed

_SEPARATORS = ",;\t"
"""The characters that spreadsheets write between columns. A semicolon is usual where numbers have a decimal comma."""
_REMEDY = "specify a file with known values"
_SECTIONS = (("values",), ("tool", "brokerfuzz", "values"))
"""The tables of a configuration file that contain reference data."""
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


def known_values(source: str | Path | Mapping[str, Any], contract: Contract) -> KnownValues:
    """Reads reference data from a TOML file, from the section `[values]` of a configuration, or from a mapping with the
    same content.

    Raises `ReferenceDataError`, which names the file and the entry (or the line of a CSV file) with the problem.
    """
    if isinstance(source, Mapping):
        return _Reader(contract, source, Path(), None).read()
    path = Path(path_in("values", source))
    try:
        content = tomllib.loads(read_file(path, ReferenceDataError, _REMEDY).decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise ReferenceDataError(f"{path} is not TOML ({' '.join(str(problem).split())}): correct the file") from None
    return _Reader(contract, _section(content), path.parent, path).read()


def check_values(values: KnownValues, contract: Contract) -> None:
    """Raises `ReferenceDataError` if the contract lacks a site of the reference data, or does not allow a value. This
    can happen because the reference data can come from a journal that another person created.
    """
    for message_type, sites in contract.sites.items():
        for path, known_values in values.used(message_type).items():
            if path not in sites:
                raise ReferenceDataError(f"reference data: {_unknown_site(path, sites)}")
            check = ValueChecker(contract, message_type, path, "reference data")
            for value in known_values:
                check.value_of(Cell(value, "reference data"))


def _section(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the table that contains the reference data: a section of a configuration, or the whole file."""
    for names in _SECTIONS:
        section: Any = content
        for name in names:
            section = section.get(name) if isinstance(section, dict) else None
        if isinstance(section, dict) and not {"csv", "lines"} & section.keys():
            return section
    return content


def _unknown_site(path: str, sites: Mapping[str, Any]) -> UnknownNameError:
    return UnknownNameError("site", path, sites, "`brokerfuzz rules` lists the sites")


@dataclass
class _Reader:
    contract: Contract
    content: Mapping[str, Any]
    folder: Path
    path: Path | None
    sites: dict[str, dict[str, list[Any]]] = field(default_factory=dict)

    def read(self) -> KnownValues:
        for key, entry in self.content.items():
            self._add(key, self._cells(entry, key), self._origin(key))
        if not self.sites:
            raise ReferenceDataError(
                f'{self.path or "values"}: no site has values: add a line such as "*.productId" = ["P-1", "P-2"]'
            )
        return KnownValues.of(self.sites)

    def _origin(self, key: str) -> str:
        """Names the place of an entry, such as `values.toml, 'number'`."""
        return f"values[{key!r}]" if self.path is None else f"{self.path}, {key!r}"

    def _cells(self, entry: Any, key: str) -> Sequence[Cell]:
        """Returns the values that an entry contains: a list, a column of a CSV file, or the lines of a text file."""
        origin = self._origin(key)
        match entry:
            case {"csv": str(name), "column": str(column), **others} if not others:
                cells = _column(self.folder / name, column, origin)
            case {"lines": str(name), **others} if not others:
                path = self.folder / name
                lines = enumerate(_text(path, origin).splitlines(), 1)
                cells = [Cell(line, f"{path}:{number}", text=True) for number, line in lines if line]
            case [*values]:
                cells = [Cell(value, origin) for value in values]
            case _:
                remedy = (
                    'use ["P-1", "P-2"], {csv = "FILE", column = "NAME"} or {lines = "FILE"}, and put quotes '
                    "around a site with dots"
                )
                raise ReferenceDataError(f"{origin}: {quoted(entry)} is not a list of values: {remedy}")
        if not cells:
            raise ReferenceDataError(f"{origin}: {key} has no values: add values, or remove the entry")
        return cells

    def _add(self, key: str, cells: Sequence[Cell], origin: str) -> None:
        for message_type, path in self._found(key, origin):
            if path in self.sites.setdefault(message_type, {}):
                raise ReferenceDataError(
                    f"{origin}: {path} of {message_type} already has values: remove one of the two entries"
                )
            check = ValueChecker(self.contract, message_type, path, origin)
            values = [check.value_of(cell) for cell in cells]
            self.sites[message_type][path] = list({(type(value), value): value for value in values}.values())

    def _found(self, key: str, origin: str) -> Iterator[tuple[str, str]]:
        """Yields each site that matches a key of the reference data, with its message type. A key with `*` does not
        match the sites of objects and arrays.
        """
        fits, paths, is_found = name_pattern(key).fullmatch, dict[str, None](), False
        for message_type, sites in self.contract.sites.items():
            paths |= dict.fromkeys(path for path in sites if path)
            for path, site in sites.items():
                if path and (path == key or (fits(path) and not types_of(site.schema) & {"array", "object"})):
                    is_found = True
                    yield message_type, path
        if not is_found:
            raise ReferenceDataError(f"{origin}: {_unknown_site(key, paths)}")


# ---------------------------------------------------------------------------------------------------------------- files


def _text(path: Path, origin: str) -> str:
    contents = read_file(path, lambda line: ReferenceDataError(f"{origin}: {line}"), _REMEDY)
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ReferenceDataError(
            f"{origin}: {path} is not UTF-8 at byte {problem.start + 1:,}: save the file as UTF-8"
        ) from None


def _column(path: Path, name: str, origin: str) -> list[Cell]:
    """Returns the cells of a column of a CSV file, whose first line names the columns. Empty cells are left out."""
    lines = _text(path, origin).splitlines(keepends=True)
    separator = max(_SEPARATORS, key=lines[0].count) if lines else ","
    reader = csv.DictReader(lines, delimiter=separator)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as problem:
        raise ReferenceDataError(f"{path}:{reader.line_num}: this is not CSV ({problem}): correct the line") from None
    if not rows:
        raise ReferenceDataError(f"{origin}: {path} has no rows: add rows below a line with the names of the columns")
    columns = reader.fieldnames or ()
    if name not in columns:
        remedy = f"{path} has {listed(map(repr, columns))}" if columns else f"the first line of {path} is empty"
        raise ReferenceDataError(f"{origin}: {UnknownNameError('column', name, columns, remedy)}")
    return [Cell(row[name], f"{path}:{line}", text=True) for line, row in rows if row[name]]


# --------------------------------------------------------------------------------------------------------------- values


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
