"""Shows a message and its twin (the valid counterpart) side by side, and marks the differences."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from brokerfuzz.reports.body_lines import LONGEST, MOST_LINES, Lines, lines_of
from brokerfuzz.reports.document_messages import Document, body_of, unusual_headers_of
from brokerfuzz.reports.markup import Child, Markup, element, together, trusted
from brokerfuzz.wording import counted


class Row(NamedTuple):
    """A line of the twin (`left`), and the corresponding line of the message (`right`). None means that there is no
    such line.
    """

    left: str | None
    right: str | None
    alike: bool


_MOST_COMPARED = 10_000  # the maximum number of pairs of lines to compare
_LONGEST_LINE = 400  # characters
_AROUND = 60  # the number of characters of a long line that are shown before the difference
_CONTEXT = 12  # the number of equal lines that are shown around a difference
_MOST_HEADERS = 50
_STEP = 1 << 16
_BREAK = trusted("\n")


def comparison(twin: Document, message: Document, heads: tuple[str, str]) -> Markup:
    """Creates a table with two columns. The twin is on the left."""
    left, right = body_of(twin), body_of(message)
    start = _start(left, right)
    a, b = (lines_of(body, start, limit=LONGEST) for body in (left, right))
    if a.lines == b.lines and left != right:
        a, b = (lines_of(body, start, limit=LONGEST, laid_out=False) for body in (left, right))
    rows = [*rows_of(_headers(twin), _headers(message)), *rows_of(a.lines, b.lines)]
    return element(
        "table",
        element("thead", element("tr", [element("th", head, scope="col") for head in heads])),
        element(
            "tbody",
            _omitted(a.before, b.before, "before this"),
            _folded(rows),
            _omitted(a.after, b.after, "after this"),
        ),
        class_="diff",
    )


def single_message(message: Document, label: str, longest: int = LONGEST) -> Markup:
    """Creates a table for a message that has no twin."""
    shown = lines_of(body_of(message), longest=longest)
    return block(Lines([*_headers(message), *shown.lines], shown.before, shown.after), label)


def block(shown: Lines, label: str) -> Markup:
    """Creates the lines of a message, and a note that says how many bytes are omitted."""
    lines = [[_cut(line), _BREAK] for line in shown.lines]
    left = element("p", f"{counted(shown.after, 'byte')} omitted after this", class_="cut") if shown.after else None
    return together(element("pre", lines, aria_label=label, role="group"), left)


def _headers(message: Document) -> list[str]:
    return [
        f"no {name}" if value is None else f"{name}: {value}"
        for name, value in unusual_headers_of(message)[:_MOST_HEADERS]
    ]


def _start(left: bytes, right: bytes) -> int:
    """Returns the position of the first byte that is shown. In long bodies, this position is shortly before the first
    difference.
    """
    if max(len(left), len(right)) <= LONGEST:
        return 0
    at = 0
    while at < min(len(left), len(right)) and left[at : at + _STEP] == right[at : at + _STEP]:
        at += _STEP
    at += _common(left[at : at + _STEP], right[at : at + _STEP])
    return 0 if at < LONGEST - 1000 else max(at - 500, 0)


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    """Returns the number of equal elements at the beginning of two sequences."""
    return next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


# ----------------------------------------------------------------------------------------------------------- lines


def rows_of(left: Sequence[str], right: Sequence[str]) -> list[Row]:
    """Ignores commas at the ends of lines, unless the messages differ only in such commas."""
    a, b = ([line.removesuffix(",") for line in lines] for lines in (left, right))
    if a == b:
        a, b = list(left), list(right)
    prefix = _common(a, b)
    suffix = _common(a[prefix:][::-1], b[prefix:][::-1])
    a_end, b_end = len(a) - suffix, len(b) - suffix
    return [
        *_rows(left[:prefix], right[:prefix], alike=True),
        *(
            row
            for alike, i, j, k, m in _blocks(a[prefix:a_end], b[prefix:b_end])
            for row in _rows(left[prefix + i : prefix + j], right[prefix + k : prefix + m], alike=alike)
        ),
        *_rows(left[a_end:], right[b_end:], alike=True),
    ]


def _rows(left: Sequence[str], right: Sequence[str], *, alike: bool) -> Iterator[Row]:
    return (Row(a, b, alike) for a, b in zip_longest(left, right))


def _blocks(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Divides the lines of `a` and `b` into blocks. Each block consists of a flag (True: its lines are equal in `a` and
    `b`), its start and end in `a`, and its start and end in `b`.
    """
    if len(a) * len(b) > _MOST_COMPARED:
        yield False, 0, len(a), 0, len(b)
        return
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        yield tag == "equal", i, j, k, m


def _folded(rows: Sequence[Row]) -> Iterator[Markup]:
    """Yields only the rows near differences. A note replaces the omitted rows, and contains their number."""
    differ = [number for number, row in enumerate(rows) if not row.alike] or [0]
    near = sorted(
        {at for number in differ for at in range(number - _CONTEXT, number + _CONTEXT + 1) if 0 <= at < len(rows)}
    )[:MOST_LINES]
    done = 0
    for at in near:
        yield from _fold(at - done, "equal line")
        yield element("tr", _cells(rows[at]))
        done = at + 1
    rest = len(rows) - done
    yield from _fold(rest, "equal line" if differ[-1] < done else "more line")


def _fold(count: int, what: str) -> Iterator[Markup]:
    if count:
        yield element("tr", element("td", f"{counted(count, what)} omitted", colspan=2, class_="fold"))


def _omitted(left: int, right: int, where: str) -> Markup | None:
    if not left and not right:
        return None
    return element(
        "tr",
        [
            element("td", f"{counted(count, 'byte')} omitted {where}" if count else "", class_="fold")
            for count in (left, right)
        ],
    )


# ----------------------------------------------------------------------------------------------------------- cells


def _cells(row: Row) -> Iterator[Markup]:
    if row.left is None or row.right is None:
        for line, tag in ((row.left, "del"), (row.right, "ins")):
            yield (
                element("td", class_="none")
                if line is None
                else element("td", element(tag, element("mark", _cut(line))))
            )
    elif row.alike:
        yield from (element("td", _cut(line)) for line in (row.left, row.right))
    else:
        yield from _changed(row.left, row.right)


def _changed(left: str, right: str) -> Iterator[Markup]:
    """Yields the table cells for two different lines, and marks the part that differs."""
    prefix = _common(left, right)
    suffix = _common(left[prefix:][::-1], right[prefix:][::-1])
    for line, tag in ((left, "del"), (right, "ins")):
        end = len(line) - suffix
        yield element(
            "td",
            element(
                tag,
                _cut_middle(line[:prefix]),
                element("mark", _cut(line[prefix:end])) if end > prefix else None,
                _cut(line[end:]),
            ),
        )


def _cut(text: str) -> Child:
    left = len(text) - _LONGEST_LINE
    return (
        [text[:_LONGEST_LINE], element("small", f"… {left:,} more characters", class_="cut")]
        if left > _AROUND
        else text
    )


def _cut_middle(text: str) -> Child:
    left = len(text) - _AROUND
    return (
        [text[:20], element("small", f"… {left - 20:,} characters …", class_="cut"), text[left:]]
        if left > _LONGEST_LINE
        else text
    )
