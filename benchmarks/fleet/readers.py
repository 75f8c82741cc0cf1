"""Readers of JSON that forgive, that see another message than was sent, that refuse proper texts, or that fall over."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.fleet.behaviours import crashes_on_text, reads, refuses_text, unwraps
from benchmarks.fleet.ground import Ground, written
from benchmarks.fleet.mutants import Candidate
from brokerfuzz.schemas.sites import JSON_RULE

_STRING = rb'"(?:[^"\\]|\\.)*"'
Rewrite = Callable[[bytes], bytes | None]
Change = Callable[[Any], Any]


def _outside_strings(pattern: bytes, instead: bytes) -> Rewrite:
    both = re.compile(b"(" + _STRING + b")|" + pattern, re.DOTALL)
    return lambda body: both.sub(lambda hit: hit[1] or hit.expand(instead), body)


def _first_value(body: bytes) -> bytes:
    _, end = json.JSONDecoder().raw_decode(body.decode().lstrip())
    return body.decode().lstrip()[:end].encode()


def _trailing(pattern: bytes) -> Rewrite:
    return lambda body: re.sub(pattern + rb"\Z", b"", body)


def _closed(body: bytes) -> bytes:
    """The text with what is left open at its end closed."""
    inside = re.sub(_STRING, b"", body)
    closing: list[bytes] = []
    for bracket in re.findall(rb"[\[\]{}]", inside):
        if bracket in b"[{":
            closing.append(b"]" if bracket == b"[" else b"}")
        elif closing:
            closing.pop()
    return body.rstrip(b" ,") + b"".join(reversed(closing))


def _without_control_characters(body: bytes) -> bytes:
    return json.dumps(json.loads(body, strict=False)).encode()


def _without_nan(body: bytes) -> bytes:
    return json.dumps(json.loads(body, parse_constant=lambda _: 0)).encode()


_LENIENT: tuple[tuple[str, Rewrite, Callable[[bytes], bytes]], ...] = (
    ("commas before closing brackets", _outside_strings(rb",(?=\s*[}\]])", b""), lambda b: b[:-1] + b",}"),
    ("doubled commas", _outside_strings(rb",(?:\s*,)+", b","), lambda b: b.replace(b", ", b",, ", 1)),
    ("missing commas", _outside_strings(rb'(?<=[}\]"0-9el])\s+(?=")', b", "), lambda b: b.replace(b", ", b" ", 1)),
    ("block comments", _outside_strings(rb"/\*.*?\*/", b" "), lambda b: b"/* a */" + b),
    ("line comments", _outside_strings(rb"//[^\n]*", b" "), lambda b: b + b"// a"),
    ("hash comments", _outside_strings(rb"#[^\n]*", b" "), lambda b: b + b"# a"),
    ("NaN and Infinity", _without_nan, lambda b: b.replace(b'"defaultPrice": 2', b'"defaultPrice": NaN')),
    ("single quotes", _outside_strings(rb"'([^'\"]*)'", rb'"\2"'), lambda b: b.replace(b'"', b"'")),
    ("unquoted names", _outside_strings(rb"(?<=[{,\s])([A-Za-z_]\w*)(?=\s*:)", rb'"\2"'), lambda b: b.replace(b'"number"', b"number", 1)),
    ("equals signs for colons", _outside_strings(rb"=", b":"), lambda b: b.replace(b'number":', b'number"=', 1)),
    ("semicolons for commas", _outside_strings(rb";", b","), lambda b: b.replace(b", ", b"; ", 1)),
    ("raw control characters", _without_control_characters, lambda b: b.replace(b'"number": "', b'"number": "\n', 1)),
    ("unknown escapes", lambda b: re.sub(rb'\\(?!["\\/bfnrtu])', b"", b), lambda b: b.replace(b'"number": "', b'"number": "\\x', 1)),
    ("leading zeros", _outside_strings(rb"(?<![0-9.eE+-])0+(?=[0-9])", b""), lambda b: b.replace(b'Price": 2', b'Price": 02', 1)),
    ("a leading plus", _outside_strings(rb"(?<=[\s:,\[])\+(?=[0-9])", b""), lambda b: b.replace(b'Price": 2', b'Price": +2', 1)),
    ("a missing digit before the point", _outside_strings(rb"(?<![0-9])\.(?=[0-9])", b"0."), lambda b: b.replace(b'Price": 2', b'Price": .2', 1)),
    ("a missing digit behind the point", _outside_strings(rb"(?<=[0-9])\.(?![0-9])", b""), lambda b: b.replace(b'Price": 2', b'Price": 2.', 1)),
    ("hexadecimal numbers", _outside_strings(rb"0x[0-9a-fA-F]+", b"9"), lambda b: b.replace(b'Price": 2', b'Price": 0x2', 1)),
    ("any text behind the value", _first_value, lambda b: b + b" x"),
    ("a bracket too many", _trailing(rb"[}\]]"), lambda b: b + b"}"),
    ("a second message behind the first", _first_value, lambda b: b + b + b" "),
    ("NUL behind the value", _trailing(rb"\0+"), lambda b: b + b"\0"),
    ("a comma behind the value", _trailing(rb",\s*"), lambda b: b + b","),
    ("a semicolon behind the value", _trailing(rb";\s*"), lambda b: b + b";"),
    ("a text that is cut off", _closed, lambda b: b[:-1]),
    ("Python's literals", _outside_strings(rb"\b(?:True|False|None)\b", b"null"), lambda b: b.replace(b've": true', b've": True', 1)),
    ("capitals in literals", _outside_strings(rb"\b(?:TRUE|FALSE|NULL)\b", b"null"), lambda b: b.replace(b've": true', b've": TRUE', 1)),
    ("undefined", _outside_strings(rb"\bundefined\b", b"null"), lambda b: b.replace(b've": true', b've": undefined', 1)),
    ("other white space", _outside_strings(rb"[\x0b\x0c]|\xc2\xa0", b" "), lambda b: b"\x0c" + b),
    ("a prefix against hijacking", lambda b: re.sub(rb"\A\)\]\}',?\n?", b"", b), lambda b: b")]}',\n" + b),
)


def _json_text(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else None


def _only_item(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else None


def _first_item(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _only_member(value: Any) -> Any:
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None


def _any_case(ground: Ground) -> tuple[str, Change, Change]:
    known = {site.name.lower(): site.name for site in ground.sites.values() if site.name}

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {known.get(name.lower(), name): rename(member) for name, member in value.items()}
        return [rename(item) for item in value] if isinstance(value, list) else value

    return "names in any case", rename, lambda m: {name.upper(): member for name, member in m.items()}


def _nulls_dropped(value: Any) -> Any:
    """The value without null members and items."""
    if isinstance(value, dict):
        return {name: _nulls_dropped(member) for name, member in value.items() if member is not None}
    return [_nulls_dropped(item) for item in value if item is not None] if isinstance(value, list) else value


def _trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _trimmed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_trimmed(item) for item in value]
    return value.strip() if isinstance(value, str) else value


def _empty_as_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _empty_as_null(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_empty_as_null(item) for item in value]
    return None if value == "" else value


def _names_trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name.strip(): _names_trimmed(member) for name, member in value.items()}
    return [_names_trimmed(item) for item in value] if isinstance(value, list) else value


_OTHER_VALUES: tuple[tuple[str, Change, Change], ...] = (
    ("a text that holds JSON", _json_text, json.dumps),
    ("an array of one message", _only_item, lambda m: [m]),
    ("an array's first message", _first_item, lambda m: [m, m]),
    ("a message in an envelope", _only_member, lambda m: {"data": m}),
    ("names with blanks around them", _names_trimmed, lambda m: {f"{name} ": member for name, member in m.items()}),
    ("null as absence", _nulls_dropped, lambda m: {**m, "accessGroups": [None]}),
    ("texts without the blanks around them", _trimmed, lambda m: {**m, "number": " "}),
    ("the empty text as null", _empty_as_null, lambda m: {**m, "defaultPrice": ""}),
)


def _text(name: str, pattern: bytes, example: Callable[[bytes], bytes]) -> tuple[str, Callable[[bytes], object], Callable[[bytes], bytes]]:
    return name, re.compile(pattern, re.DOTALL).search, example


def _with_text(json_text: bytes) -> Callable[[bytes], bytes]:
    return lambda body: re.sub(rb'"description": "[^"]*"', lambda _: b'"description": "' + json_text + b'"', body)


def _with_price(json_text: bytes) -> Callable[[bytes], bytes]:
    return lambda body: body.replace(b'"defaultPrice": 2', b'"defaultPrice": ' + json_text, 1)


def _reversed(body: bytes) -> bytes:
    return written(dict(reversed(json.loads(body).items())))


_COMPACT = rb"\A(?:[^\"\s]|" + _STRING + rb")*\Z"
_STRICT = (
    _text("no white space between tokens", _COMPACT, lambda b: json.dumps(json.loads(b), separators=(",", ":")).encode()),
    ("white space between tokens", lambda b: not re.search(_COMPACT, b, re.DOTALL), lambda b: b),
    _text("line breaks between tokens", rb"\A(?:[^\"\r\n]|" + _STRING + rb")*[\r\n]", lambda b: b.replace(b", ", b",\n")),
    _text("carriage returns between tokens", rb"\A(?:[^\"\r]|" + _STRING + rb")*\r", lambda b: b.replace(b", ", b",\r\n")),
    _text("tabs between tokens", rb"\A(?:[^\"\t]|" + _STRING + rb")*\t", lambda b: b.replace(b", ", b",\t")),
    _text("white space before the value", rb"\A\s", lambda b: b" " + b),
    _text("white space behind the value", rb"\s\Z", lambda b: b + b"\n"),
    _text("escapes by number", rb"(?<!\\)(?:\\\\)*\\u", _with_text(rb"\u0041")),
    _text("pairs of surrogates", rb"(?i)\\ud8[0-9a-f]{2}\\ud[c-f]", _with_text(rb"\ud83d\ude00")),
    _text("capitals in escapes", rb"\\u[0-9a-f]*[A-F]", _with_text(rb"\u00E4")),
    _text("escaped slashes", rb"\\/", _with_text(rb"a\/b")),
    _text("escapes by letter", rb"\\[bfnrt]", _with_text(rb"a\nb")),
    _text("escaped names", rb'"[^"\\]*\\[^"]*"\s*:', lambda b: b.replace(b'"number"', rb'"n\u0075mber"', 1)),
    _text("bytes beyond ASCII", rb"[\x80-\xff]", _with_text("ä".encode())),
    _text("bytes of four-byte characters", rb"[\xf0-\xf4]", _with_text("\U0001f600".encode())),
    _text("exponents", rb"[:\s,\[]-?[0-9.]+[eE]", _with_price(b"2.5e3")),
    _text("capital exponents", rb"[:\s,\[]-?[0-9.]+E", _with_price(b"2.5E3")),
    _text("exponents with a plus", rb"[:\s,\[]-?[0-9.]+[eE]\+", _with_price(b"2.5e+3")),
    _text("negative exponents", rb"[:\s,\[]-?[0-9.]+[eE]-", _with_price(b"2.5e-3")),
    _text("negative zero", rb"[:\s,\[]-0(?:\.0*)?[\s,\]}]", _with_price(b"-0")),
    _text("zeros at the end of fractions", rb"[:\s,\[]-?[0-9]+\.[0-9]*0[\s,\]}]", _with_price(b"2.50")),
    _text("a fraction of zero", rb"[:\s,\[]-?[0-9]+\.0[\s,\]}]", _with_price(b"2.0")),
    _text("a number before the others", rb"\A\s*\{\s*\"(?!number\")", _reversed),
    _text("the type behind the clusters", rb'"productClusters".*"offerType"', _reversed),
    _text("the type before the clusters", rb'"offerType".*"productClusters"', lambda b: b),
    _text("the number behind the type", rb'"offerType".*"number"\s*:', _reversed),
)


def _deeper_than(most: int) -> Callable[[bytes], bool]:
    def test(body: bytes) -> bool:
        depth = 0
        for bracket in re.findall(rb"[\[\]{}]", re.sub(_STRING, b"", body)):
            depth += 1 if bracket in b"[{" else -1
            if depth > most:
                return True
        return False

    return test


def _unreadable(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return True
    return False


def _repeats(body: bytes) -> bool:
    found = False

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        found = found or len(dict(members)) < len(members)
        return dict(members)

    try:
        json.loads(body, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return found


_FRAGILE: tuple[tuple[str, Callable[[bytes], object], Callable[[bytes], bytes]], ...] = (
    ("anything that is no JSON", _unreadable, lambda b: b[:-1]),
    ("no bytes at all", lambda b: not b, lambda _: b""),
    ("white space alone", lambda b: b and not b.strip(), lambda _: b"  "),
    ("a text that is cut off", lambda b: _unreadable(b) and not _unreadable(_closed(b)), lambda b: b[:-1]),
    ("trailing text", lambda b: _unreadable(b) and not _unreadable(_first_value_or(b)), lambda b: b + b" x"),
    ("a depth of more than 50", _deeper_than(50), lambda b: b[:-1] + b', "a": ' + b"[" * 60 + b"]" * 60 + b"}"),
    ("a depth of more than 500", _deeper_than(500), lambda b: b[:-1] + b', "a": ' + b"[" * 600 + b"]" * 600 + b"}"),
    ("a depth of more than 10000", _deeper_than(10_000), lambda b: b[:-1] + b', "a": ' + b"[" * 12_000 + b"]" * 12_000 + b"}"),
    _text("NUL escapes", rb"\\u0000", _with_text(rb"a\u0000b")),
    _text("raw NUL", rb"\0", _with_text(b"a\0b")),
    _text("lone surrogates", rb"(?i)(?<!\\)\\ud[89ab][0-9a-f]{2}(?!\\ud)|\\ud8[0-9a-f]{2}\\u(?!d)", _with_text(rb"\ud800")),
    _text("lone low surrogates", rb"(?i)(?<!\\ud8[0-9a-f]{2})\\ud[cdef][0-9a-f]{2}", _with_text(rb"\udc00")),
    _text("pairs of surrogates", rb"(?i)\\ud8[0-9a-f]{2}\\ud[c-f]", _with_text(rb"\ud83d\ude00")),
    _text("a byte order mark", rb"\A\xef\xbb\xbf", lambda b: b"\xef\xbb\xbf" + b),
    ("bytes that are no UTF-8", lambda b: b.decode("utf-8", "ignore").encode() != b, _with_text(b"\xff")),
    ("UTF-16", lambda b: b"\0" in b[:2] or b[:2] in (b"\xff\xfe", b"\xfe\xff"), lambda b: b.decode().encode("utf-16")),
    _text("numbers of more than 20 digits", rb"[:\s,\[]-?[0-9]{21}", _with_price(b"1" * 30)),
    _text("numbers of more than 400 digits", rb"[:\s,\[]-?[0-9]{401}", _with_price(b"1" * 500)),
    _text("exponents of three digits", rb"[:\s,\[]-?[0-9.]+[eE]\+?[4-9][0-9]{2}", _with_price(b"1e400")),
    _text("NaN", rb"[:\s,\[]NaN", _with_price(b"NaN")),
    ("members that are there twice", _repeats, lambda b: b[:-1] + b', "number": "B"}'),
    ("more than 50 KB", lambda b: len(b) > 50_000, lambda b: b + b" " * 60_000),
    ("more than 1 MB", lambda b: len(b) > 1_000_000, lambda b: b + b" " * 1_100_000),
    _text("a message that is null", rb"\A\s*null\s*\Z", lambda _: b"null"),
    _text("a message that is an array", rb"\A\s*\[.*\]\s*\Z", lambda b: b"[" + b + b"]"),
    _text("a message that is an empty array", rb"\A\s*\[\s*\]\s*\Z", lambda _: b"[]"),
    _text("a message that is a text", rb'\A\s*"[^"]*"\s*\Z', lambda _: b'"a"'),
    _text("a message that is a number", rb"\A\s*-?[0-9.]+\s*\Z", lambda _: b"1"),
    _text("a message that is a boolean", rb"\A\s*(?:true|false)\s*\Z", lambda _: b"true"),
    _text("an empty object", rb"\A\s*\{\s*\}\s*\Z", lambda _: b"{}"),
)


def _first_value_or(body: bytes) -> bytes:
    try:
        return _first_value(body)
    except (ValueError, RecursionError):
        return body


def candidates(ground: Ground) -> Iterator[Candidate]:
    """Every reader."""
    rule = next(rule.id for rule in ground.rules if rule.keyword == JSON_RULE)
    bodies = [written(message) for message in ground.messages]
    for name, rewrite, spoil in _LENIENT:
        yield Candidate("reader", f"reads {name}", "", rule, reads(rewrite), [spoil(body) for body in bodies])
    root = f"{rule.removesuffix(JSON_RULE)}type"
    for name, unwrap, example in (*_OTHER_VALUES, _any_case(ground)):
        yield Candidate("reader", f"sees {name}", "", root, unwraps(unwrap), [written(example(message)) for message in ground.messages])
    for name, test, example_of in _STRICT:
        yield Candidate("reader", f"refuses {name}", "", None, refuses_text(test), [example_of(body) for body in bodies])
    for name, test, example_of in _FRAGILE:
        yield Candidate("reader", f"falls over {name}", "", None, crashes_on_text(test), [example_of(body) for body in bodies])
