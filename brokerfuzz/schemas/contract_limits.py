"""Defines limits for changed contracts, so that no contract needs hours of processor time or gigabytes of memory.

The limits are far above the size of realistic contracts. A contract that exceeds a limit is rejected before its schemas
are compiled, because compiling cannot be interrupted. The environment variable `BROKERFUZZ_CONTRACT_LIMITS` multiplies
all limits.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import jsonschema_rs

from brokerfuzz.errors import ContractError
from brokerfuzz.schemas.structural_validation import PATTERNS

LARGEST_FILE = 1 << 20
"""The maximum size of a file of a contract, in bytes."""
LARGEST_BOUND = {
    "minItems": 100, "minProperties": 100, "minContains": 100, "minLength": 10_000,
    "maxItems": 10_000, "maxProperties": 10_000, "maxLength": 1_000_000,
}  # fmt: skip
"""The maximum value of each keyword. For a larger value, brokerfuzz would generate too many items, properties or
characters.
"""
MOST = {"enum": 200, "required": 300, "properties": 300, "anyOf": 50, "oneOf": 50, "allOf": 50}
"""The maximum number of entries of each keyword in a file, because each entry adds cases to the catalogue."""
MOST_REFERENCES = 2000
"""The maximum number of references that are followed in a file. A short file can need many references: if A refers
twice to B, and B refers twice to C, then C is resolved four times.
"""
MOST_VALUES = 2000
"""The maximum number of values in a message with all properties. Each array has `minItems` items, or one item if
`minItems` is 0 or missing.
"""
MOST_LEVELS = 64
"""The maximum depth of nested arrays and objects in a message."""
SMALLEST_STEP = 1e-12
"""The minimum value of `multipleOf`. Smaller steps would exceed the precision of doubles: the next double after 1000 is
larger by 1e-13.
"""
SECONDS = 2.0
"""The maximum processor time, in seconds, for generating the values of one place of a message."""
PATTERN_SECONDS = 5
"""The maximum time, in seconds, for compiling the patterns of a file."""
LONGEST_PATTERN = 1000
"""The maximum length of a pattern, because the compiling of one pattern cannot be interrupted."""

VARIABLE = "BROKERFUZZ_CONTRACT_LIMITS"
MORE = f"or multiply all limits by 10 with the environment variable {VARIABLE}=10"


def limit(number: float) -> float:
    """Multiplies a limit by the factor in the environment variable. Raises `ContractError`."""
    factor = os.environ.get(VARIABLE) or "1"
    if not factor.isascii() or not factor.isdecimal() or int(factor) < 1:
        raise ContractError(
            f"the environment variable {VARIABLE} is {factor[:40]!r}: use a whole number of at least 1, such as 10"
        )
    return number * int(factor)


def _check(number: float, most: float, what: str, remedy: str) -> None:
    if number > limit(most):
        raise ContractError(f"{what}, and the limit is {limit(most):,}: {remedy}, {MORE}")


def check_size(path: Path, largest: int) -> None:
    """Raises `ContractError` if a file is too large to be part of a contract."""
    size = path.stat().st_size
    _check(size, largest, f"{path} has {size:,} bytes", "shorten the file")


def check_limits(schema: Any, path: Path) -> None:
    """Raises `ContractError` if a bound or a list in a schema exceeds a limit."""
    counts = dict.fromkeys(MOST, 0)
    for part in objects_in(schema):
        for keyword, most in LARGEST_BOUND.items():
            value = part.get(keyword)
            if isinstance(value, int | float):
                _check(value, most, f'{path} contains "{keyword}": {value:,}', "use a smaller number")
        for keyword, most in MOST.items():
            value = part.get(keyword)
            counts[keyword] += len(value) if isinstance(value, list | Mapping) else 0
            _check(
                counts[keyword], most, f'{path} has {counts[keyword]:,} entries in "{keyword}"', "remove some entries"
            )
        if isinstance(step := part.get("multipleOf"), int | float) and 0 < step < SMALLEST_STEP:
            raise ContractError(
                f'{path} contains "multipleOf": {step}, and the smallest possible step is {SMALLEST_STEP}: use a '
                "larger step"
            )


def check_references(count: int, path: Path) -> None:
    """Raises `ContractError` if too many references were followed."""
    _check(count, MOST_REFERENCES, f"{path} has {count:,} or more references ($ref)", "use fewer references")


def check_values(flat: Mapping[str, Any], path: Path) -> None:
    """Raises `ContractError` if the shortest message with all properties is too deep or too large."""
    levels, values = _levels(flat), _values(flat)
    _check(levels, MOST_LEVELS, f"{path} has {levels} levels of nested arrays and objects", "reduce the nesting")
    _check(
        values,
        MOST_VALUES,
        f"{path} needs {values:,} values in a message, even with the shortest arrays",
        "use a smaller minItems or fewer properties",
    )


# ------------------------------------------------------------------------------------------------------------ patterns


def check_patterns(schema: Any, path: Path) -> None:
    """Compiles the patterns (regular expressions) of a schema one after the other. Raises `ContractError` if this
    exceeds a limit.

    Only patterns need much time: jsonschema-rs compiles a schema of 1 MB without patterns in 0.2 s. It limits the
    memory of a pattern, and a pattern of 1,000 characters needs less than a second.
    """
    end = process_time() + limit(PATTERN_SECONDS)
    for pattern in sorted(set(_patterns_in(schema))):
        _check(len(pattern), LONGEST_PATTERN, f"{path} has a pattern of {len(pattern):,} characters", "shorten it")
        with suppress(jsonschema_rs.ValidationError):  # the caller reports wrong patterns
            jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=PATTERNS)
        if process_time() > end:
            raise ContractError(
                f"the patterns of {path} cannot be compiled within {limit(PATTERN_SECONDS):g} s: use fewer "
                f"repetitions, {MORE}"
            )


def _patterns_in(schema: Any) -> Iterator[str]:
    for part in objects_in(schema):
        pattern, by_pattern = part.get("pattern"), part.get("patternProperties")
        yield from [pattern] if isinstance(pattern, str) else []
        yield from by_pattern if isinstance(by_pattern, Mapping) else []


def _values(flat: Mapping[str, Any]) -> int:
    count = 1 + sum(_values(part) for part in flat.get("properties", {}).values())
    items = max(int(flat.get("minItems", 1)), 1) if isinstance(flat.get("items"), Mapping) else 0
    return count + items * _values(flat["items"]) if items else count


def _levels(flat: Mapping[str, Any]) -> int:
    inner = [*flat.get("properties", {}).values(), *([flat["items"]] if isinstance(flat.get("items"), Mapping) else [])]
    return 1 + max(map(_levels, inner)) if inner else 0


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
