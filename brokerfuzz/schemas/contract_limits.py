"""Defines limits for own contracts, so that no contract needs hours of processor time or gigabytes of memory.

The limits are far above the size of realistic contracts. They are checked before the schemas are compiled, because
compiling cannot be interrupted.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import prod
from pathlib import Path
from time import process_time
from typing import Any

import jsonschema_rs

from brokerfuzz.errors import ContractError
from brokerfuzz.schemas.keywords import KEYWORDS, Schema
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.validation import PATTERNS

LARGEST_FILE = 1 << 20
"""The maximum size of a file of a contract, in bytes."""
MOST_REFERENCES = 10_000
"""The maximum number of references that are followed in a file. A short file can need many references: if A refers
twice to B, and B refers twice to C, then C is resolved four times.
"""
MOST_VALUES = 10_000
"""The maximum number of values in a message with all properties. Each array has `minItems` items, or one item if
`minItems` is 0 or missing.
"""
MOST_LEVELS = 64
"""The maximum depth of nested arrays and objects in a message."""
PATTERN_SECONDS = 5
"""The maximum processor time, in seconds, for compiling the patterns of a file."""


def _check_limit(number: float, most: float, what: str, remedy: str) -> None:
    if number > most:
        raise ContractError(f"{what}, and the limit is {most:,}: {remedy}")


def check_size(path: Path) -> None:
    """Raises `ContractError` if a file is too large to be part of a contract."""
    size = path.stat().st_size
    _check_limit(size, LARGEST_FILE, f"{path} has {size:,} bytes", "shorten the file")


def check_bounds(schema: Any, path: Path) -> None:
    """Raises `ContractError` if a schema needs messages that are too large."""
    for part in objects_in(schema):
        for name, value in part.items():
            most = KEYWORDS[name].largest if name in KEYWORDS else None
            if most is not None and isinstance(value, int | float):
                _check_limit(value, most, f'{path} contains "{name}": {value:,}', "use a smaller number")


def check_references(count: int, path: Path) -> None:
    """Raises `ContractError` if too many references were followed."""
    _check_limit(count, MOST_REFERENCES, f"{path} has {count:,} or more references ($ref)", "use fewer references")


def check_values(flat: Schema, path: Path) -> None:
    """Raises `ContractError` if the shortest message with all properties is too deep or too large."""
    sites = list(Site("", flat).all())
    levels = max(len(site.steps) for site in sites)
    _check_limit(levels, MOST_LEVELS, f"{path} has {levels} levels of nested arrays and objects", "reduce the nesting")
    values = sum(prod(max(int(array.schema.get("minItems", 1)), 1) for array in site.arrays) for site in sites)
    what = f"{path} needs {values:,} values in a message, even with the shortest arrays"
    _check_limit(values, MOST_VALUES, what, "use a smaller minItems or fewer properties")


def check_patterns(schema: Any, path: Path) -> None:
    """Compiles the patterns (regular expressions) of a schema one after the other. Raises `ContractError` if this
    exceeds the time limit.

    Only patterns need much time: jsonschema-rs compiles a schema of 1 MB without patterns in 0.2 s. It limits the
    memory of each pattern, but a file of 1 MB has room for thousands of them.
    """
    end = process_time() + PATTERN_SECONDS
    for pattern in sorted(set(_patterns_in(schema))):
        with suppress(jsonschema_rs.ValidationError):  # the caller reports wrong patterns
            jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=PATTERNS)
        if process_time() > end:
            raise ContractError(
                f"the patterns of {path} cannot be compiled within {PATTERN_SECONDS} s: use fewer repetitions"
            )


def _patterns_in(schema: Any) -> Iterator[str]:
    for part in objects_in(schema):
        pattern, by_pattern = part.get("pattern"), part.get("patternProperties")
        yield from [pattern] if isinstance(pattern, str) else []
        yield from by_pattern if isinstance(by_pattern, Mapping) else []


def objects_in(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yields each JSON object in a schema. An object comes before the objects inside it."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
