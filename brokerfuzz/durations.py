"""Parses durations with units: `500ms`, `90s`, `10m`, `1h30m`. The command line and configurations use the same
syntax.
"""

import re
from typing import Any

import click

FORMS = "500ms, 90s, 10m or 1h30m"
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = r"([0-9]+(?:\.[0-9]+)?)(h|ms|m|s)"


def seconds_of(text: str) -> float:
    """Raises `ValueError` if the text is not a duration."""
    if re.fullmatch(f"({_PART})+", text) is None:
        problem = "has no unit" if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) else "is not a duration"
        raise ValueError(f"{text!r} {problem}: use a duration such as {FORMS}")
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PART, text))
    if not 0 < seconds < float("inf"):
        raise ValueError(f"{text!r} is too {'long' if seconds else 'short'}: use a duration such as {FORMS}")
    return seconds


class Duration(click.ParamType[float]):
    """A click type for options that are durations. The value of the option is in seconds. With `off=True`, users can
    write `off` for 0 seconds.
    """

    name = "duration"

    def __init__(self, *, off: bool = False) -> None:
        self._off = off

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parses a value from the command line or a configuration. A default value that is already in seconds stays
        unchanged.
        """
        if isinstance(value, float):
            return value
        if self._off and value == "off":
            return 0.0
        try:
            return seconds_of(value)
        except ValueError as problem:
            alternative = ", or the value off" if self._off else ""
            self.fail(f"{problem}{alternative}", param, ctx)
