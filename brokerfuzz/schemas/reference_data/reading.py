"""Reads a file or a mapping with reference data, and finds the sites of each entry."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brokerfuzz.errors import ReferenceDataError, UnknownNameError, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.name_patterns import name_pattern
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.known_values import KnownValues
from brokerfuzz.schemas.reference_data.cells import KnownCell, ValueChecker, cells_of, lines_of, table_of
from brokerfuzz.schemas.sites import join

ROWS = "rows"
_SECTIONS = (("values",), ("tool", "brokerfuzz", "values"))
"""The tables of a configuration file that contain reference data."""


def known_values(source: str | Path | Mapping[str, Any], contract: Contract) -> KnownValues:
    """Reads reference data from a TOML file, from the section `[values]` of a configuration, or from a mapping with the
    same content.

    Raises `ReferenceDataError`, which names the file and the entry (or the line of a CSV file) with the problem.
    """
    if isinstance(source, Mapping):
        return _Reader(contract, source, Path(), None).read()
    path = Path(source)
    try:
        content = tomllib.loads(read_file(path).decode("utf-8-sig"))
    except OSError as problem:
        raise ReferenceDataError(
            f"{path} cannot be read: {problem.strerror or problem}; specify a readable file"
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ReferenceDataError(f"{path} is not TOML ({' '.join(str(problem).split())}): correct the file") from None
    return _Reader(contract, _section(content), path.parent, path).read()


def check_values(values: KnownValues, contract: Contract) -> None:
    """Raises `ReferenceDataError` if the contract lacks a site of the reference data, or does not allow a value. This
    can happen because the reference data can come from a journal that another person created.
    """
    for message_type, known in contract.sites.items():
        for path, found in values.used(message_type).items():
            if path not in known:
                raise ReferenceDataError(
                    f"reference data: {UnknownNameError('site', path, known, '`brokerfuzz rules` lists the sites')}"
                )
            check = ValueChecker(contract, message_type, path, "reference data")
            for value in found:
                check.value_of(KnownCell(value, "reference data"))


def _section(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the table that contains the reference data: a section of a configuration, or the whole file."""
    for names in _SECTIONS:
        found: Any = content
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, dict) and not {"csv", "lines"} & found.keys():
            return found
    return content


@dataclass
class _Reader:
    contract: Contract
    content: Mapping[str, Any]
    folder: Path
    path: Path | None
    sites: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    rows: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)

    def read(self) -> KnownValues:
        for key, given in self.content.items():
            if key != ROWS:
                self._add(key, self._cells(given, key), self._origin(key))
        tables = self.content.get(ROWS, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise ReferenceDataError(
                f"{self._origin(ROWS)}: rows is not an array of tables: begin each table with the line [[rows]]"
            )
        for number, table in enumerate(tables):
            self._add_rows(number, table)
        if not self.sites:
            raise ReferenceDataError(
                f'{self.path or "values"}: no site has values: add a line such as "*.productId" = ["P-1", "P-2"]'
            )
        return KnownValues.of(self.sites, self.rows)

    def _origin(self, *keys: str | int) -> str:
        """Names the place of an entry, such as `values.toml, 'rows'[0]['csv']`."""
        first, *others = keys
        inside = "".join(f"[{key!r}]" for key in others)
        return f"values[{first!r}]{inside}" if self.path is None else f"{self.path}, {first!r}{inside}"

    # ---------------------------------------------------------------------------------------------------------- values

    def _cells(self, given: Any, key: str) -> Sequence[KnownCell]:
        """Returns the values that an entry contains: a list, a column of a CSV file, or the lines of a text file."""
        origin = self._origin(key)
        match given:
            case {"csv": str(name), "column": str(column), **others} if not others:
                cells = [cell for cell in table_of(self.folder / name, origin).column(column, origin) if cell.value]
            case {"lines": str(name), **others} if not others:
                cells = lines_of(self.folder / name, origin)
            case [*values]:
                cells = cells_of(values, origin)
            case _:
                remedy = (
                    'use ["P-1", "P-2"], {csv = "FILE", column = "NAME"} or {lines = "FILE"}, and put quotes '
                    "around a site with dots"
                )
                raise ReferenceDataError(f"{origin}: {quoted(given)} is not a list of values: {remedy}")
        if not cells:
            raise ReferenceDataError(f"{origin}: {key} has no values: add values, or remove the entry")
        return cells

    def _add(self, key: str, cells: Sequence[KnownCell], origin: str) -> None:
        for message_type, path in self._found(key, origin):
            check = ValueChecker(self.contract, message_type, path, origin)
            self._put(message_type, path, [check.value_of(cell) for cell in cells], origin)

    def _put(self, message_type: str, path: str, values: Sequence[Any], origin: str) -> None:
        if path in self.sites.setdefault(message_type, {}):
            raise ReferenceDataError(
                f"{origin}: {path} of {message_type} already has values: remove one of the two entries"
            )
        self.sites[message_type][path] = list({(type(value), value): value for value in values}.values())

    # ------------------------------------------------------------------------------------------------------------ rows

    def _add_rows(self, number: int, entry: Mapping[str, Any]) -> None:
        """Adds the values of a table `[[rows]]`. Each row of the CSV file contains values for several properties of the
        same object.
        """
        origin, name = self._origin(ROWS, number), entry.get("csv")
        if not isinstance(name, str):
            raise ReferenceDataError(f'{origin}: this table has no file: add a line such as csv = "products.csv"')
        table = table_of(self.folder / name, origin)
        objects: dict[tuple[str, str], dict[str, list[KnownCell]]] = {}
        for key, column in entry.items():
            there = self._origin(ROWS, number, key)
            if key == "csv":
                continue
            if not isinstance(column, str):
                raise ReferenceDataError(
                    f"{there}: {quoted(column)} is not the name of a column: use one of {', '.join(table.names)}"
                )
            for message_type, path in self._found(key, there):
                above, _, prop = path.rpartition(".")
                objects.setdefault((message_type, above), {})[prop] = list(table.column(column, there))
        if not objects:
            raise ReferenceDataError(
                f'{origin}: the columns are not assigned to sites: add a line such as "*.productId" = '
                f"{quoted(table.names[0])}"
            )
        for (message_type, above), columns in objects.items():
            self._add_object(message_type, above, columns, origin)

    def _add_object(
        self, message_type: str, above: str, columns: Mapping[str, Sequence[KnownCell]], origin: str
    ) -> None:
        known = self.contract.sites[message_type]
        if item := next((prop for prop in columns if prop.endswith("[]")), None):
            raise ReferenceDataError(
                f"{origin}: {join(above, item)} is an item of an array, but rows can contain only properties of "
                "objects: remove it from [[rows]], "
                f'and add a line such as "{join(above, item)}" = ["A", "B"] before the first [[rows]]'
            )
        checks = {prop: ValueChecker(self.contract, message_type, join(above, prop), origin) for prop in columns}
        rows: list[dict[str, Any]] = [{} for _ in next(iter(columns.values()))]
        for prop, cells in columns.items():
            for row, cell in zip(rows, cells, strict=True):
                if cell.value:
                    row[prop] = checks[prop].value_of(cell)
                elif known[join(above, prop)].required:
                    raise ReferenceDataError(
                        f"{cell.origin}: the value of {join(above, prop)} is missing, but {message_type} requires "
                        "this property: add a value"
                    )
            if not any(prop in row for row in rows):
                raise ReferenceDataError(
                    f"{origin}: the column of {join(above, prop)} has no values: add values, or remove the entry of "
                    "this column"
                )
        self.rows.setdefault(message_type, {})[above] = [row for row in rows if row]
        for prop in columns:
            self._put(message_type, join(above, prop), [row[prop] for row in rows if prop in row], origin)

    # ----------------------------------------------------------------------------------------------------------- sites

    def _found(self, key: str, origin: str) -> Iterator[tuple[str, str]]:
        """Yields each site that matches a key of the reference data, with its message type. In a key, `*` matches any
        characters. A key with `*` does not match the sites of objects and arrays.
        """
        every = [(message_type, path) for message_type, sites in self.contract.sites.items() for path in sites if path]
        if key in {path for _, path in every}:
            return ((message_type, path) for message_type, path in every if path == key)
        fits = name_pattern(key).fullmatch
        found = [
            (name, path)
            for name, path in every
            if fits(path) and not types_of(self.contract.sites[name][path].schema) & {"array", "object"}
        ]
        if not found:
            known = dict.fromkeys(path for _, path in every)
            raise ReferenceDataError(
                f"{origin}: {UnknownNameError('site', key, known, '`brokerfuzz rules` lists the sites')}"
            )
        return iter(found)
