"""Mistakes in the parsing of messages, which concern bytes or whole messages instead of single values."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.fleet.messages import UNREADABLE, Answer, Candidate, Message, Mutant, parsed

PLAIN = (
    b'{"number": "A", "offerType": "Email", "description": "a", "defaultPrice": 2, "isActive": true, '
    b'"productClusters": []}'
)
STRING = rb'"(?:[^"\\]|\\.)*"'
Rewrite = Callable[[bytes], bytes]
Change = Callable[[Any], Any]
Mark = bytes | Callable[[bytes], object]
"""A test of bytes, or a pattern. A pattern that begins with `:` is searched outside of strings."""


def candidates() -> Iterator[Candidate]:
    for name, rewrite, body in LENIENT:
        yield _parser(f"reads {name}", "accepted", _reads(rewrite), body)
    for name, mark, body in STRICT:
        yield _parser(f"rejects {name}", "rejected", _has(mark), body)
    for name, mark, body in FRAGILE:
        yield _parser(f"crashes on {name}", "crashed", _has(mark), body)
    for name, answer, change, body in CHANGING:
        yield _parser(f"reads {name}", answer, _changes(change), body)


def _parser(name: str, answer: Answer, when: Callable[[Message], object], body: bytes) -> Candidate:
    return Mutant("reader", name, answer, when), [body]


def _has(mark: Mark) -> Callable[[Message], object]:
    if callable(mark):
        return lambda message: mark(message.body)
    if not mark.startswith(b":"):
        search = re.compile(mark, re.DOTALL).search
        return lambda message: search(message.body)
    token = re.compile(rb"[:\s,\[]" + mark[1:], re.DOTALL).search
    return lambda message: token(re.sub(STRING, b'""', message.body, flags=re.DOTALL))


def _reads(rewrite: Rewrite) -> Callable[[Message], object]:
    """The service reads `rewrite(body)` if a message is not JSON."""

    def accepts(message: Message) -> bool:
        if message.value is not UNREADABLE:
            return False
        try:
            seen = rewrite(message.body)
        except (ValueError, RecursionError):
            return False
        return seen != message.body and message.reader(seen).conforming == "accepted"

    return accepts


def _changes(change: Change) -> Callable[[Message], object]:
    """The service judges `change(value)` instead of the value."""

    def differs(message: Message) -> bool:
        if message.value is UNREADABLE:
            return False
        try:
            seen = json.dumps(change(message.value)).encode()
        except (ValueError, LookupError, TypeError, RecursionError):
            return False
        return message.reader(seen).conforming != message.conforming

    return differs


# ------------------------------------------------------------------------------------------- lenient parsers of JSON


def _instead(pattern: bytes, instead: bytes) -> Rewrite:
    """Replaces what the pattern finds outside of strings."""
    both = re.compile(b"(" + STRING + b")|" + pattern, re.DOTALL)
    return lambda body: both.sub(lambda hit: hit[1] or hit.expand(instead), body)


def _at_end(pattern: bytes) -> Rewrite:
    return lambda body: re.sub(pattern + rb"\Z", b"", body)


def _first_value(body: bytes) -> bytes:
    text = body.decode().lstrip()
    return text[: json.JSONDecoder().raw_decode(text)[1]].encode()


def _closed(body: bytes) -> bytes:
    """Adds the closing brackets that are missing at the end."""
    closing: list[bytes] = []
    for bracket in re.findall(rb"[\[\]{}]", re.sub(STRING, b"", body, flags=re.DOTALL)):
        if bracket in b"[{":
            closing.append(b"]" if bracket == b"[" else b"}")
        elif closing:
            closing.pop()
    return body.rstrip(b" ,") + b"".join(reversed(closing))


def _price(text: bytes) -> bytes:
    return PLAIN.replace(b'Price": 2', b'Price": ' + text)


def _text(text: bytes) -> bytes:
    return PLAIN.replace(b'"description": "a"', b'"description": "' + text + b'"')


def _active(text: bytes) -> bytes:
    return PLAIN.replace(b"true", text)


LENIENT: tuple[tuple[str, Rewrite, bytes], ...] = (
    ("commas before closing brackets", _instead(rb",(?=\s*[}\]])", b""), PLAIN[:-1] + b",}"),
    ("doubled commas", _instead(rb",(?:\s*,)+", b","), PLAIN.replace(b", ", b",, ", 1)),
    ("missing commas", _instead(rb'(?<=[}\]"0-9el])\s+(?=")', b", "), PLAIN.replace(b", ", b" ", 1)),
    ("block comments", _instead(rb"/\*.*?\*/", b" "), b"/* a */" + PLAIN),
    ("line comments", _instead(rb"//[^\n]*", b" "), PLAIN + b"// a"),
    ("NaN and Infinity", _instead(rb"-?(?:NaN|Infinity)", b"0"), _price(b"NaN")),
    ("single quotes", _instead(rb"'([^'\"]*)'", rb'"\2"'), PLAIN.replace(b'"', b"'")),
    ("names without quotes", _instead(rb"(?<=[{,\s])([A-Za-z_]\w*)(?=\s*:)", rb'"\2"'), b"{number" + PLAIN[9:]),
    ("raw control characters", lambda b: json.dumps(json.loads(b, strict=False)).encode(), _text(b"\n")),
    ("unknown escapes", lambda b: re.sub(rb'\\(?!["\\/bfnrtu])', b"", b), _text(rb"\x")),
    ("leading zeros", _instead(rb"(?<![0-9.eE+-])0+(?=[0-9])", b""), _price(b"02")),
    ("a leading plus", _instead(rb"(?<=[\s:,\[])\+(?=[0-9])", b""), _price(b"+2")),
    ("a missing digit before the point", _instead(rb"(?<![0-9])\.(?=[0-9])", b"0."), _price(b".2")),
    ("hexadecimal numbers", _instead(rb"0x[0-9a-fA-F]+", b"9"), _price(b"0x2")),
    ("any text after the value", _first_value, PLAIN + b" x"),
    ("a bracket too many", _at_end(rb"[}\]]"), PLAIN + b"}"),
    ("NUL after the value", _at_end(rb"\0+"), PLAIN + b"\0"),
    ("truncated JSON", _closed, PLAIN[:-1]),
    ("Python's literals", _instead(rb"\b(?:True|False|None)\b", b"null"), _active(b"True")),
    ("other white space", _instead(rb"[\x0b\x0c]|\xc2\xa0", b" "), b"\x0c" + PLAIN),
    ("a prefix against hijacking", lambda b: re.sub(rb"\A\)\]\}',?\n?", b"", b), b")]}',\n" + PLAIN),
)

# ------------------------------------------------------------------------------------------- strict and fragile ones


def _is_unreadable(body: bytes) -> bool:
    return parsed(body) is UNREADABLE


def _repeats(body: bytes) -> bool:
    repeated: list[bool] = []
    try:
        json.loads(body, object_pairs_hook=lambda pairs: repeated.append(len(dict(pairs)) < len(pairs)))
    except (ValueError, RecursionError):
        return False
    return any(repeated)


def _deeper_than(most: int) -> Callable[[bytes], bool]:
    def test(body: bytes) -> bool:
        depth = deepest = 0
        for bracket in re.findall(rb"[\[\]{}]", re.sub(STRING, b"", body)):
            depth += 1 if bracket in b"[{" else -1
            deepest = max(deepest, depth)
        return deepest > most

    return test


def _nested(depth: int) -> bytes:
    return PLAIN[:-1] + b', "a": ' + b"[" * depth + b"]" * depth + b"}"


_BETWEEN = rb"\A(?:[^\"\s]|" + STRING + rb")*"
"""Everything up to the first white space between two tokens."""
_SURROGATES = rb"(?i)\\ud8[0-9a-f]{2}\\ud[c-f]"
_REVERSED = b'{"offerType": "Email", "number": "A"}'
STRICT: tuple[tuple[str, Mark, bytes], ...] = (
    ("no white space between tokens", _BETWEEN + rb"\Z", b'{"number":"A","offerType":"Email"}'),
    ("white space between tokens", _BETWEEN + rb"\s", PLAIN),
    ("line breaks between tokens", rb"\A(?:[^\"\r\n]|" + STRING + rb")*[\r\n]", PLAIN.replace(b", ", b",\n")),
    ("tabs between tokens", rb"\A(?:[^\"\t]|" + STRING + rb")*\t", PLAIN.replace(b", ", b",\t")),
    ("white space before the value", rb"\A\s", b" " + PLAIN),
    ("white space after the value", rb"\s\Z", PLAIN + b"\n"),
    ("escapes by number", rb"(?<!\\)(?:\\\\)*\\u", _text(rb"\u0041")),
    ("pairs of surrogates", _SURROGATES, _text(rb"\ud83d\ude00")),
    ("escaped slashes", rb"\\/", _text(rb"a\/b")),
    ("escapes by letter", rb"\\[bfnrt]", _text(rb"a\nb")),
    ("escaped names", rb'"[^"\\]*\\[^"]*"\s*:', PLAIN.replace(b'"number"', rb'"n\u0075mber"')),
    ("bytes beyond ASCII", rb"[\x80-\xff]", _text("ä".encode())),
    ("characters of four bytes", rb"[\xf0-\xf4]", _text("\U0001f600".encode())),
    ("exponents", rb":-?[0-9.]+[eE]", _price(b"2.5e3")),
    ("exponents with a plus", rb":-?[0-9.]+[eE]\+", _price(b"2.5e+3")),
    ("negative exponents", rb":-?[0-9.]+[eE]-", _price(b"2.5e-3")),
    ("negative zero", rb":-0(?:\.0*)?[\s,\]}]", _price(b"-0")),
    ("zeros at the end of fractions", rb":-?[0-9]+\.[0-9]*0[\s,\]}]", _price(b"2.50")),
    ("another first property", rb"\A\s*\{\s*\"(?!number\")", _REVERSED),
    ("the type after the clusters", rb'"productClusters".*"offerType"', b'{"productClusters": [], ' + _REVERSED[1:]),
    ("the type before the clusters", rb'"offerType".*"productClusters"', PLAIN),
)
FRAGILE: tuple[tuple[str, Mark, bytes], ...] = (
    ("no bytes at all", rb"\A\Z", b""),
    ("NUL escapes", rb"\\u0000", _text(rb"a\u0000b")),
    ("raw NUL", rb"\0", _text(b"a\0b")),
    ("lone surrogates", rb"(?i)(?<!\\)\\ud[89ab][0-9a-f]{2}(?!\\ud)", _text(rb"\ud800")),
    ("pairs of surrogates", _SURROGATES, _text(rb"\ud83d\ude00")),
    ("a byte order mark", rb"\A\xef\xbb\xbf", b"\xef\xbb\xbf" + PLAIN),
    ("UTF-16", rb"\A(?:\xff\xfe|\xfe\xff|.?\0)", PLAIN.decode().encode("utf-16")),
    ("numbers of more than 20 digits", rb":-?[0-9]{21}", _price(b"1" * 30)),
    ("numbers of more than 400 digits", rb":-?[0-9]{401}", _price(b"1" * 500)),
    ("exponents of three digits", rb":-?[0-9.]+[eE]\+?[4-9][0-9]{2}", _price(b"1e400")),
    ("NaN", b":NaN", _price(b"NaN")),
    ("a message that is null", rb"\A\s*null\s*\Z", b"null"),
    ("a message that is an array", rb"\A\s*\[.*\]\s*\Z", b"[" + PLAIN + b"]"),
    ("a message that is a string", rb'\A\s*"[^"]*"\s*\Z', b'"a"'),
    ("an empty object", rb"\A\s*\{\s*\}\s*\Z", b"{}"),
    ("anything that is not JSON", _is_unreadable, PLAIN[:-1]),
    ("truncated JSON", lambda b: _is_unreadable(b) and not _is_unreadable(_closed(b)), PLAIN[:-1]),
    ("bytes that are not UTF-8", lambda b: b.decode("utf-8", "ignore").encode() != b, _text(b"\xff")),
    ("duplicate properties", _repeats, PLAIN[:-1] + b', "number": "B"}'),
    ("a depth of more than 50", _deeper_than(50), _nested(60)),
    ("a depth of more than 10000", _deeper_than(10_000), _nested(12_000)),
    ("more than 50 KB", lambda b: len(b) > 50_000, PLAIN + b" " * 60_000),
)


# ------------------------------------------------------------------------------------------- changed messages


def _everywhere(change: Change) -> Change:
    """Applies the change to each value, from the innermost to the whole message."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            value = {name: changed(prop) for name, prop in value.items()}
        elif isinstance(value, list):
            value = list(map(changed, value))
        return change(value)

    return changed


def _names(change: Callable[[str], str]) -> Change:
    return _everywhere(
        lambda value: {change(name): prop for name, prop in value.items()} if isinstance(value, dict) else value
    )


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: prop for name, prop in value.items() if prop is not None}
    return [item for item in value if item is not None] if isinstance(value, list) else value


CHANGING: tuple[tuple[str, Answer, Change, bytes], ...] = (
    ("a string that contains JSON", "accepted", json.loads, json.dumps(PLAIN.decode()).encode()),
    ("an array's first message", "accepted", lambda v: v[0] if isinstance(v, list) else v, b"[" + PLAIN + b"]"),
    ("a message in an envelope", "accepted", lambda v: v["data"] if len(v) == 1 else v, b'{"data": ' + PLAIN + b"}"),
    ("names with a capital", "accepted", _names(_lower_first), PLAIN.replace(b'"number"', b'"Number"')),
    ("names without spaces around them", "accepted", _names(str.strip), PLAIN.replace(b'"number"', b'" number "')),
    ("null as absence", "accepted", _everywhere(_without_nulls), PLAIN.replace(b"[]", b"[null]")),
    ("strings without spaces around them", "rejected", _everywhere(_stripped), PLAIN.replace(b'"A"', b'" "')),
    ("the empty string as null", "accepted", _everywhere(lambda v: None if v == "" else v), _price(b'""')),
)
"""What a service reads instead of a message, and how it answers if the contract does not allow that."""
