"""Slips in texts: quotes, control characters, escapes."""

from brokerfuzz.cases.techniques.wire.syntax_slips import at, slip, text

# -------------------------------------------------------------------------------------------------------- within

for _name, _words, _within in (
    ("raw-newline", "A line break within a text.", b"\n"),
    ("raw-carriage-return", "A carriage return within a text.", b"\r"),
    ("raw-tab", "A tab within a text.", b"\t"),
    ("raw-nul", "A NUL within a text.", b"\0"),
    ("raw-control", "The last control character within a text.", b"\x1f"),
    ("bad-escape", "An escape that JSON does not have: x and two digits.", rb"\x41"),
    ("bell-escape", "An escape that JSON does not have: a.", rb"\a"),
    ("vertical-tab-escape", "An escape that JSON does not have: v.", rb"\v"),
    ("nul-escape", "An escape that JSON does not have: 0.", rb"\0"),
    ("octal-escape", "An escape that JSON does not have: three digits.", rb"\101"),
    ("apostrophe-escape", "An apostrophe behind a backslash.", rb"\'"),
    ("newline-escape", "A line break behind a backslash, which goes on with the line in JavaScript.", b"\\\n"),
    ("tab-escape", "A tab behind a backslash.", b"\\\t"),
    ("raw-nul-escape", "A NUL behind a backslash.", b"\\\0"),
    ("emoji-escape", "An emoji behind a backslash.", "\\🌀".encode()),
    ("broken-byte-escape", "A byte that is no UTF-8 behind a backslash.", b"\\\xe5"),
    ("capital-unicode-escape", "A Unicode escape with a capital U.", rb"\UA66D"),
    ("long-unicode-escape", "A Unicode escape of eight digits with a capital U.", rb"\U0001F300"),
    ("braced-unicode-escape", "A Unicode escape with its digits between braces.", rb"\u{41}"),
    ("short-unicode-escape", "A Unicode escape of three digits.", rb"\u004"),
    ("empty-unicode-escape", "A Unicode escape without digits.", rb"\u"),
    ("wordy-unicode-escape", "A Unicode escape of letters that are no digits.", rb"\uqqqq"),
    ("signed-unicode-escape", "A Unicode escape with a plus sign.", rb"\u+041"),
    ("blank-in-unicode-escape", "A Unicode escape with a blank among its digits.", rb"\u0 41"),
    ("prefixed-unicode-escape", "A Unicode escape whose digits begin with 0x.", rb"\u0x41"),
    ("full-width-unicode-escape", "A Unicode escape of full-width digits.", "\\u００４１".encode()),
    ("broken-unicode-escape", "A byte that is no UTF-8 where the digits of a Unicode escape belong.", b"\\u\xe5"),
    ("surrogate-and-empty-escape", "Half of a surrogate pair, and a Unicode escape without digits.", rb"\ud800\u"),
    ("surrogate-and-short-escape", "Half of a surrogate pair, and a Unicode escape of one digit.", rb"\ud800\u1"),
    ("surrogate-and-wordy-escape", "Half of a surrogate pair, and a Unicode escape of a digit and a letter.", rb"\ud800\u1x"),
    ("surrogate-cut-short", "A surrogate pair whose second half lacks two digits.", rb"\ud834\udd"),
    ("surrogates-and-bad-escape", "Two halves of surrogate pairs, and an escape that JSON does not have.", rb"\ud800\ud800\x"),
    ("raw-quote", "A quote within a text.", b'"'),
):
    slip(_name, _words, at(text, b'"a' + _within + b'z"'))

# -------------------------------------------------------------------------------------------------------- around

for _name, _words, _text in (
    ("single-quoted-string", "A text between single quotes.", b"'a'"),
    ("backticked-string", "A text between backticks.", b"`a`"),
    ("triple-quoted-string", "A text between three quotes on either side.", b'"""a"""'),
    ("first-quote-missing", "A text without the quote that opens it.", b'a"'),
    ("last-quote-missing", "A text without the quote that closes it.", b'"a'),
    ("last-quote-escaped", "A text whose last quote is escaped.", rb'"a\"'),
    ("last-quote-escaped-behind-backslash", "A text of a backslash whose last quote is escaped.", rb'"\\\"'),
    ("last-quote-escaped-behind-surrogate", "A text of half a surrogate pair whose last quote is escaped.", rb'"\ud800\"'),
    ("apostrophe-for-last-quote", "A text with an apostrophe for its last quote.", b"\"a'"),
    ("words-behind-string", "Words behind a text.", b'"a" b'),
    ("letter-behind-string", "A letter close behind a text.", b'"a"x'),
    ("joined-strings", "Two texts with a plus sign between.", b'"a" + "b"'),
    ("strings-side-by-side", "Two texts with nothing but a blank between, which C joins.", b'"a" "b"'),
    ("prefixed-string", "A text with a letter before it, as Python's bytes have.", b'b"a"'),
    ("escaped-string", "A text whose quotes are escaped.", rb"\"a\""),
    ("escape-without-quotes", "An escape without quotes around it.", rb"\n"),
):
    slip(_name, _words, at(text, _text))
