"""Reads the values of options. Each function accepts the form of the command line (text), of the configuration (TOML),
and of the Python API, and raises `WrongValueError` for other values.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from brokerfuzz.option import WrongValueError
from brokerfuzz.wording import listed

Read = Callable[[Any], Any]

DURATIONS = "500ms, 90s, 10m or 1h30m"
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION_PART = r"([0-9]+(?:\.[0-9]+)?)(h|ms|m|s)"
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_STATUS = re.compile(r"[1-9]([0-9][0-9]|[xX][xX])")


def text(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    raise WrongValueError(value, "a string that is not empty")


def text_like(pattern: str, expected: str) -> Read:
    """Returns a reader of strings that match the whole pattern."""

    def read(value: Any) -> str:
        if isinstance(value, str) and re.fullmatch(pattern, value):
            return value
        raise WrongValueError(value, expected)

    return read


def path(value: Any) -> str:
    if isinstance(value, str | Path) and str(value):
        return str(value)
    raise WrongValueError(value, "the path of a file")


def switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise WrongValueError(value, "true or false")


def one_of(names: tuple[str, ...]) -> Read:
    def read(value: Any) -> str:
        if isinstance(value, str) and value in names:
            return value
        raise WrongValueError(value, listed(names, "or"))

    return read


def each(read: Read, *, empty: bool = True, repeats: bool = False) -> Read:
    """Returns a reader of lists, whose items `read` reads. Unless `repeats` is true, the result contains each item
    once.
    """

    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or not (value or empty):
            raise WrongValueError(value, "a list" if empty else "a list that is not empty")
        items = tuple(map(read, value))
        return items if repeats else tuple(dict.fromkeys(items))

    return read_all


def whole_number(minimum: int | None = None, maximum: int | None = None) -> Read:
    limits = (
        f" from {minimum:,} to {maximum:,}"
        if minimum is not None and maximum is not None
        else "" if minimum is None else f" of at least {minimum:,}"
    )  # fmt: skip

    def read(value: Any) -> int:
        expected = f"a whole number{limits}"
        number = _number(value, expected)
        if not number.is_integer() or (minimum is not None and number < minimum):
            raise WrongValueError(value, expected)
        if maximum is not None and number > maximum:
            raise WrongValueError(value, expected)
        return int(value)

    return read


def workers(value: Any) -> int | str:
    """Reads a number of processes, or the address of a Dask scheduler."""
    if isinstance(value, str) and "://" in value:
        return value
    try:
        number: int = whole_number(1, 999)(value)
    except WrongValueError as problem:
        expected = f"{problem.expected}, or the address of a Dask scheduler, such as tcp://127.0.0.1:8786"
        raise WrongValueError(value, expected) from None
    return number


def above_zero(value: Any) -> float:
    expected = "a finite number above 0, such as 2.5"
    number = _number(value, expected)
    if not 0 < number < float("inf"):
        raise WrongValueError(value, expected)
    return number


def _number(value: Any, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise WrongValueError(value, expected)
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise WrongValueError(value, expected) from None


def duration(value: Any) -> float:
    """Returns a duration in seconds. A number is a number of seconds, but text needs a unit."""
    expected = f"a duration with its unit, such as {DURATIONS}"
    if not isinstance(value, str):
        return above_zero(value)
    if re.fullmatch(f"({_DURATION_PART})+", value) is None:
        raise WrongValueError(value, expected)
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_DURATION_PART, value))
    if not 0 < seconds < float("inf"):
        raise WrongValueError(value, f"a {'shorter' if seconds else 'longer'} duration, such as {DURATIONS}")
    return seconds


def duration_or_off(value: Any) -> float:
    """Returns 0 for `off` and for the number 0."""
    if value == "off" or (value == 0 and not isinstance(value, bool)):
        return 0.0
    try:
        return duration(value)
    except WrongValueError as problem:
        raise WrongValueError(value, f"{problem.expected}, or off") from None


def time(value: Any) -> datetime:
    """Reads an RFC 3339 timestamp."""
    expected = "an RFC 3339 timestamp, such as 2025-06-15T12:00:00Z"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise WrongValueError(value, f"a time with a time zone: {expected}")
        return value
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            return datetime.fromisoformat(value.upper())
        except ValueError:
            pass
    raise WrongValueError(value, expected)


def status_codes(value: Any) -> tuple[str, ...]:
    """Reads status codes and classes of them: `200,4xx`, or a list."""
    expected = "status codes such as 201, or classes such as 2xx"
    codes = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(codes, list | tuple) or not codes:
        raise WrongValueError(value, expected)
    for code in codes:
        if isinstance(code, bool) or not _STATUS.fullmatch(_spelled(code)):
            raise WrongValueError(code, expected)
    return tuple(_spelled(code).lower() for code in codes)


def _spelled(code: Any) -> str:
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def headers(value: Any) -> tuple[tuple[str, str], ...]:
    """Reads lines such as `NAME:VALUE`, pairs, or a table."""
    expected = "NAME:VALUE, with the name of a header such as X-API-Key"
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple):
        raise WrongValueError(value, expected)
    fields = []
    for pair in pairs:
        name, colon, content = pair.partition(":") if isinstance(pair, str) else _pair(pair, expected)
        if not (colon and name.strip() and isinstance(content, str)):
            raise WrongValueError(pair, expected)
        fields.append((name.strip(), content.strip()))
    return tuple(fields)


def _pair(pair: Any, expected: str) -> tuple[str, str, Any]:
    if isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str):
        return pair[0], ":", pair[1]
    raise WrongValueError(pair, expected)


def policies(value: Any) -> dict[str, Any]:
    """Reads lines such as `AMBIGUITY=INTERPRETATION`, or a table."""
    if isinstance(value, Mapping):
        for name in value:
            text(name)
        for policy in value.values():
            items = policy if isinstance(policy, list | tuple) and policy else [policy]
            if not all(isinstance(item, str | int) and not isinstance(item, bool) for item in items):
                raise WrongValueError(policy, "an interpretation (a string or a number of seconds), or a list of them")
        return dict(value)
    chosen: dict[str, Any] = {}
    for line in value if isinstance(value, list | tuple) else [value]:
        ambiguity, equals, interpretation = line.partition("=") if isinstance(line, str) else ("", "", "")
        if not (ambiguity and equals and interpretation):
            raise WrongValueError(line, "AMBIGUITY=INTERPRETATION, such as clock-tolerance=30")
        if chosen.setdefault(ambiguity, interpretation) != interpretation:
            both = f"{ambiguity}={chosen[ambiguity]},{interpretation}"
            raise WrongValueError(line, f"either {ambiguity}={chosen[ambiguity]}, or {both} to allow both")
    return chosen


def command_line(value: Any) -> str:
    """Reads a command: one string, or a list of words."""
    if isinstance(value, list | tuple) and value and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    if isinstance(value, str):
        return value
    raise WrongValueError(value, "a command, or a list of its words")


def percentage(value: Any) -> float:
    expected = "a number from 0 to 100"
    number = _number(value, expected)
    if not 0 <= number <= 100:
        raise WrongValueError(value, expected)
    return number
