"""Reads the values of one site: from a list, a column of a CSV file, or the lines of a text file. Stores each value
with its origin, so that errors can mention the origin.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from brokerfuzz.errors import ReferenceDataError, UnknownNameError, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.wording import listed

_INTEGER, _NUMBER = (
    re.compile(r"-?(?:0|[1-9][0-9]{0,400})", re.ASCII),
    re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII),
)


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
        if types & {"integer", "number"} and (_NUMBER if "number" in types else _INTEGER).fullmatch(self.value):
            return int(self.value) if _INTEGER.fullmatch(self.value) else float(self.value)
        if "boolean" in types and self.value in ("true", "false"):
            return self.value == "true"
        return self.value


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


def cells_of(values: Sequence[Any], origins: Sequence[str]) -> list[KnownCell]:
    for value, origin in zip(values, origins, strict=True):
        if not isinstance(value, str | int | float):
            raise ReferenceDataError(
                f"{origin}: {quoted(value)} is not a string, a number or a boolean: correct this value"
            )
    return [KnownCell(value, origin) for value, origin in zip(values, origins, strict=True)]


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
