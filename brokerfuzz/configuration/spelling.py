"""Writes values and keys as TOML."""

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def spelled(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(spelled, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def spelled_key(name: str) -> str:
    """Writes a key as TOML, with quotes if necessary."""
    return name if _BARE.fullmatch(name) else spelled(name)


def on_one_line(text: str) -> str:
    """Converts text to one line, without the characters that TOML forbids in comments."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
