"""Questions about the encoding of a message. The reader asks them of messages that it cannot parse quickly."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

import orjson

from brokerfuzz.schemas.questions.question import AboutBytes, Probes


def decoded(body: bytes) -> tuple[str, str]:
    """Decodes the bytes to text. Also returns the encoding, which begins with `broken` if some bytes are wrong."""
    encoding = json.detect_encoding(body)
    try:
        return body.decode(encoding), encoding
    except UnicodeDecodeError:
        return body.decode(encoding, "replace"), f"broken {encoding.removesuffix('-sig')}"


class Encoding(AboutBytes):
    def found(self, value: bytes) -> str:
        return decoded(value)[1]


class ByteOrderMark(Encoding, kind="byte_order_mark"):
    """A byte order mark at the beginning."""

    def touches(self, value: bytes) -> bool:
        return json.detect_encoding(value) in ("utf-8-sig", "utf-16", "utf-32")

    def found(self, value: bytes) -> str:
        return "a byte order mark"

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield "utf-8-mark", orjson.Fragment(b"\xef\xbb\xbf" + orjson.dumps(value))


class _WideEncoding(Encoding):
    """An encoding with several bytes for each ASCII character. `encodings` maps the names of probes to byte order marks
    and to the names of encodings in Python.
    """

    family: ClassVar[str]
    encodings: ClassVar[Mapping[str, tuple[bytes, str]]]

    def touches(self, value: bytes) -> bool:
        return json.detect_encoding(value).startswith(self.family)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        text = orjson.dumps(value).decode()
        for name, (mark, encoding) in self.encodings.items():
            yield name, orjson.Fragment(mark + text.encode(encoding))


class Utf16(_WideEncoding, kind="utf_16"):
    family = "utf-16"
    encodings: ClassVar = {
        "utf-16": (b"\xff\xfe", "utf-16-le"),
        "utf-16-be-marked": (b"\xfe\xff", "utf-16-be"),
        "utf-16-le": (b"", "utf-16-le"),
        "utf-16-be": (b"", "utf-16-be"),
    }


class Utf32(_WideEncoding, kind="utf_32"):
    family = "utf-32"
    encodings: ClassVar = {"utf-32": (b"\xff\xfe\0\0", "utf-32-le"), "utf-32-be": (b"", "utf-32-be")}


_SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")
_WELL_FORMED = re.compile(
    rb"(?:[\x00-\x7f]++|[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3})*+"
)


class _FaultyUtf8(Encoding):
    """Bytes that are not valid UTF-8. `unusual` maps the names of probes to the bytes of a string."""

    json_type = "string"
    unusual: ClassVar[Mapping[str, bytes]]

    def touches(self, value: bytes) -> bool:
        is_faulty = json.detect_encoding(value).startswith("utf-8") and not _can_be_decoded(value)
        return is_faulty and _kind_of_faulty_utf_8(value) is type(self)

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield from ((name, orjson.Fragment(b'"' + text + b'"')) for name, text in self.unusual.items())


class SurrogatesInUtf8(_FaultyUtf8, kind="surrogates_in_utf_8"):
    """Surrogates, as in CESU-8."""

    unusual: ClassVar = {"surrogate": b"\xed\xa0\x80", "surrogate-pair": b"\xed\xa0\xbd\xed\xb8\x80"}


class OverlongUtf8(_FaultyUtf8, kind="overlong_utf_8"):
    """Sequences that are longer than necessary, or stand for code points beyond Unicode."""

    unusual: ClassVar = {"nul-of-java": b"\xc0\x80", "overlong": b"\xc0\xaf", "past-unicode": b"\xf4\x90\x80\x80"}

    @staticmethod
    def decoded(body: bytes) -> bytes:
        """Replaces overlong sequences with the characters that a lenient decoder reads."""
        return _SEQUENCE.sub(lambda match: _character(match[0]).encode(), body)


class NotUtf8(_FaultyUtf8, kind="not_utf_8"):
    """Any other bytes, as in Latin-1."""

    unusual: ClassVar = {
        "latin-1": b"\xe9",
        "lone-continuation": b"\x81",
        "two-of-three": b"\xe2\x82",
        "last-byte": b"\xff",
    }


def _can_be_decoded(body: bytes, errors: str = "strict") -> bool:
    try:
        body.decode("utf-8", errors)
    except UnicodeDecodeError:
        return False
    return True


def _kind_of_faulty_utf_8(body: bytes) -> type[_FaultyUtf8]:
    if _can_be_decoded(body, "surrogatepass"):
        return SurrogatesInUtf8
    return OverlongUtf8 if _WELL_FORMED.fullmatch(body) else NotUtf8


def _character(sequence: bytes) -> str:
    code = sequence[0] & (0xFF >> (len(sequence) + 1))
    for byte in sequence[1:]:
        code = code << 6 | byte & 0x3F
    return "\ufffd" if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)
