"""Damages files but keeps most of their structure, because otherwise readers would find only syntax errors."""

import json
from random import Random
from typing import Any

ODD: list[Any] = [
    None, True, -1, 0, 10**30, 1.5, "", "x", "\ud800", "../../etc/passwd", "touch PWNED", "a" * 5000, [], {}, [[]],
    [None], {"": None},
    [1, "a", {"b": []}], "2026-02-30T00:00:00Z", "offer-creation-request", "http://127.0.0.1:1/",
]  # fmt: skip
"""Values that readers may not expect."""
ODD_BYTES = [b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r\n", b'"', b"{", b"]", b"[" * 3000, b"1e999"]


def damaged(content: bytes, random: Random) -> bytes:
    """Makes one to three changes. If the file contains JSON, most changes concern a value in the JSON. The other
    changes concern bytes.
    """
    for _ in range(random.randint(1, 3)):
        lines = content.split(b"\n")
        number = random.choice([0, random.randrange(len(lines))])
        parts = (
            (b"", content, b""),
            (_joined([*lines[:number], b""]), lines[number], _joined([b"", *lines[number + 1 :]])),
        )
        start, text, rest = next((part for part in parts if _is_json(part[1])), parts[0])
        if _is_json(text) and random.random() < 0.8:
            content = start + json.dumps(_changed(json.loads(text), random)).encode() + rest
        else:
            at, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
            content = (
                content[:at] + random.choice(ODD_BYTES) + content[random.choice([at, at + 1, end, len(content)]) :]
            )
    return content


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines)


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _changed(value: Any, random: Random) -> Any:
    """Returns the value with one change at a random depth."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.15:
        return random.choice(ODD)
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy = value.copy()
    kind = random.random()
    if kind < 0.6:
        copy[key] = _changed(value[key], random)
    elif kind < 0.75:
        del copy[key]
    elif isinstance(copy, dict):
        copy[random.choice(["x", "exec", "url", "__class__", f"{key}s"])] = random.choice([value[key], *ODD])
    else:
        copy.insert(key, random.choice([value[key], *ODD]))
    return copy
