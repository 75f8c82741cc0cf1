"""Defines syntax errors in commas, colons, names, brackets, comments and white space."""

from brokerfuzz.cases.techniques.wire.syntax_slips import (
    after,
    array,
    array_end,
    at,
    before,
    boolean,
    closing,
    colon,
    comma,
    name,
    number,
    opening,
    slip,
    string,
    tokens,
)


def _unquoted(body: bytes) -> bytes:
    found = tokens(body)
    return b"".join(
        token[1:-1] if following == b":" else token for token, following in zip(found, [*found[1:], b""], strict=True)
    )


def _in_parentheses(body: bytes) -> bytes | None:
    found = tokens(body)
    first, last = array(found), array_end(found)
    if first is None or last is None:
        return None
    return b"".join([*found[:first], b"(", *found[first + 1 : last], b")", *found[last + 1 :]])


# -------------------------------------------------------------------------------------------------------- commas

slip("trailing-comma", "A comma after the last property.", before(closing, b","))
slip("trailing-commas", "Five commas after the last property.", before(closing, b",,,,,"))
slip("leading-comma", "A comma before the first property.", after(opening, b","))
slip("doubled-comma", "Two commas between two properties.", after(comma, b","))
slip("missing-comma", "No comma between two properties.", at(comma, b" "))
slip("semicolon-for-comma", "A semicolon between two properties.", at(comma, b";"))
slip("trailing-comma-in-array", "A comma after the last item of an array.", before(array_end, b","))
slip("trailing-commas-in-array", "Two commas after the last item of an array.", before(array_end, b",,"))
slip("leading-comma-in-array", "A comma before the first item of an array.", after(array, b","))
slip("blanks-for-an-item", "Spaces and a comma before the first item of an array.", after(array, b"   , "))
slip("doubled-comma-in-array", "Two commas between two items of an array.", before(array_end, b',,"b"'))
slip("missing-comma-in-array", "No comma between two items of an array.", before(array_end, b' "b"'))
slip("semicolon-in-array", "A semicolon between two items of an array.", before(array_end, b';"b"'))
slip("colon-in-array", "A colon between two items of an array.", before(array_end, b':"b"'))

# -------------------------------------------------------------------------------------------------------- colons

slip("missing-colon", "No colon between a name and its value.", at(colon, b" "))
slip("doubled-colon", "Two colons between a name and its value.", after(colon, b":"))
slip("comma-for-colon", "A comma between a name and its value.", at(colon, b","))
slip("equals-for-colon", "An equals sign between a name and its value.", at(colon, b"="))
slip("arrow-for-colon", "An arrow between a name and its value, as in Ruby and PHP.", at(colon, b"=>"))
slip("named-item", "An empty name and a colon before an item of an array.", after(array, b'"":'))

# --------------------------------------------------------------------------------------------------------- names

slip("unquoted-key", "The first property name without quotes.", at(name, lambda token: token[1:-1]))
slip("unquoted-keys", "All property names without quotes.", _unquoted)
slip(
    "single-quoted-key", "The first property name in single quotes.", at(name, lambda token: b"'" + token[1:-1] + b"'")
)
slip(
    "escaped-quotes-of-key",
    "The first property name in escaped quotes.",
    at(name, lambda token: rb"\"" + token[1:-1] + rb"\""),
)
slip("number-for-key", "A property with an unquoted number as its name.", before(closing, b",1:1"))
slip(
    "huge-number-for-key",
    "A property with an unquoted number as its name, which is too large for a double.",
    before(closing, b",9999E9999:1"),
)
slip(
    "null-for-key",
    "Two properties with the unquoted word null as their name.",
    before(closing, b",null:null,null:null"),
)
slip("bracket-for-key", "An opening bracket instead of a property name.", before(closing, b',[:"a"'))
slip("missing-name", "A colon and a value without a property name.", before(closing, b',:"a"'))
slip("name-alone", "A property name without a colon and a value.", before(closing, b',"a"'))
slip("emoji-alone", "An emoji instead of a property.", before(closing, ",🇨🇭".encode()))
slip("missing-value", "A property name and a colon without a value.", at(number, b""))
slip("two-values", "Two values after one property name.", before(closing, b" 123"))

# ------------------------------------------------------------------------------------------------------ brackets

slip("closed-twice", "One closing brace too many.", after(closing, b"}"))
slip("closed-by-bracket", "A closing bracket instead of the last brace of the message.", at(closing, b"]"))
slip("closed-by-comma", "A comma instead of the last brace of the message.", at(closing, b","))
slip("opening-brace-missing", "The message without its first brace.", at(opening, b""))
slip("array-closed-twice", "One closing bracket too many after an array.", after(array_end, b"]"))
slip("array-closed-by-brace", "An array closed with a brace.", at(array_end, b"}"))
slip("array-not-closed", "An array without its closing bracket.", at(array_end, b""))
slip("array-in-parentheses", "An array in parentheses, like a Python tuple.", _in_parentheses)
slip("dots-in-array", "Three dots in an array, as for omitted items.", before(array_end, b",..."))
slip("star-in-array", "An asterisk in an array.", before(array_end, b",*"))
slip("dots-for-properties", "Three dots instead of more properties.", before(closing, b",..."))

# ------------------------------------------------------------------------------------------------------ comments

slip("comment", "A comment before the message.", before(opening, b"/* offer */"))
slip("line-comment", "A line comment after the message.", after(closing, b"\n// offer\n"))
slip("trailing-comment", "An empty comment after the message.", after(closing, b"/**/"))
slip("trailing-comment-open", "An empty comment and a slash after the message.", after(closing, b"/**//"))
slip("trailing-slash", "A slash after the message.", after(closing, b"/"))
slip("inner-comment", "A comment between a name and its value.", after(colon, b"/*comment*/"))
slip("inner-line-comment", "A line comment between two properties.", after(comma, b"// offer\n"))
slip("hash-comment", "A comment with a hash sign, as in shell scripts and YAML.", after(comma, b"# offer\n"))

# --------------------------------------------------------------------------------------------------- white space

for _name, _words, _between in (
    ("vertical-tab", "A vertical tab", "\x0b"),
    ("form-feed", "A form feed", "\f"),
    ("no-break-space-outside", "A no-break space", "\u00a0"),
    ("next-line-outside", "The control character NEL (next line)", "\u0085"),
    ("line-separator-outside", "A line separator (white space in JavaScript)", "\u2028"),
    ("wide-space-outside", "An ideographic space", "\u3000"),
    ("zero-width-space-outside", "A zero-width space", "\u200b"),
    ("word-joiner-outside", "A word joiner", "\u2060"),
    ("mark-outside", "A byte order mark", "\ufeff"),
    ("nul-outside", "A NUL character", "\0"),
):
    slip(_name, f"{_words} between two properties.", after(comma, _between.encode()))
slip("escaped-line-break-outside", "A backslash and the letter n between two properties.", after(comma, rb"\n"))
slip("unicode-escape-outside", "A Unicode escape for a space, outside of any string.", before(string, rb"\u0020"))

# ------------------------------------------------------------------------------------------- JavaScript and XML

slip("parenthesised-value", "A number in parentheses.", at(number, lambda token: b"(" + token + b")"))
slip("value-in-angle-brackets", "A boolean in angle brackets.", at(boolean, lambda token: b"<" + token + b">"))
slip("spread-object", "A JavaScript spread expression (...{}) among the properties.", before(closing, b",...{}"))
