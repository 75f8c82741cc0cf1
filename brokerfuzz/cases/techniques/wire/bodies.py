"""Something else in place of the message, before it or behind it; the message in other clothes."""

from base64 import b64encode
from html import escape
from json import loads
from urllib.parse import quote, urlencode

from brokerfuzz.cases.techniques.python_literals import in_words
from brokerfuzz.cases.techniques.wire.syntax_slips import around, before, behind, closing, instead, opening, slip


def _as_yaml(body: bytes) -> bytes:
    return "".join(f"{name}: {in_words(value)}\n" for name, value in loads(body).items()).encode(errors="replace")


def _as_form(body: bytes) -> bytes:
    return urlencode({name: in_words(value) for name, value in loads(body).items()}).encode()


def _in_utf_7(body: bytes) -> bytes:
    return b"+" + b64encode(body.decode().encode("utf-16-be")).rstrip(b"=") + b"-"


# ------------------------------------------------------------------------------------------------ nothing of a message

for _name, _text, _body in (
    ("empty-body", "No byte at all.", b""),
    ("white-space-alone", "White space and nothing else.", b" \n\t\r\n"),
    ("mark-alone", "A byte order mark and nothing else.", b"\xef\xbb\xbf"),
    ("nul-alone", "Four NULs.", b"\0\0\0\0"),
    ("word-alone", "A word without quotes.", b"abc"),
    ("undefined-alone", "The word undefined, which JavaScript makes of nothing.", b"undefined"),
    ("byte-alone", "A byte that is no UTF-8.", b"\xe9"),
    ("quote-alone", "A quote and nothing else.", b'"'),
    ("bracket-alone", "An opening bracket and nothing else.", b"["),
    ("closing-bracket-alone", "A closing bracket and nothing else.", b"]"),
    ("many-brackets", "100,000 opening brackets.", b"[" * 100_000),
    ("many-braces", "20,000 objects, one in the other, none closed.", b'{"a":' * 20_000),
):
    slip(_name, _text, instead(_body), family="whole-body")

# --------------------------------------------------------------------------------------------------- other formats

slip("in-base64", "The message in Base64.", b64encode, family="whole-body")
slip("percent-encoded", "The message percent-encoded, as an address has it.", lambda body: quote(body).encode(), family="whole-body")
slip("html-escaped", "The message with its quotes as HTML has them.", lambda body: escape(body.decode()).encode(), family="whole-body")
slip("quotes-escaped", "The message with a backslash before every quote.", lambda body: body.replace(b'"', rb"\""), family="whole-body")
slip("as-form", "The message as a form is sent.", _as_form, family="whole-body")
slip("as-xml", "A message of XML.", lambda body: b'<?xml version="1.0"?><offer><number>A-1</number></offer>', family="whole-body")
slip("as-yaml", "The message as YAML, a property a line.", _as_yaml, family="whole-body")
slip("single-quotes", "Names and texts between single quotes.", lambda body: body.replace(b"'", b"").replace(b'"', b"'"), family="whole-body")
slip("curly-quotes", "Names and texts between quotes as print has them.", lambda body: body.replace(b'"', "”".encode()), family="whole-body")
slip("in-backticks", "Names and texts between backticks.", lambda body: body.replace(b'"', b"`"), family="whole-body")
slip("as-python", "The message as Python writes a dictionary.", lambda body: in_words(loads(body)).encode(), family="whole-body")
slip("in-utf-7", "The message in UTF-7.", _in_utf_7, family="encoding")
slip("in-ebcdic", "The message in EBCDIC.", lambda body: body.decode().encode("cp500", "replace"), family="encoding")

# ------------------------------------------------------------------------------------------- before the message

for _name, _text, _before in (
    ("half-a-mark", "Two of the three bytes of a byte order mark before the message.", b"\xef\xbb"),
    ("two-marks", "Two byte order marks before the message.", b"\xef\xbb\xbf\xef\xbb\xbf"),
    ("lone-byte-before", "A byte that is no UTF-8 before the message.", b"\xe9"),
    ("guard-before", "The guard before the message by which some keep it from being run as a script.", b")]}',\n"),
    ("assignment", "The message assigned to a variable.", b"var offer = "),
    ("record-separator", "The character before the message that begins a record in a sequence of JSON texts.", b"\x1e"),
    ("word-before", "A word before the message.", b"json "),
    ("comma-before", "A comma before the message.", b","),
    ("array-around-unclosed", "An opening bracket before the message.", b"["),
):
    slip(_name, _text, before(opening, _before))

# --------------------------------------------------------------------------------------------- behind the message

for _name, _text, _behind in (
    ("trailing-text", "A word behind the message.", b" x"),
    ("trailing-string", "A text in quotes behind the message.", b' "x"'),
    ("trailing-number", "A number behind the message.", b" 1"),
    ("trailing-hash", "A hash and an object behind the message.", b"#{}"),
    ("trailing-semicolon", "A semicolon behind the message.", b";"),
    ("trailing-bracket", "A closing bracket behind the message.", b"]"),
    ("comma-behind", "A comma behind the message.", b","),
    ("trailing-nul", "A NUL behind the message.", b"\0"),
    ("trailing-control-z", "The character behind the message that once ended files.", b"\x1a"),
    ("trailing-byte", "A byte that is no UTF-8 behind the message.", b"\xff"),
    ("trailing-mark", "A byte order mark behind the message.", b"\xef\xbb\xbf"),
):
    slip(_name, _text, behind(closing, _behind))
slip("two-documents", "The message twice, a line each.", lambda body: body + b"\n" + body)
slip("two-documents-in-a-line", "The message twice, with nothing between.", lambda body: body + body)
slip("two-documents-with-comma", "The message twice, a comma between.", lambda body: body + b"," + body)
slip("as-call", "The message as the argument of a call, as scripts once fetched it.", around(b"callback(", b");"))
slip("in-parentheses", "The message between parentheses.", around(b"(", b")"))
