"""Writes values as Python literals."""

from typing import Any


def in_words(value: Any) -> str:
    """Returns a string unchanged, and any other value as a literal in ASCII.

    If the literal contained other characters, the result would depend on the Unicode version of Python.
    """
    return value if isinstance(value, str) else ascii(value)
