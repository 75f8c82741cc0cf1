"""Defines limits for changed contracts, so that no contract needs hours to compile or gigabytes of memory for a message. The
limits are far above the needs of any real contract. A contract above a limit is rejected before anything is compiled.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from brokerfuzz.errors import ContractError

LARGEST_FILE = 1 << 20
"""The maximum size of a file of a contract, in bytes."""
LARGEST_BOUND = {"minItems": 100, "minProperties": 100, "minLength": 10_000, "maxItems": 100_000, "maxProperties": 100_000, "maxLength": 10_000_000}
"""The maximum value of each keyword. Larger values would need messages with too many items or characters."""
MOST = {"enum": 200, "required": 300, "properties": 300, "anyOf": 50, "oneOf": 50, "allOf": 50}
"""The maximum number of entries of a keyword in a whole file, because each entry adds cases to the catalogue."""


def check_size(path: Path) -> None:
    """Raises `ContractError` if a file is too large to be part of a contract."""
    if (size := path.stat().st_size) > LARGEST_FILE:
        raise ContractError(f"{path} has {size:,} bytes, and the limit is {LARGEST_FILE:,}: shorten the file")


def check_limits(schema: Any, path: Path) -> None:
    """Raises `ContractError` if a bound or a list in a schema exceeds a limit."""
    counts = dict.fromkeys(MOST, 0)
    for part in _objects(schema):
        for keyword, most in LARGEST_BOUND.items():
            value = part.get(keyword)
            if isinstance(value, int | float) and value > most:
                raise ContractError(f'{path} contains "{keyword}": {value:,}, and the limit is {most:,}: use a smaller number')
        for keyword, most in MOST.items():
            value = part.get(keyword)
            counts[keyword] += len(value) if isinstance(value, list | Mapping) else 0
            if counts[keyword] > most:
                raise ContractError(f'{path} has more than {most:,} entries in "{keyword}", which is the limit for a file: remove some')


def _objects(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yields each JSON object in a schema, from the outside to the inside."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
