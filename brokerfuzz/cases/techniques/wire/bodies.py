"""Defines bodies that replace a JSON message: other content, the message in another format such as YAML, or the message
with content before or after it.
"""

from base64 import b64encode
from html import escape
from json import loads
from urllib.parse import quote, urlencode

from brokerfuzz.cases.techniques.other_types import in_words
from brokerfuzz.cases.techniques.wire.syntax_slips import after, around, before, closing, instead, opening, slip


def _as_yaml(body: bytes) -> bytes:
    return "".join(f"{name}: {in_words(value)}\n" for name, value in loads(body).items()).encode(errors="replace")


def _as_form(body: bytes) -> bytes:
    return urlencode({name: in_words(value) for name, value in loads(body).items()}).encode()


def _in_utf_7(body: bytes) -> bytes:
    return b"+" + b64encode(body.decode().encode("utf-16-be")).rstrip(b"=") + b"-"


# ------------------------------------------------------------------------------------------------------- other content

for _name, _text, _body in (
    ("empty-body", "An empty body.", b""),
    ("white-space-alone", "Only white space.", b" \n\t\r\n"),
    ("mark-alone", "Only a byte order mark.", b"\xef\xbb\xbf"),
    ("nul-alone", "Four NUL bytes.", b"\0\0\0\0"),
    ("word-alone", "A word without quotes.", b"abc"),
    ("undefined-alone", "The word undefined, which JavaScript writes for a missing value.", b"undefined"),
    ("byte-alone", "A byte that is not valid UTF-8.", b"\xe9"),
    ("quote-alone", "Only a double quote.", b'"'),
    ("bracket-alone", "Only an opening bracket.", b"["),
    ("closing-bracket-alone", "Only a closing bracket.", b"]"),
    ("many-brackets", "10,000 opening brackets.", b"[" * 10_000),
    ("many-braces", "2,000 nested objects, none closed.", b'{"a":' * 2_000),
    ("very-many-brackets", "100,000 opening brackets.", b"[" * 100_000),
    ("very-many-braces", "20,000 nested objects, none closed.", b'{"a":' * 20_000),
):
    slip(_name, _text, instead(_body), family="whole-body")

# --------------------------------------------------------------------------------------------------- other formats

slip("in-base64", "The message encoded in Base64.", b64encode, family="whole-body")
slip(
    "percent-encoded",
    "The message, percent-encoded as in a URL.",
    lambda body: quote(body).encode(),
    family="whole-body",
)
slip(
    "html-escaped",
    "The message with its quotes escaped as in HTML.",
    lambda body: escape(body.decode()).encode(),
    family="whole-body",
)
slip(
    "quotes-escaped",
    "The message with a backslash before every quote.",
    lambda body: body.replace(b'"', rb"\""),
    family="whole-body",
)
slip("as-form", "The message encoded as an HTML form.", _as_form, family="whole-body")
slip(
    "as-xml",
    "XML instead of the message.",
    lambda body: b'<?xml version="1.0"?><offer><number>A-1</number></offer>',
    family="whole-body",
)
slip("as-yaml", "The message as YAML, with one property per line.", _as_yaml, family="whole-body")
slip(
    "single-quotes",
    "All names and strings in single quotes.",
    lambda body: body.replace(b"'", b"").replace(b'"', b"'"),
    family="whole-body",
)
slip(
    "curly-quotes",
    "All names and strings in typographic (curly) quotes.",
    lambda body: body.replace(b'"', "”".encode()),
    family="whole-body",
)
slip("in-backticks", "All names and strings in backticks.", lambda body: body.replace(b'"', b"`"), family="whole-body")
slip(
    "as-python",
    "The message as a Python dictionary literal.",
    lambda body: in_words(loads(body)).encode(),
    family="whole-body",
)
slip("in-utf-7", "The message encoded in UTF-7.", _in_utf_7, family="encoding")
slip(
    "in-ebcdic",
    "The message encoded in EBCDIC.",
    lambda body: body.decode().encode("cp500", "replace"),
    family="encoding",
)

# ------------------------------------------------------------------------------------------- before the message

for _name, _text, _before in (
    ("half-a-mark", "Two of the three bytes of a byte order mark before the message.", b"\xef\xbb"),
    ("two-marks", "Two byte order marks before the message.", b"\xef\xbb\xbf\xef\xbb\xbf"),
    ("lone-byte-before", "A byte that is not valid UTF-8, followed by the message.", b"\xe9"),
    ("guard-before", "A prefix that prevents a browser from running the message as a script.", b")]}',\n"),
    ("assignment", "The message assigned to a variable.", b"var offer = "),
    ("record-separator", "A record separator before the message, as in JSON text sequences.", b"\x1e"),
    ("word-before", "A word before the message.", b"json "),
    ("comma-before", "A comma before the message.", b","),
    ("array-around-unclosed", "An opening bracket before the message.", b"["),
):
    slip(_name, _text, before(opening, _before))

# ---------------------------------------------------------------------------------------------- after the message

for _name, _text, _after in (
    ("trailing-text", "A word after the message.", b" x"),
    ("trailing-string", "A string after the message.", b' "x"'),
    ("trailing-number", "A number after the message.", b" 1"),
    ("trailing-hash", "A hash sign and an empty object after the message.", b"#{}"),
    ("trailing-semicolon", "A semicolon after the message.", b";"),
    ("trailing-bracket", "A closing bracket after the message.", b"]"),
    ("comma-behind", "A comma after the message.", b","),
    ("trailing-nul", "A NUL byte after the message.", b"\0"),
    ("trailing-control-z", "The character Control-Z after the message, an old end-of-file mark.", b"\x1a"),
    ("trailing-byte", "The message, followed by a byte that is not valid UTF-8.", b"\xff"),
    ("trailing-mark", "A byte order mark after the message.", b"\xef\xbb\xbf"),
):
    slip(_name, _text, after(closing, _after))
slip("two-documents", "The message twice, each on its own line.", lambda body: body + b"\n" + body)
slip("two-documents-in-a-line", "The message twice, without a separator.", lambda body: body + body)
slip("two-documents-with-comma", "The message twice, separated by a comma.", lambda body: body + b"," + body)
slip("as-call", "The message as the argument of a function call, as in JSONP.", around(b"callback(", b");"))
slip("in-parentheses", "The message in parentheses.", around(b"(", b")"))
