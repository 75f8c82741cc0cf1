"""Writes values and keys as TOML."""

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def spelled(value: Any) -> str:
    """Returns a string, a number, a boolean or an array of such values as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(spelled, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def spelled_key(name: str) -> str:
    """Returns a key as TOML: in quotes if TOML requires quotes for this key."""
    return name if _BARE.fullmatch(name) else spelled(name)


def on_one_line(text: str) -> str:
    """Returns the text as one line, without the characters that TOML forbids in comments."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
