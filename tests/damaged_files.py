"""Damages files but keeps most of their structure, because otherwise readers would find only syntax errors."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

ODD: list[Any] = [
    None, True, -1, 0, 10**30, 1.5, "", "x", "\ud800", "../../etc/passwd", "touch PWNED", "a" * 5000, [], {}, [[]],
    [None], {"": None},
    [1, "a", {"b": []}], "2026-02-30T00:00:00Z", "offer-creation-request", "http://127.0.0.1:1/",
]  # fmt: skip
"""Values that readers may not expect."""

Damage = Callable[[Any, Random], Any]


def damaged(content: bytes, random: Random) -> bytes:
    """Makes one to three changes. If the file contains JSON, most changes concern a value in the JSON. The other
    changes concern bytes.
    """
    for _ in range(random.randint(1, 3)):
        content = (_with_damaged_json if random.random() < 0.8 else _with_damaged_bytes)(content, random)
    return content


def _with_damaged_json(content: bytes, random: Random) -> bytes:
    """Damages a value in the file. If the content is not JSON, damages bytes."""
    lines = content.split(b"\n")
    number = random.choice([0, random.randrange(len(lines))])
    for start, text, rest in (
        (b"", content, b""),
        (b"\n".join([*lines[:number], b""]), lines[number], b"\n".join([b"", *lines[number + 1 :]])),
    ):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return start + json.dumps(_changed(value, random), ensure_ascii=True).encode() + rest
    return _with_damaged_bytes(content, random)


def _changed(value: Any, random: Random) -> Any:
    """Returns the value with one change at a random depth."""
    if isinstance(value, dict | list) and value and random.random() < 0.85:
        return _with_changed_child(value, random)
    return random.choice(ODD)


def _with_changed_child(value: Any, random: Random) -> Any:
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


def _with_damaged_bytes(content: bytes, random: Random) -> bytes:
    at, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
    piece = content[at : min(end, at + 200)]
    return random.choice([
        content[:at],
        content[:at] + content[at + 1 :],
        content[:at] + random.choice([b"\0", b"\xff", b"\xef\xbb\xbf", b"\r\n", b'"', b"{", b"]", b"[" * 3000,
        b"1e999"]) + content[at:],
        content[:at] + piece + content[at:],
        content[:at] + content[at + len(piece) :],
        b"\n".join(reversed(content.split(b"\n"))),
    ])  # fmt: skip
