"""Replaces secrets in bytes, even if the bytes contain a secret in one of the usual encodings."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cached_property
from urllib.parse import quote, quote_plus

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class Masks:
    """`secrets` maps each secret to the text that replaces the secret. Upper and lower case are the same."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._texts = {
            spelling.lower(): text.encode() for secret, text in secrets.items() for spelling in spellings(secret)
        }
        self.longest = max(map(len, self._texts), default=0)
        """The number of bytes of the longest spelling of a secret."""

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        longest_first = sorted(self._texts, key=len, reverse=True)
        return re.compile(b"|".join(map(re.escape, longest_first)), re.IGNORECASE)

    def hidden(self, data: bytes, end: int | None = None) -> bytes:
        """Returns the data before the position `end` (None: all data), with replaced secrets. A secret that begins
        before `end` and ends after it is also replaced.
        """
        if not self._texts:
            return data[:end]
        lower = data.lower()
        if not any(spelling in lower for spelling in self._texts):  # much faster than the pattern
            return data[:end]
        parts, at = [], 0
        for match in self._pattern.finditer(data):
            if end is not None and match.start() >= end:
                break
            parts += [data[at : match.start()], self._texts[match[0].lower()]]
            at = match.end()
        return b"".join((*parts, data[at:end]))

    def begun(self, data: bytes) -> int:
        """If the last bytes of the data can be the beginning of a secret whose rest is missing, returns their number,
        otherwise 0.
        """
        end = data[max(len(data) - self.longest, 0) :].lower()
        lengths = range(len(end), 0, -1)
        return next(
            (length for length in lengths if any(spelling.startswith(end[-length:]) for spelling in self._texts)), 0
        )


def spellings(secret: str) -> set[bytes]:
    """Returns the forms in which a text can contain the secret: as it is, encoded for URLs or JSON, or in base64."""
    raw = _utf_8(secret)
    in_json, with_all_letters = json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]
    texts = {
        secret,
        *(quote(raw, safe=safe) for safe in ("", "/", "!'()*")),  # the last one is that of JavaScript
        quote_plus(raw),
        in_json,
        with_all_letters,
        in_json.replace("/", r"\/"),
    }
    return {*map(_utf_8, texts), *_in_base64(raw)}


def _in_base64(raw: bytes) -> Iterator[bytes]:
    """Yields the letters that every base64 text has in common if it contains these bytes after a number of other
    bytes.
    """
    for skipped in range(3):
        letters = b64encode(b"\0" * skipped + raw)
        common = letters[-(-8 * skipped // 6) : 8 * (skipped + len(raw)) // 6]
        yield from (common, common.translate(_URL_SAFE))


def _utf_8(text: str) -> bytes:
    """Environment variables and headers can contain bytes that are not UTF-8. Python represents these bytes as
    surrogates.
    """
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")
