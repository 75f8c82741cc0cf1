"""Prepares strings for printing. The functions escape control characters, so that no message can control the
terminal.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence


def printable(text: str, limit: int | None = None) -> str:
    """Cuts a string to `limit` characters, and escapes unprintable characters as in JSON (`\\u001b`)."""
    if limit is not None and len(text) > limit:
        text = f"{text[:limit]}... ({len(text):,} characters)"
    return _escaped(text, _as_in_json)


def printable_as_in_python(text: str) -> str:
    """Escapes unprintable characters as in Python (`\\x1b`, `\\n`)."""
    return _escaped(text, _as_in_python)


def readable(body: bytes, limit: int | None = None) -> str:
    """Converts bytes to a printable string. Bytes that are not UTF-8 become `\\xNN`."""
    cut = body if limit is None else body[: 4 * limit]
    text = printable(cut.decode(errors="backslashreplace"))
    return (
        text if limit is None or (len(text) <= limit and cut == body) else (f"{text[:limit]}... ({len(body):,} bytes)")
    )


def listed(words: Iterable[str], last: str = "and", *, most: int | None = None) -> str:
    """Joins words: `a`, `a and b`, `a, b and c`. If there are at least two more than `most`, counts them: `a, b and 5
    more`.
    """
    named = list(words)
    if most is not None and len(named) > most + 1:
        named[most:] = [f"{len(named) - most:,} more"]
    *first, end = named
    return f"{', '.join(first)} {last} {end}" if first else end


def with_article(words: str) -> str:
    """Puts "a" or "an" before words: `a valid`, `an invalid`."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def counted(number: int, one: str, many: str = "") -> str:
    """Writes a number with its noun: `1 item`, `2,000 items`, `3 ambiguities`. `many` is an irregular plural."""
    return f"{number:,} {one if number == 1 else many or plural(one)}"


def plural(noun: str) -> str:
    """Returns the regular plural: `cases`, `properties`."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def table(rows: Sequence[Sequence[str]], *, numbers: bool = False) -> Iterator[str]:
    """Aligns the columns. With `numbers`, all columns except the first are aligned on the right. Lines have no trailing
    spaces.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *more in rows:
        cells = [
            cell.rjust(width) if numbers else cell.ljust(width) for cell, width in zip(more, widths[1:], strict=True)
        ]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    return text if text.isprintable() else "".join(char if char.isprintable() else escape(char) for char in text)


def _as_in_json(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _as_in_python(char: str) -> str:
    return char.encode("unicode_escape").decode()
