"""Mutants that crash because of certain bytes in a message."""

import json
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.fleet.behaviours import crashes_on_text
from benchmarks.fleet.json_strings import (
    STRING,
    Spoil,
    Test,
    closed,
    first_value,
    is_unreadable,
    text_with,
    tokens_with,
    with_price,
    with_text,
)
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.plain_messages import Ground, written


def candidates(ground: Ground) -> Iterator[Candidate]:
    for name, test, example in _FRAGILE:
        bodies = [example(written(message)) for message in ground.messages]
        yield Candidate("reader", f"crashes on {name}", "", "", None, crashes_on_text(test), bodies)


def _deeper_than(most: int) -> Test:
    def test(body: bytes) -> bool:
        depth = 0
        for bracket in re.findall(rb"[\[\]{}]", re.sub(STRING, b"", body)):
            depth += 1 if bracket in b"[{" else -1
            if depth > most:
                return True
        return False

    return test


def _repeats(body: bytes) -> bool:
    found = False

    def pairs(props: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        found = found or len(dict(props)) < len(props)
        return dict(props)

    try:
        json.loads(body, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return found


def _begins_well(body: bytes) -> bool:
    try:
        first_value(body)
    except (ValueError, RecursionError):
        return False
    return is_unreadable(body)


_FRAGILE: tuple[tuple[str, Test, Spoil], ...] = (
    ("anything that is not JSON", is_unreadable, lambda b: b[:-1]),
    ("no bytes at all", lambda b: not b, lambda _: b""),
    ("only white space", lambda b: b and not b.strip(), lambda _: b"  "),
    ("truncated JSON", lambda b: is_unreadable(b) and not is_unreadable(closed(b)), lambda b: b[:-1]),
    ("trailing text", _begins_well, lambda b: b + b" x"),
    ("a depth of more than 50", _deeper_than(50), lambda b: b[:-1] + b', "a": ' + b"[" * 60 + b"]" * 60 + b"}"),
    ("a depth of more than 500", _deeper_than(500), lambda b: b[:-1] + b', "a": ' + b"[" * 600 + b"]" * 600 + b"}"),
    (
        "a depth of more than 10000",
        _deeper_than(10_000),
        lambda b: b[:-1] + b', "a": ' + b"[" * 12_000 + b"]" * 12_000 + b"}",
    ),
    ("NUL escapes", text_with(rb"\\u0000"), with_text(rb"a\u0000b")),
    ("raw NUL", text_with(rb"\0"), with_text(b"a\0b")),
    (
        "lone surrogates",
        text_with(rb"(?i)(?<!\\)\\ud[89ab][0-9a-f]{2}(?!\\ud)|\\ud8[0-9a-f]{2}\\u(?!d)"),
        with_text(rb"\ud800"),
    ),
    ("lone low surrogates", text_with(rb"(?i)(?<!\\ud8[0-9a-f]{2})\\ud[cdef][0-9a-f]{2}"), with_text(rb"\udc00")),
    ("pairs of surrogates", text_with(rb"(?i)\\ud8[0-9a-f]{2}\\ud[c-f]"), with_text(rb"\ud83d\ude00")),
    ("a byte order mark", text_with(rb"\A\xef\xbb\xbf"), lambda b: b"\xef\xbb\xbf" + b),
    ("bytes that are not UTF-8", lambda b: b.decode("utf-8", "ignore").encode() != b, with_text(b"\xff")),
    ("UTF-16", lambda b: b"\0" in b[:2] or b[:2] in (b"\xff\xfe", b"\xfe\xff"), lambda b: b.decode().encode("utf-16")),
    ("numbers of more than 20 digits", tokens_with(rb"[:\s,\[]-?[0-9]{21}"), with_price(b"1" * 30)),
    ("numbers of more than 400 digits", tokens_with(rb"[:\s,\[]-?[0-9]{401}"), with_price(b"1" * 500)),
    ("exponents of three digits", tokens_with(rb"[:\s,\[]-?[0-9.]+[eE]\+?[4-9][0-9]{2}"), with_price(b"1e400")),
    ("NaN", tokens_with(rb"[:\s,\[]NaN"), with_price(b"NaN")),
    ("duplicate properties", _repeats, lambda b: b[:-1] + b', "number": "B"}'),
    ("more than 50 KB", lambda b: len(b) > 50_000, lambda b: b + b" " * 60_000),
    ("more than 1 MB", lambda b: len(b) > 1_000_000, lambda b: b + b" " * 1_100_000),
    ("a message that is null", text_with(rb"\A\s*null\s*\Z"), lambda _: b"null"),
    ("a message that is an array", text_with(rb"\A\s*\[.*\]\s*\Z"), lambda b: b"[" + b + b"]"),
    ("a message that is an empty array", text_with(rb"\A\s*\[\s*\]\s*\Z"), lambda _: b"[]"),
    ("a message that is a string", text_with(rb'\A\s*"[^"]*"\s*\Z'), lambda _: b'"a"'),
    ("a message that is a number", text_with(rb"\A\s*-?[0-9.]+\s*\Z"), lambda _: b"1"),
    ("a message that is a boolean", text_with(rb"\A\s*(?:true|false)\s*\Z"), lambda _: b"true"),
    ("an empty object", text_with(rb"\A\s*\{\s*\}\s*\Z"), lambda _: b"{}"),
)
