"""Values in the words of Python."""

from typing import Any


def in_words(value: Any) -> str:
    """What `str` says of a value; of texts within others their ASCII, because `str` shows the characters that Python's version of Unicode knows."""
    return value if isinstance(value, str) else ascii(value)
