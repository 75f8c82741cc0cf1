"""Mutants with strict parsers, which reject valid JSON because of its notation: for example, because of line breaks."""

import json
import re
from collections.abc import Iterator

from benchmarks.fleet.behaviours import rejects_text
from benchmarks.fleet.json_strings import STRING, Spoil, Test, text_with, tokens_with, with_price, with_text
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.plain_messages import Ground, written


def candidates(ground: Ground) -> Iterator[Candidate]:
    for name, test, example in _STRICT:
        bodies = [example(written(message)) for message in ground.messages]
        yield Candidate("reader", f"rejects {name}", "", "", None, rejects_text(test), bodies)


def _reversed(body: bytes) -> bytes:
    return written(dict(reversed(json.loads(body).items())))


_COMPACT = rb"\A(?:[^\"\s]|" + STRING + rb")*\Z"
_STRICT: tuple[tuple[str, Test, Spoil], ...] = (
    (
        "no white space between tokens",
        text_with(_COMPACT),
        lambda b: json.dumps(json.loads(b), separators=(",", ":")).encode(),
    ),
    ("white space between tokens", lambda b: not re.search(_COMPACT, b, re.DOTALL), lambda b: b),
    (
        "line breaks between tokens",
        text_with(rb"\A(?:[^\"\r\n]|" + STRING + rb")*[\r\n]"),
        lambda b: b.replace(b", ", b",\n"),
    ),
    (
        "carriage returns between tokens",
        text_with(rb"\A(?:[^\"\r]|" + STRING + rb")*\r"),
        lambda b: b.replace(b", ", b",\r\n"),
    ),
    ("tabs between tokens", text_with(rb"\A(?:[^\"\t]|" + STRING + rb")*\t"), lambda b: b.replace(b", ", b",\t")),
    ("white space before the value", text_with(rb"\A\s"), lambda b: b" " + b),
    ("white space after the value", text_with(rb"\s\Z"), lambda b: b + b"\n"),
    ("escapes by number", text_with(rb"(?<!\\)(?:\\\\)*\\u"), with_text(rb"\u0041")),
    ("pairs of surrogates", text_with(rb"(?i)\\ud8[0-9a-f]{2}\\ud[c-f]"), with_text(rb"\ud83d\ude00")),
    ("capitals in escapes", text_with(rb"\\u[0-9a-f]*[A-F]"), with_text(rb"\u00E4")),
    ("escaped slashes", text_with(rb"\\/"), with_text(rb"a\/b")),
    ("escapes by letter", text_with(rb"\\[bfnrt]"), with_text(rb"a\nb")),
    ("escaped names", text_with(rb'"[^"\\]*\\[^"]*"\s*:'), lambda b: b.replace(b'"number"', rb'"n\u0075mber"', 1)),
    ("bytes beyond ASCII", text_with(rb"[\x80-\xff]"), with_text("ä".encode())),
    ("bytes of four-byte characters", text_with(rb"[\xf0-\xf4]"), with_text("\U0001f600".encode())),
    ("exponents", tokens_with(rb"[:\s,\[]-?[0-9.]+[eE]"), with_price(b"2.5e3")),
    ("capital exponents", tokens_with(rb"[:\s,\[]-?[0-9.]+E"), with_price(b"2.5E3")),
    ("exponents with a plus", tokens_with(rb"[:\s,\[]-?[0-9.]+[eE]\+"), with_price(b"2.5e+3")),
    ("negative exponents", tokens_with(rb"[:\s,\[]-?[0-9.]+[eE]-"), with_price(b"2.5e-3")),
    ("negative zero", tokens_with(rb"[:\s,\[]-0(?:\.0*)?[\s,\]}]"), with_price(b"-0")),
    ("zeros at the end of fractions", tokens_with(rb"[:\s,\[]-?[0-9]+\.[0-9]*0[\s,\]}]"), with_price(b"2.50")),
    ("a fraction of zero", tokens_with(rb"[:\s,\[]-?[0-9]+\.0[\s,\]}]"), with_price(b"2.0")),
    ("a first property that is not the number", text_with(rb"\A\s*\{\s*\"(?!number\")"), _reversed),
    ("the type after the clusters", text_with(rb'"productClusters".*"offerType"'), _reversed),
    ("the type before the clusters", text_with(rb'"offerType".*"productClusters"'), lambda b: b),
    ("the number after the type", text_with(rb'"offerType".*"number"\s*:'), _reversed),
)
