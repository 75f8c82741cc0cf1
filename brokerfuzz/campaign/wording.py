"""Words for reports: what a target or a message holds never reaches a terminal as anything but text."""

from collections.abc import Iterable


def printable(text: str, most: int | None = None) -> str:
    """The text with every character escaped that does not print, cut to `most` characters."""
    if most is not None and len(text) > most:
        text = f"{text[:most]}... ({len(text):,} characters)"
    return text if text.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in text)


def readable(body: bytes, most: int | None = None) -> str:
    """Bytes as text that prints; those that are no UTF-8 as `\\xNN`."""
    cut = body if most is None else body[: 4 * most]
    text = printable(cut.decode(errors="backslashreplace"))
    return text if most is None or (len(text) <= most and cut == body) else f"{text[:most]}... ({len(body):,} bytes)"


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def with_article(word: str) -> str:
    """`a valid`, `an invalid`."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
