"""Defines messages that are cut off in the middle."""

from brokerfuzz.cases.techniques.wire.syntax_slips import (
    array,
    array_end,
    cut,
    last_boolean,
    last_colon,
    last_comma,
    last_name,
    last_string,
    name,
    number,
    opening,
    slip,
)

slip("truncated", "The message ends before its last brace.", lambda body: body[:-1])
slip("cut-in-half", "The message ends in the middle.", lambda body: body[: len(body) // 2].rstrip(b"}] "))
slip("cut-behind-brace", "The message ends after its first brace.", cut(opening))
slip("cut-in-first-name", "The message ends inside its first property name.", cut(name, lambda token: token[:3]))
slip("cut-behind-first-name", "The message ends after its first property name.", cut(name))
slip("cut-in-name", "The message ends inside its last property name.", cut(last_name, lambda token: token[:-2]))
slip("cut-behind-name", "The message ends after its last property name.", cut(last_name))
slip("cut-behind-colon", "The message ends after its last colon.", cut(last_colon))
slip("cut-behind-comma", "The message ends after the last comma between properties.", cut(last_comma))
slip(
    "cut-before-comma", "The message ends before the last comma between properties.", cut(last_comma, lambda token: b"")
)
slip("cut-in-string", "The message ends inside its last string.", cut(last_string, lambda token: token[:-1]))
slip(
    "cut-before-string",
    "The message ends after the opening quote of its last string.",
    cut(last_string, lambda token: token[:1]),
)
slip("cut-in-escape", "The message ends after a backslash.", cut(last_string, lambda token: token[:-1] + b"\\"))
slip(
    "cut-in-unicode-escape",
    "The message ends inside a Unicode escape.",
    cut(last_string, lambda token: token[:-1] + rb"\u00"),
)
slip(
    "cut-in-character",
    "The message ends inside a two-byte character.",
    cut(last_string, lambda token: token[:-1] + b"\xc3"),
)
slip("cut-in-literal", "The message ends inside its last true or false.", cut(last_boolean, lambda token: token[:-1]))
slip(
    "cut-in-number",
    "The message ends after the decimal point of a number.",
    cut(number, lambda token: token.partition(b".")[0] + b"."),
)
slip("cut-behind-number", "The message ends after a number.", cut(number))
slip("cut-behind-bracket", "The message ends after the opening bracket of an array.", cut(array))
slip("cut-behind-item", "The message ends after an item of an array.", cut(array_end, lambda token: b""))
slip(
    "cut-behind-item-and-comma",
    "The message ends after an item of an array and a comma.",
    cut(array_end, lambda token: b","),
)
slip(
    "cut-behind-item-and-line",
    "The message ends after an item of an array and a line break.",
    cut(array_end, lambda token: b"\n"),
)
slip(
    "unclosed-string",
    "The message ends inside the string of an additional property.",
    lambda body: body.rstrip(b"}]") + b',"a":"b',
)
slip("cut-from-the-start", "The message begins in the middle.", lambda body: body[len(body) // 2 :].lstrip(b'{["'))
