"""Defines syntax errors in strings: wrong quotes, control characters and escapes."""

from brokerfuzz.cases.techniques.wire.syntax_slips import at, slip, string

# -------------------------------------------------------------------------------------------------------- inside

for _name, _words, _within in (
    ("raw-newline", "An unescaped line break in a string.", b"\n"),
    ("raw-carriage-return", "An unescaped carriage return in a string.", b"\r"),
    ("raw-tab", "An unescaped tab in a string.", b"\t"),
    ("raw-nul", "An unescaped NUL character in a string.", b"\0"),
    ("raw-control", "The unescaped control character U+001F in a string.", b"\x1f"),
    ("bad-escape", "An escape that JSON does not have: \\x with two digits.", rb"\x41"),
    ("bell-escape", "An escape that JSON does not have: \\a (bell).", rb"\a"),
    ("vertical-tab-escape", "An escape that JSON does not have: \\v (vertical tab).", rb"\v"),
    ("nul-escape", "An escape that JSON does not have: \\0 (NUL).", rb"\0"),
    ("octal-escape", "An escape that JSON does not have: three octal digits.", rb"\101"),
    ("apostrophe-escape", "A backslash before an apostrophe.", rb"\'"),
    ("newline-escape", "A backslash before a line break, which continues the line in JavaScript.", b"\\\n"),
    ("tab-escape", "A backslash before a tab.", b"\\\t"),
    ("raw-nul-escape", "A backslash before a NUL character.", b"\\\0"),
    ("emoji-escape", "A backslash before an emoji.", "\\🌀".encode()),
    ("broken-byte-escape", "A backslash before a byte that is not valid UTF-8.", b"\\\xe5"),
    ("capital-unicode-escape", "A Unicode escape with an upper-case U.", rb"\UA66D"),
    ("long-unicode-escape", "A Unicode escape with an upper-case U and eight digits.", rb"\U0001F300"),
    ("braced-unicode-escape", "A Unicode escape with its digits in braces.", rb"\u{41}"),
    ("short-unicode-escape", "A Unicode escape with three digits.", rb"\u004"),
    ("empty-unicode-escape", "A Unicode escape without digits.", rb"\u"),
    ("wordy-unicode-escape", "A Unicode escape with letters that are not hexadecimal digits.", rb"\uqqqq"),
    ("signed-unicode-escape", "A Unicode escape with a plus sign.", rb"\u+041"),
    ("blank-in-unicode-escape", "A Unicode escape with a space among its digits.", rb"\u0 41"),
    ("prefixed-unicode-escape", "A Unicode escape whose digits begin with 0x.", rb"\u0x41"),
    ("full-width-unicode-escape", "A Unicode escape with full-width digits.", "\\u００４１".encode()),
    ("broken-unicode-escape", "A Unicode escape with a byte that is not valid UTF-8.", b"\\u\xe5"),
    (
        "surrogate-and-empty-escape",
        "Half of a surrogate pair, followed by a Unicode escape without digits.",
        rb"\ud800\u",
    ),
    (
        "surrogate-and-short-escape",
        "Half of a surrogate pair, followed by a Unicode escape with one digit.",
        rb"\ud800\u1",
    ),
    (
        "surrogate-and-wordy-escape",
        "Half of a surrogate pair, followed by a Unicode escape with a digit and an invalid letter.",
        rb"\ud800\u1x",
    ),
    ("surrogate-cut-short", "A surrogate pair whose second half has only two digits.", rb"\ud834\udd"),
    (
        "surrogates-and-bad-escape",
        "Two halves of surrogate pairs, followed by an escape that JSON does not have.",
        rb"\ud800\ud800\x",
    ),
    ("raw-quote", "An unescaped double quote in a string.", b'"'),
):
    slip(_name, _words, at(string, b'"a' + _within + b'z"'))

# -------------------------------------------------------------------------------------------------------- around

for _name, _words, _text in (
    ("single-quoted-string", "A string in single quotes.", b"'a'"),
    ("backticked-string", "A string in backticks.", b"`a`"),
    ("triple-quoted-string", "A string in triple quotes.", b'"""a"""'),
    ("first-quote-missing", "A string without its opening quote.", b'a"'),
    ("last-quote-missing", "A string without its closing quote.", b'"a'),
    ("last-quote-escaped", "A string whose closing quote is escaped.", rb'"a\"'),
    ("last-quote-escaped-behind-backslash", "A string with a backslash, whose closing quote is escaped.", rb'"\\\"'),
    (
        "last-quote-escaped-behind-surrogate",
        "A string with half of a surrogate pair, whose closing quote is escaped.",
        rb'"\ud800\"',
    ),
    ("apostrophe-for-last-quote", "A string with an apostrophe as its closing quote.", b"\"a'"),
    ("words-behind-string", "A word without quotes after a string.", b'"a" b'),
    ("letter-behind-string", "A letter directly after a string.", b'"a"x'),
    ("joined-strings", "Two strings joined with a plus sign.", b'"a" + "b"'),
    ("strings-side-by-side", "Two strings with only a space between them, which the language C joins.", b'"a" "b"'),
    ("prefixed-string", "A string with a letter before it, like Python bytes.", b'b"a"'),
    ("escaped-string", "A string whose quotes are both escaped.", rb"\"a\""),
    ("escape-without-quotes", "An escape without quotes around it.", rb"\n"),
):
    slip(_name, _words, at(string, _text))
