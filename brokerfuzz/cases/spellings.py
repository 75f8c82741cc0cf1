"""Writes a valid message in other ways that RFC 8259 allows, without changing its meaning, and lists unusual
literals.
"""

from collections.abc import Callable, Mapping, Sequence

import orjson

from brokerfuzz.cases.case import compact


def _last_first(body: bytes) -> bytes:
    message = orjson.loads(body)
    properties = list(message.items()) if isinstance(message, dict) else []
    return compact(dict([*properties[-1:], *properties[:-1]])) if properties else body


def _within_texts(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Returns a function that changes the first two strings: usually the name of a property and its value."""

    def rewrite(body: bytes) -> bytes:
        pieces = body.split(b'"')
        for index in range(1, min(len(pieces), 4), 2):
            pieces[index] = change(pieces[index].decode()).encode()
        return b'"'.join(pieces)

    return rewrite


def _white_space(body: bytes) -> bytes:
    return b" \r\n\t" + body.replace(b'":', b'"\t: \n').replace(b',"', b' ,\r\n"') + b"\n "


SPELLINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "sorted-properties": lambda body: orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS),
    "last-property-first": _last_first,
    "indented": lambda body: orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2),
    "white-space": _white_space,
    "newline-behind": lambda body: body + b"\n",
    "escaped-letters": _within_texts(lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text)),
    "escaped-letters-in-capitals": _within_texts(lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text)),
    "escaped-first-letter": _within_texts(lambda text: f"\\u{ord(text[0]):04x}{text[1:]}" if text else ""),
    "escaped-slashes": lambda body: body.replace(b"/", b"\\/"),
}
"""Functions that change the bytes of a message, but not the meaning of the message."""
TEXT_LITERALS: Sequence[str] = [
    f'"{text}"' for text in (
        r"\"\\\/\b\f\n\r\t", r"\u002c\u0022\u005C", r"\u0012\u001f", r"\u00A0\u00e9", r"\u0123\u0821\uA66D\ua66d",
        r"\\u0000", r"\\a\\n",
        "/* no comment */", "// nor this", r"\ud83e\uddea", r"\uD834\uDD1E\ud834\udd1e", r"\uDBFF\uDFFF",
        r"\uFFFE\uFDD0", r"\uD83F\uDFFE",
        "\uffff", "\U0010ffff", "\x7f", "\u2028\u2029", "\u03c0\u20ac\U0001d11e", r"\u200B\u2064", "[1,2]", "{}",
        "\ufffd",
    )
]  # fmt: skip
"""Strings in JSON notation that RFC 8259 allows: with escapes, with Unicode noncharacters, or with text that looks like
code.
"""
NUMBER_LITERALS: Sequence[str] = (
    "0e1", "0e+1", "0E-1", "-0", "-0.0", "0e999", "1E22", "1E+2", "1E-2", "1e2", "123e45", "123.456e78", "1.0e+28",
    "-1.0e+28",
    "100000000000000000000", "1.50",
)  # fmt: skip
"""Numbers in notations that RFC 8259 allows."""
