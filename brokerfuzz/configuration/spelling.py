"""How values and keys are spelled in TOML."""

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def spelled(value: Any) -> str:
    """A text, a number, true or false, or an array of them."""
    if isinstance(value, list):
        return f"[{', '.join(map(spelled, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def spelled_key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else spelled(name)


def on_a_line(text: str) -> str:
    """The text as a comment can hold it."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
