"""Values written as Python literals."""

from typing import Any


def in_words(value: Any) -> str:
    """Returns a string as it is, and any other value as an ASCII literal.

    ASCII is necessary because `str` output depends on the Unicode version of Python.
    """
    return value if isinstance(value, str) else ascii(value)
