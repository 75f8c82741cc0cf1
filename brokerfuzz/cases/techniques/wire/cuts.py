"""The text ends too soon: at each place where it can."""

from brokerfuzz.cases.techniques.wire.syntax_slips import (
    array,
    array_end,
    cut,
    last_boolean,
    last_colon,
    last_comma,
    last_name,
    last_text,
    name,
    number,
    opening,
    slip,
)

slip("truncated", "The text ends before its last bracket.", lambda body: body[:-1])
slip("cut-in-half", "The text ends in its middle.", lambda body: body[: len(body) // 2].rstrip(b"}] "))
slip("cut-behind-brace", "The text ends behind its first brace.", cut(opening))
slip("cut-in-first-name", "The text ends within its first name.", cut(name, lambda token: token[:3]))
slip("cut-behind-first-name", "The text ends behind its first name.", cut(name))
slip("cut-in-name", "The text ends within its last name.", cut(last_name, lambda token: token[:-2]))
slip("cut-behind-name", "The text ends behind its last name.", cut(last_name))
slip("cut-behind-colon", "The text ends behind its last colon.", cut(last_colon))
slip("cut-behind-comma", "The text ends behind its last comma between properties.", cut(last_comma))
slip("cut-before-comma", "The text ends before its last comma between properties.", cut(last_comma, lambda token: b""))
slip("cut-in-string", "The text ends within its last text.", cut(last_text, lambda token: token[:-1]))
slip("cut-before-string", "The text ends behind the quote that opens its last text.", cut(last_text, lambda token: token[:1]))
slip("cut-in-escape", "The text ends behind a backslash.", cut(last_text, lambda token: token[:-1] + b"\\"))
slip("cut-in-unicode-escape", "The text ends within a Unicode escape.", cut(last_text, lambda token: token[:-1] + rb"\u00"))
slip("cut-in-character", "The text ends within a character of two bytes.", cut(last_text, lambda token: token[:-1] + b"\xc3"))
slip("cut-in-literal", "The text ends within its last true or false.", cut(last_boolean, lambda token: token[:-1]))
slip("cut-in-number", "The text ends behind the point of a number.", cut(number, lambda token: token.partition(b".")[0] + b"."))
slip("cut-behind-number", "The text ends behind a number.", cut(number))
slip("cut-behind-bracket", "The text ends behind the bracket that opens an array.", cut(array))
slip("cut-behind-item", "The text ends behind an item of an array.", cut(array_end, lambda token: b""))
slip("cut-behind-item-and-comma", "The text ends behind an item of an array and a comma.", cut(array_end, lambda token: b","))
slip("cut-behind-item-and-line", "The text ends behind an item of an array and a line break.", cut(array_end, lambda token: b"\n"))
slip("unclosed-string", "The text ends within a text that one more property has.", lambda body: body.rstrip(b"}]") + b',"a":"b')
slip("cut-from-the-start", "The text begins in its middle.", lambda body: body[len(body) // 2 :].lstrip(b'{["'))
