"""Defines techniques that create bodies that are not JSON (RFC 8259).

Most techniques make a slip: a small syntax error that lenient parsers tolerate. Apart from the syntax error, the
message is usually valid. So a target that accepts the body has not noticed the error.

Of all slips that the same parsers accept, only one has a technique. We compared 254 slips in 46 parsers (and modes of
parsers) from eight languages. Slips that no parser accepts, such as a cut in an escape, stay if a hand-written parser
could read beyond the end of the message.
"""

from base64 import b64encode
from json import loads
from typing import Any
from urllib.parse import urlencode

from brokerfuzz.cases.techniques import syntax_places as at
from brokerfuzz.cases.techniques.other_types import in_words
from brokerfuzz.cases.techniques.registry import register_rows
from brokerfuzz.cases.techniques.syntax_places import Rewriting, after, around, before, cut, replaced, slip
from brokerfuzz.schemas.rule import JSON_RULE


def _number(written: str) -> Rewriting:
    return replaced(at.number, written.encode())


def _in_string(added: bytes) -> Rewriting:
    return replaced(at.string, b'"a' + added + b'z"')


def _outside(white_space: str) -> Rewriting:
    return after(at.comma, white_space.encode())


def _last_string_cut(end: bytes = b"") -> Rewriting:
    """Cuts the message off before the closing quote of the last string, and appends `end`."""
    return cut(at.last_string, lambda token: token[:-1] + end)


_cut_in_number = cut(at.number, lambda token: token.partition(b".")[0] + b".")


def _single_quoted(token: bytes) -> bytes:
    return b"'%b'" % token[1:-1]


def _instead(body: bytes) -> Rewriting:
    return lambda _: body


def _as_yaml(body: bytes) -> bytes | None:
    lines = [f"{name}: {in_words(value)}\n" for name, value in _properties(body).items()]
    return "".join(lines).encode(errors="replace") or None


def _as_form(body: bytes) -> bytes | None:
    return urlencode({name: in_words(value) for name, value in _properties(body).items()}).encode() or None


def _properties(body: bytes) -> dict[str, Any]:
    message = loads(body)
    return message if isinstance(message, dict) else {}


register_rows(
    JSON_RULE,
    family="syntax",
    change=slip,
    rows=[
        # commas, colons and brackets
        ("trailing-comma", "A comma after the last property.", before(at.closing, b",")),
        ("leading-comma", "A comma before the first property.", after(at.opening, b",")),
        ("doubled-comma", "Two commas between two properties.", after(at.comma, b",")),
        ("missing-comma", "No comma between two properties.", replaced(at.comma, b" ")),
        ("semicolon-for-comma", "A semicolon between two properties.", replaced(at.comma, b";")),
        ("trailing-comma-in-array", "A comma after the last item of an array.", before(at.array_end, b",")),
        ("leading-comma-in-array", "A comma before the first item of an array.", after(at.array, b",")),
        ("doubled-comma-in-array", "Two commas between two items of an array.", before(at.array_end, b',,"b"')),
        ("missing-comma-in-array", "No comma between two items of an array.", before(at.array_end, b' "b"')),
        ("missing-colon", "No colon between a name and its value.", replaced(at.colon, b" ")),
        ("equals-for-colon", "An equals sign between a name and its value.", replaced(at.colon, b"=")),
        ("closed-twice", "One closing brace too many.", after(at.closing, b"}")),
        ("closed-by-bracket", "A closing bracket instead of the last brace.", replaced(at.closing, b"]")),
        ("opening-brace-missing", "The message without its first brace.", replaced(at.opening, b"")),
        # names
        ("unquoted-key", "The first property name without quotes.", replaced(at.name, lambda token: token[1:-1])),
        ("single-quoted-key", "The first property name in single quotes.", replaced(at.name, _single_quoted)),
        ("number-for-key", "A property with an unquoted number as its name.", before(at.closing, b",1:1")),
        ("name-alone", "A property name without a colon and a value.", before(at.closing, b',"a"')),
        ("missing-value", "A property name and a colon without a value.", replaced(at.number, b"")),
        ("two-values", "Two values after one property name.", before(at.closing, b" 123")),
        # comments and white space
        ("comment", "A comment before the message.", before(at.opening, b"/* offer */")),
        ("inner-line-comment", "A line comment between two properties.", after(at.comma, b"// offer\n")),
        ("hash-comment", "A comment with a hash sign, as in shell scripts and YAML.", after(at.comma, b"# offer\n")),
        ("vertical-tab", "A vertical tab between two properties.", _outside("\x0b")),
        ("no-break-space-outside", "A no-break space between two properties.", _outside("\u00a0")),
        ("line-separator-outside", "A line separator between two properties.", _outside("\u2028")),
        ("mark-outside", "A byte order mark between two properties.", _outside("\ufeff")),
        ("nul-outside", "A NUL character between two properties.", _outside("\0")),
        # before and after the message
        ("two-marks", "Two byte order marks before the message.", before(at.opening, b"\xef\xbb\xbf\xef\xbb\xbf")),
        ("guard-before", "A prefix that keeps browsers from running the message.", before(at.opening, b")]}',\n")),
        ("record-separator", "A record separator before the message (JSON sequence).", before(at.opening, b"\x1e")),
        ("word-before", "A word before the message.", before(at.opening, b"json ")),
        ("trailing-text", "A word after the message.", after(at.closing, b" x")),
        ("trailing-semicolon", "A semicolon after the message.", after(at.closing, b";")),
        ("comma-behind", "A comma after the message.", after(at.closing, b",")),
        ("trailing-nul", "A NUL byte after the message.", after(at.closing, b"\0")),
        ("trailing-byte", "The message, followed by a byte that is not valid UTF-8.", after(at.closing, b"\xff")),
        ("two-documents", "The message twice, each on its own line.", lambda body: body + b"\n" + body),
        ("as-call", "The message as the argument of a function call, as in JSONP.", around(b"callback(", b");")),
        ("in-parentheses", "The message in parentheses.", around(b"(", b")")),
        # numbers
        ("leading-zero", "A number with a leading zero.", _number("01")),
        ("leading-plus", "A number with a plus sign.", _number("+1")),
        ("lone-minus", "A minus sign without a number.", _number("-")),
        ("bare-point", "A number that ends with the decimal point.", _number("1.")),
        ("leading-point", "A number that begins with the decimal point.", _number(".5")),
        ("negative-leading-point", "A minus sign directly before the decimal point.", _number("-.5")),
        ("bare-exponent", "A number that ends with the exponent letter e.", _number("1e")),
        ("hexadecimal", "A hexadecimal number.", _number("0x10")),
        ("octal", "An octal number.", _number("0o17")),
        ("digits-underscored", "A number with an underscore between its digits.", _number("1_000")),
        ("decimal-comma", "A number with a decimal comma.", _number("1,5")),
        ("full-width-digit", "A number written with a full-width digit.", _number("１")),
        ("letter-behind-number", "A number, followed by a letter.", _number("-1x")),
        ("double-suffix", "A number with the suffix d, a Java double.", _number("1.5d")),
        ("nan-value", "The word NaN instead of a number.", _number("NaN")),
        ("infinite-value", "The word -Infinity instead of a number.", _number("-Infinity")),
        ("infinite-cut-short", "The word Inf instead of a number.", _number("Inf")),
        ("undefined-value", "The word undefined instead of a number.", _number("undefined")),
        # words
        ("capital-true", "True or false with a capital letter, as in Python.", replaced(at.boolean, bytes.capitalize)),
        ("upper-case-true", "The word true or false in upper case.", replaced(at.boolean, bytes.upper)),
        ("yes", "The word yes without quotes instead of a boolean.", replaced(at.boolean, b"yes")),
        ("unquoted-string", "A string without quotes.", replaced(at.string, b"abc")),
        # strings
        ("raw-newline", "An unescaped line break in a string.", _in_string(b"\n")),
        ("raw-tab", "An unescaped tab in a string.", _in_string(b"\t")),
        ("raw-nul", "An unescaped NUL character in a string.", _in_string(b"\0")),
        ("raw-control", "The unescaped control character U+001F in a string.", _in_string(b"\x1f")),
        ("bad-escape", "An escape that JSON does not have: \\x with two digits.", _in_string(rb"\x41")),
        ("octal-escape", "An escape that JSON does not have: three octal digits.", _in_string(rb"\101")),
        ("apostrophe-escape", "A backslash before an apostrophe.", _in_string(rb"\'")),
        ("newline-escape", "A backslash before a line break, as in JavaScript.", _in_string(b"\\\n")),
        ("braced-unicode-escape", "A Unicode escape with its digits in braces.", _in_string(rb"\u{41}")),
        ("short-unicode-escape", "A Unicode escape with three digits.", _in_string(rb"\u004")),
        ("wordy-unicode-escape", "A Unicode escape with letters instead of digits.", _in_string(rb"\uqqqq")),
        ("signed-unicode-escape", "A Unicode escape with a plus sign.", _in_string(rb"\u+041")),
        ("surrogate-cut-short", "A surrogate pair whose second half has only two digits.", _in_string(rb"\ud834\udd")),
        ("raw-quote", "An unescaped double quote in a string.", _in_string(b'"')),
        ("single-quoted-string", "A string in single quotes.", replaced(at.string, b"'a'")),
        ("backticked-string", "A string in backticks.", replaced(at.string, b"`a`")),
        ("last-quote-escaped", "A string whose closing quote is escaped.", replaced(at.string, rb'"a\"')),
        # messages that end too early
        ("truncated", "The message ends before its last brace.", lambda body: body[:-1]),
        ("cut-behind-colon", "The message ends after its last colon.", cut(at.last_colon)),
        ("cut-behind-comma", "The message ends after the last comma between properties.", cut(at.last_comma)),
        ("cut-in-string", "The message ends inside its last string.", _last_string_cut()),
        ("cut-in-escape", "The message ends after a backslash.", _last_string_cut(b"\\")),
        ("cut-in-unicode-escape", "The message ends inside a Unicode escape.", _last_string_cut(rb"\u00")),
        ("cut-in-character", "The message ends inside a two-byte character.", _last_string_cut(b"\xc3")),
        ("cut-in-literal", "The message ends inside true or false.", cut(at.last_boolean, lambda token: token[:-1])),
        ("cut-in-number", "The message ends after the decimal point of a number.", _cut_in_number),
    ],
)
register_rows(
    JSON_RULE,
    family="whole-body",
    change=slip,
    rows=[
        ("empty-body", "An empty body.", _instead(b"")),
        ("white-space-alone", "Only white space.", _instead(b" \n\t\r\n")),
        ("mark-alone", "Only a byte order mark.", _instead(b"\xef\xbb\xbf")),
        ("word-alone", "A word without quotes.", _instead(b"abc")),
        ("byte-alone", "A byte that is not valid UTF-8.", _instead(b"\xe9")),
        ("quote-alone", "Only a double quote.", _instead(b'"')),
        ("many-brackets", "10,000 opening brackets.", _instead(b"[" * 10_000)),
        ("very-many-brackets", "100,000 opening brackets.", _instead(b"[" * 100_000)),
        ("in-base64", "The message encoded in Base64.", b64encode),
        ("as-form", "The message encoded as an HTML form.", _as_form),
        ("as-xml", "An XML document.", _instead(b'<?xml version="1.0"?><offer><number>A-1</number></offer>')),
        ("as-yaml", "The message as YAML, with one property per line.", _as_yaml),
        ("as-python", "The message as a Python dictionary literal.", lambda body: in_words(loads(body)).encode()),
    ],
)
