"""Finds the line number of each key in a TOML file, because Python's parser does not report line numbers."""

import re
import tomllib
from collections.abc import Mapping

Table = int | None
"""The place of a key: 0 for the first table `[[rows]]`, 1 for the second one, and None outside these tables."""
_ROWS = re.compile(r"\s*\[\[.*\brows\b.*\]\]")


def lines_of_keys(text: str) -> Mapping[tuple[Table, str], int]:
    """Maps each key, with its table, to its line number. The key `""` means the line `[[rows]]` at the beginning of the
    table.
    """
    found: dict[tuple[Table, str], int] = {}
    table: Table = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("[["):
            table = (-1 if table is None else table) + 1 if _ROWS.match(line) else table
            found[table, ""] = number
        elif (key := _key(line)) is not None:
            found.setdefault((table, key), number)
    return found


def _key(line: str) -> str | None:
    name, equals, _ = line.partition("=")
    if not equals:
        return None
    try:
        return next(iter(tomllib.loads(f"{name}= 0")), None)
    except tomllib.TOMLDecodeError:
        return None
