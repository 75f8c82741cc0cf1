"""Finds secrets in bytes, even if the secrets are encoded once or several times.

The search decodes the bytes, decodes the result again, and searches for the secrets in each result. For speed, the search decodes
only data that contains signs of an encoding, such as `%`.
"""

import base64
import html
import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

HIDDEN = "[secret]"
"""The text that replaces a secret in answers and errors if the secret does not come from an environment variable."""
DEPTH = 3
"""The search finds secrets that are encoded up to this many times. For example, a secret in JSON in base64 in percent encoding is
encoded three times.
"""
LONGEST_ENCODING = 36
"""The maximum factor by which encodings can lengthen a secret. For example, `"` can become `&#x5c;&#x22;`."""

_RUN = re.compile(rb"[A-Za-z0-9+/_-]{8,}(?:\r?\n[A-Za-z0-9+/_-]{2,})*")
"""A string that may be base64, on one or several lines. Six bytes, the minimum length of a secret, become eight letters in base64."""
_STANDARD = bytes.maketrans(b"-_", b"+/")
_COMPRESSED = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd")
"""The first bytes of gzip and zstd data. Searching compressed data would be slow, so compressed data counts as a secret."""
_MOST_REMEMBERED = 20_000
_LONGEST_REMEMBERED = 200


class _Encoding(NamedTuple):
    """An encoding that replaces a character with a notation, such as `%22`. `mark` is a character that every notation contains.
    `unfinished` matches the beginning of a notation at the end of the data, such as `%2`.
    """

    mark: bytes
    notation: re.Pattern[bytes]
    meaning: Callable[[re.Match[bytes]], bytes]
    unfinished: re.Pattern[bytes]


_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def _in_json(found: re.Match[bytes]) -> bytes:
    if letter := found[4]:
        return _CONTROLS.get(letter, letter)
    if pair := found[1]:
        return bytes.fromhex(pair.replace(b"\\u", b"").decode()).decode("utf-16-be").encode()
    return chr(int(found[2] or found[3], 16)).encode(errors="surrogatepass")


_JSON = _Encoding(
    b"\\",
    re.compile(rb"\\(?:u([dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL),
    _in_json,
    re.compile(rb"\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?$"),
)
_PERCENT = _Encoding(b"%", re.compile(rb"%([0-9a-fA-F]{2})"), lambda found: bytes.fromhex(found[1].decode()), re.compile(rb"%[0-9a-fA-F]?$"))
_FORM = _Encoding(
    b"+", re.compile(rb"\+|%([0-9a-fA-F]{2})"), lambda found: bytes.fromhex(found[1].decode()) if found[1] else b" ", _PERCENT.unfinished
)
_ENTITIES = {b"&amp;": b"&", b"&quot;": b'"', b"&lt;": b"<", b"&gt;": b">", b"&#39;": b"'", b"&#x27;": b"'"}
"""The most frequent HTML entities. `html.unescape` is slower than this table."""
_HTML = _Encoding(
    b"&",
    re.compile(rb"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z]{2,8});?"),
    lambda found: _ENTITIES.get(found[0]) or html.unescape(found[0].decode()).encode(errors="surrogatepass"),
    re.compile(rb"&#?[0-9a-zA-Z]{0,8}$"),
)


class _View:
    """Decoded bytes, with their positions in the encoded data. The encoded form of `data[i]` begins at `starts[i]` and ends
    before `ends[i]`.
    """

    __slots__ = ("data", "ends", "starts")

    def __init__(self, data: bytes, starts: "array[int]", ends: "array[int]") -> None:
        self.data, self.starts, self.ends = data, starts, ends

    @classmethod
    def of(cls, data: bytes) -> "_View":
        return cls(data, array("I", range(len(data))), array("I", range(1, len(data) + 1)))

    def decoded(self, encoding: _Encoding, end: int | None = None) -> "_View":
        data, starts, ends = bytearray(), array("I"), array("I")
        at = 0
        for found in encoding.notation.finditer(self.data[:end]):
            first, last = found.span()
            meaning = encoding.meaning(found)
            data += self.data[at:first] + meaning
            starts += self.starts[at:first] + array("I", [self.starts[first]] * len(meaning))
            ends += self.ends[at:first] + array("I", [self.ends[last - 1]] * len(meaning))
            at = last
        return _View(bytes(data + self.data[at:end]), starts + self.starts[at:end], ends + self.ends[at:end])


class SecretSearch:
    """Searches for secrets. `secrets` maps each secret to the text that replaces the secret.

    With `whole_numbers`, a secret that consists of digits is not found inside a longer number.
    """

    def __init__(self, secrets: Mapping[str, str], *, whole_numbers: bool = False) -> None:
        self._created_from = secrets, whole_numbers
        spelled = {spelling: text for secret, text in secrets.items() for spelling in _spellings(secret)}
        self._replacements = {spelling: text.encode() for spelling, text in spelled.items() if spelling} | {b"": HIDDEN.encode()}
        values = sorted(filter(None, self._replacements), key=lambda value: (-len(value), value))
        self._values = tuple(values)
        self.longest = len(values[0]) * LONGEST_ENCODING if values else 0
        alternatives = [rb"(?<![\d.])%b(?![\d.])" % value if whole_numbers and value.isdigit() else re.escape(value) for value in values]
        self._pattern = re.compile(b"|".join(alternatives) or rb"(?!)")
        self._encodings = (_JSON, _PERCENT, _HTML, *([_FORM] if any(b" " in value for value in values) else []))
        readable = all(re.fullmatch(rb"[\t\n\r -~]+", value) for value in values)
        self._readable = re.compile(rb"[\t\n\r -~]{6,}" if readable else rb"[\x00-\xff]{6,}")
        self._harmless = [set[bytes]() for _ in range(DEPTH + 1)]

    def __reduce__(self) -> tuple[Any, ...]:
        secrets, whole_numbers = self._created_from
        return partial(SecretSearch, whole_numbers=whole_numbers), (secrets,)

    def __bool__(self) -> bool:
        return bool(self._values)

    def finds(self, data: bytes, depth: int = DEPTH) -> bool:
        """Returns whether the data contains a secret. `finds` is much faster than `replaced`."""
        if not self._values:
            return False
        lower = data.lower()
        if any(value in lower for value in self._values) or any(start in data for start in _COMPRESSED):
            return True
        if not depth:
            return False
        for encoding in self._encodings:
            if encoding.mark in data:
                decoded = encoding.notation.sub(encoding.meaning, data)
                if decoded != data and self.finds(decoded, depth - 1):
                    return True
        return self._finds_in_base64(data, depth)

    def _finds_in_base64(self, data: bytes, depth: int) -> bool:
        harmless = self._harmless[depth]
        if not (runs := set(_RUN.findall(data)) - harmless):
            return False
        decoded = b"\n".join(chain.from_iterable(map(_from_base64, runs)))
        readable = b"\n".join(self._readable.findall(decoded))
        if any(start in decoded for start in _COMPRESSED) or (readable and self.finds(readable, depth - 1)):
            return True
        if len(harmless) > _MOST_REMEMBERED:
            harmless.clear()
        harmless.update(run for run in runs if len(run) <= _LONGEST_REMEMBERED)
        return False

    def replaced(self, data: bytes, end: int | None = None, *, keeps_numbers: bool = False) -> bytes:
        """Returns the data before the position `end` (None: all data), with replaced secrets. A secret that begins before `end`
        and ends after `end` is also replaced. If `keeps_numbers` is true, a secret number is replaced by a number such as 999999.
        """
        kept, at = [], 0
        for start, stop, value in sorted(self._found(_View.of(data), DEPTH), key=lambda found: (found[0], -found[1])):
            if end is not None and start >= end:
                break
            if start >= at:
                digits = keeps_numbers and data[start:stop].isdigit()
                kept += [data[at:start], b"9" * (stop - start) if digits else self._replacements[value]]
            at = max(at, stop)
        return b"".join([*kept, data[at:end]])

    def _found(self, view: _View, depth: int) -> Iterator[tuple[int, int, bytes]]:
        """Yields three values for each secret: its start and its end in the original data, and the secret itself."""
        for found in self._pattern.finditer(view.data.lower()):
            yield view.starts[found.start()], view.ends[found.end() - 1], found[0]
        for place in filter(lambda place: place >= 0, map(view.data.find, _COMPRESSED)):
            yield view.starts[place], view.ends[-1], b""
        if not depth:
            return
        for encoding in self._encodings:
            if encoding.mark in view.data:
                yield from self._found(view.decoded(encoding), depth - 1)
        for run in _RUN.finditer(view.data):
            decoded = b"\n".join(_from_base64(run[0]))
            if self.finds(decoded, depth - 1):
                inner = next(self._found(_View.of(decoded), depth - 1), (0, 0, b""))
                yield view.starts[run.start()], view.ends[run.end() - 1], inner[2]

    def beginning_at_end(self, data: bytes, shortest: int) -> int | None:
        """If the data ends inside a secret, returns the position at which this secret begins. Otherwise, returns None. Also
        returns None if the data contains fewer than `shortest` bytes of the secret.
        """
        offset = max(len(data) - self.longest, 0)
        place = self._cut(_View.of(data[offset:]), DEPTH, shortest)
        return None if place is None else offset + place

    def _cut(self, view: _View, depth: int, shortest: int) -> int | None:
        return min(self._cuts(view, depth, shortest), default=None)

    def _cuts(self, view: _View, depth: int, shortest: int) -> Iterator[int]:
        lower = view.data.lower()
        for value in self._values:
            for length in range(min(len(value), len(lower)), shortest - 1, -1):
                if lower.endswith(value[:length]):
                    yield view.starts[len(lower) - length]
        if not depth:
            return
        for encoding in self._encodings:
            if encoding.mark in view.data:
                unfinished = encoding.unfinished.search(view.data)
                for end in {len(view.data), unfinished.start() if unfinished else len(view.data)}:
                    yield from self._cuts(view.decoded(encoding, end), depth - 1, shortest)
        for run in _RUN.finditer(view.data):
            if run.end() == len(view.data) and any(self._cut(_View.of(piece), depth - 1, shortest) is not None for piece in _from_base64(run[0])):
                yield view.starts[run.start()]


def _spellings(secret: str) -> Iterator[bytes]:
    """Yields the forms in which a secret can occur, in lower case, encoded in UTF-8 and in Latin-1. In one form, the words of the
    secret are separated by single spaces. In another form, a replacement character replaces each unprintable character.
    """
    printed = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in secret)
    for text in {secret, " ".join(secret.split()), printed}:
        for encoding, errors in (("utf-8", "surrogatepass"), ("utf-8", "surrogateescape"), ("latin-1", "strict")):
            try:
                yield text.lower().encode(encoding, errors)
            except UnicodeEncodeError:
                continue


def _from_base64(run: bytes) -> Iterator[bytes]:
    """Decodes a string that may be base64. Base64 consists of groups of four letters. `run` may begin inside a group, so this
    function also decodes `run` without its first one, two or three letters.
    """
    letters = run.translate(_STANDARD, b"\r\n")
    for start in range(4):
        piece = letters[start:]
        whole = len(piece) - (len(piece) % 4 == 1)
        yield base64.b64decode(piece[:whole] + b"==="[: -whole % 4])
