"""Mutants with lenient parsers, which read bytes that are not JSON."""

import json
import re
from collections.abc import Iterator

from benchmarks.fleet.behaviours import reads
from benchmarks.fleet.json_strings import STRING, Rewrite, Spoil, closed, first_value, with_price
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.plain_messages import Ground, written
from brokerfuzz.schemas.sites import JSON_RULE


def candidates(ground: Ground) -> Iterator[Candidate]:
    rule = next(rule.id for rule in ground.rules if rule.keyword == JSON_RULE)
    for name, rewrite, spoil in _LENIENT:
        bodies = [spoil(written(message)) for message in ground.messages]
        yield Candidate("reader", f"reads {name}", "", "", rule, reads(rewrite), bodies)


def _outside_strings(pattern: bytes, instead: bytes) -> Rewrite:
    both = re.compile(b"(" + STRING + b")|" + pattern, re.DOTALL)
    return lambda body: both.sub(lambda hit: hit[1] or hit.expand(instead), body)


def _trailing(pattern: bytes) -> Rewrite:
    return lambda body: re.sub(pattern + rb"\Z", b"", body)


def _another_behind(body: bytes) -> bytes | None:
    """Returns the first JSON value if another JSON value follows it. Otherwise, raises `ValueError`."""
    first = first_value(body)
    json.loads(body.decode().lstrip()[len(first.decode()) :])
    return first


def _without_control_characters(body: bytes) -> bytes:
    return json.dumps(json.loads(body, strict=False)).encode()


def _without_nan(body: bytes) -> bytes:
    return json.dumps(json.loads(body, parse_constant=lambda _: 0)).encode()


_LENIENT: tuple[tuple[str, Rewrite, Spoil], ...] = (
    ("commas before closing brackets", _outside_strings(rb",(?=\s*[}\]])", b""), lambda b: b[:-1] + b",}"),
    ("doubled commas", _outside_strings(rb",(?:\s*,)+", b","), lambda b: b.replace(b", ", b",, ", 1)),
    ("missing commas", _outside_strings(rb'(?<=[}\]"0-9el])\s+(?=")', b", "), lambda b: b.replace(b", ", b" ", 1)),
    ("block comments", _outside_strings(rb"/\*.*?\*/", b" "), lambda b: b"/* a */" + b),
    ("line comments", _outside_strings(rb"//[^\n]*", b" "), lambda b: b + b"// a"),
    ("hash comments", _outside_strings(rb"#[^\n]*", b" "), lambda b: b + b"# a"),
    ("NaN and Infinity", _without_nan, with_price(b"NaN")),
    ("single quotes", _outside_strings(rb"'([^'\"]*)'", rb'"\2"'), lambda b: b.replace(b'"', b"'")),
    (
        "unquoted names",
        _outside_strings(rb"(?<=[{,\s])([A-Za-z_]\w*)(?=\s*:)", rb'"\2"'),
        lambda b: b.replace(b'"number"', b"number", 1),
    ),
    ("equals signs for colons", _outside_strings(rb"=", b":"), lambda b: b.replace(b'number":', b'number"=', 1)),
    ("semicolons for commas", _outside_strings(rb";", b","), lambda b: b.replace(b", ", b"; ", 1)),
    ("raw control characters", _without_control_characters, lambda b: b.replace(b'"number": "', b'"number": "\n', 1)),
    (
        "unknown escapes",
        lambda b: re.sub(rb'\\(?!["\\/bfnrtu])', b"", b),
        lambda b: b.replace(b'"number": "', b'"number": "\\x', 1),
    ),
    ("leading zeros", _outside_strings(rb"(?<![0-9.eE+-])0+(?=[0-9])", b""), with_price(b"02")),
    ("a leading plus", _outside_strings(rb"(?<=[\s:,\[])\+(?=[0-9])", b""), with_price(b"+2")),
    ("a missing digit before the point", _outside_strings(rb"(?<![0-9])\.(?=[0-9])", b"0."), with_price(b".2")),
    ("a missing digit after the point", _outside_strings(rb"(?<=[0-9])\.(?![0-9])", b""), with_price(b"2.")),
    ("hexadecimal numbers", _outside_strings(rb"0x[0-9a-fA-F]+", b"9"), with_price(b"0x2")),
    ("any text after the value", first_value, lambda b: b + b" x"),
    ("a bracket too many", _trailing(rb"[}\]]"), lambda b: b + b"}"),
    ("a second message after the first", _another_behind, lambda b: b + b + b" "),
    ("NUL after the value", _trailing(rb"\0+"), lambda b: b + b"\0"),
    ("a comma after the value", _trailing(rb",\s*"), lambda b: b + b","),
    ("a semicolon after the value", _trailing(rb";\s*"), lambda b: b + b";"),
    ("truncated JSON", closed, lambda b: b[:-1]),
    (
        "Python's literals",
        _outside_strings(rb"\b(?:True|False|None)\b", b"null"),
        lambda b: b.replace(b've": true', b've": True', 1),
    ),
    (
        "capitals in literals",
        _outside_strings(rb"\b(?:TRUE|FALSE|NULL)\b", b"null"),
        lambda b: b.replace(b've": true', b've": TRUE', 1),
    ),
    (
        "undefined",
        _outside_strings(rb"\bundefined\b", b"null"),
        lambda b: b.replace(b've": true', b've": undefined', 1),
    ),
    ("other white space", _outside_strings(rb"[\x0b\x0c]|\xc2\xa0", b" "), lambda b: b"\x0c" + b),
    ("a prefix against hijacking", lambda b: re.sub(rb"\A\)\]\}',?\n?", b"", b), lambda b: b")]}',\n" + b),
)
