"""Draws response times and answers per second.

The HTML page also shows the same numbers as tables. The plots need no script. Horizontal positions are percentages, so
a plot is as wide as the screen. Its text always has the same size.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor, log10

from brokerfuzz.reports.document_messages import Document
from brokerfuzz.reports.markup import Child, Markup, element
from brokerfuzz.wording import counted

_HEIGHT, _BASE = 190, 165  # pixels: the height of a plot, and the position of its horizontal axis
_TOP = 46  # pixels: the position of the highest bars; the space above is for labels
_FASTEST = 1e-6  # seconds: the minimum of the logarithmic axis
_MOST_ROWS = 250


def seconds(value: float) -> str:
    """Writes a time with a suitable unit: `53 µs`, `0.5 ms`, `12 ms`, `1.2 s`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return "0" if value <= 0 else f"{value / 1e-3:.2g} ms" if value >= 1e-4 else f"{value / 1e-6:.3g} µs"


def latency(timing: Document) -> Iterator[Markup]:
    """Yields a histogram of the response times, whose axis is logarithmic."""
    bars = timing["histogram"][:_MOST_ROWS]
    if not bars:
        yield element("p", "There were no answers.")
        return
    values = timing["latency"]
    words = (
        f"minimum {seconds(values['least'])}, median {seconds(values['p50'])}, 90 % under {seconds(values['p90'])}, "
    )
    words += f"99 % under {seconds(values['p99'])}, maximum {seconds(values['most'])}"
    yield element("p", words[0].upper(), words[1:], class_="facts-line")
    yield _picture("latency-plot", "Response times", words, _latency_marks(bars, values))
    yield _table(("below", "answers"), ((seconds(bar["below"]), f"{bar['count']:,}") for bar in bars))


def _latency_marks(bars: Sequence[Document], values: Document) -> Iterator[Child]:
    edges = [log10(max(bar["below"], _FASTEST)) for bar in bars]
    low = edges[0] - ((edges[1] - edges[0]) if len(edges) > 1 else 0.1)
    width = (edges[-1] - low) or 1
    most = max(bar["count"] for bar in bars) or 1

    def across(at: float) -> float:
        return 100 * min(max((at - low) / width, 0), 1)

    for decade in range(ceil(low), floor(edges[-1]) + 1):
        yield from _tick(across(decade), seconds(10.0**decade))
    for before, edge, bar in zip([low, *edges], edges, bars, strict=False):
        yield _bar(across(before), across(edge), _BASE, (_BASE - _TOP) * bar["count"] / most, "bar")
    for row, (name, key) in enumerate((("median", "p50"), ("90 %", "p90"), ("99 %", "p99"))):
        at = across(log10(max(values[key], _FASTEST)))
        yield element("line", x1=_percent(at), x2=_percent(at), y1=14 * row + 2, y2=_BASE, class_="share")
        yield _text(at, 14 * row + 11, name, "share")


def throughput(timing: Document) -> Iterator[Markup]:
    """Yields a plot of the answers per second, and of the crashes and timeouts per second."""
    spans = timing["throughput"][:_MOST_ROWS]
    if not spans:
        yield element("p", "There were no answers.")
        return
    rates = [span["requests"] / (span["seconds"] or 1) for span in spans]
    failed = sum(span["failed"] for span in spans)
    end = spans[-1]["from"] + spans[-1]["seconds"]
    words = (
        f"{counted(sum(span['requests'] for span in spans), 'answer')} in {seconds(end)}, at most "
        f"{max(rates):,.0f} per second; "
    )
    words += f"{failed:,} crashed or timed out"
    yield element("p", words, class_="facts-line")
    yield _picture("throughput-plot", "Answers per second", words, _throughput_marks(spans, rates, end))
    rows = (
        (seconds(span["from"]), f"{rate:,.0f}", f"{span['failed']:,}") for span, rate in zip(spans, rates, strict=True)
    )
    yield _table(("from", "answers per second", "crashed or timed out"), rows)


def _throughput_marks(spans: Sequence[Document], rates: Sequence[float], end: float) -> Iterator[Child]:
    top = _rounded_up(max(rates))
    yield element("line", x1="0%", x2="100%", y1=_TOP, y2=_TOP, class_="grid")
    yield _text(0, _TOP - 4, f"{top:,.6g} per second", "tick")
    for span, rate in zip(spans, rates, strict=True):
        left, right = (100 * at / (end or 1) for at in (span["from"], span["from"] + span["seconds"]))
        yield _bar(left, right, _BASE, (_BASE - _TOP) * rate / top, "bar")
        share = span["failed"] / (span["requests"] or 1)
        yield _bar(left, right, _BASE, (_BASE - _TOP) * rate * share / top, "failed")
    step = _rounded_up(end / 4)
    for number in range(int(end / step) + 1 if step else 1):
        yield from _tick(100 * number * step / (end or 1), seconds(number * step))


def _rounded_up(value: float) -> float:
    """Rounds up to 1, 1.5, 2, 2.5, 3, 4, 5, 6 or 8, multiplied by a power of ten."""
    if value <= 0:
        return 1.0
    size = 10.0 ** floor(log10(value))
    return next(size * lead for lead in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if size * lead >= value * 0.999)


# ---------------------------------------------------------------------------------------------------------- pieces


def _picture(name: str, title: str, words: str, marks: Iterable[Child]) -> Markup:
    texts = (element("title", title, id=name), element("desc", words, id=f"{name}-words"))
    ground = element("line", x1="0%", x2="100%", y1=_BASE, y2=_BASE, class_="axis")
    return element(
        "svg",
        texts,
        marks,
        ground,
        class_="plot",
        height=_HEIGHT,
        role="img",
        aria_labelledby=name,
        aria_describedby=f"{name}-words",
    )


def _bar(left: float, right: float, base: float, height: float, kind: str) -> Markup | None:
    shown = max(height, 1.5)  # bars have a minimum height, so that small values are visible
    if height <= 0:
        return None
    return element(
        "rect",
        x=_percent(left),
        width=_percent(max(right - left, 0)),
        y=f"{base - shown:.1f}",
        height=f"{shown:.1f}",
        class_=kind,
    )


def _tick(at: float, words: str) -> Iterator[Markup]:
    yield element("line", x1=_percent(at), x2=_percent(at), y1=_BASE, y2=_BASE + 5, class_="axis")
    yield _text(at, _BASE + 18, words, "tick")


def _text(at: float, y: float, words: str, kind: str) -> Markup:
    """Writes the label to the right of the position `at` (in percent), or to the left if there is no space on the
    right.
    """
    anchor = "end" if at > 80 else "start"
    return element("text", words, x=_percent(at), y=y, dx="-4" if at > 80 else "4", text_anchor=anchor, class_=kind)


def _percent(value: float) -> str:
    return f"{value:.3f}%"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    head = element("tr", (element("th", name, scope="col") for name in heads))
    body = (element("tr", (element("td", cell) for cell in row)) for row in rows)
    table = element("table", element("thead", head), element("tbody", body), class_="numbers")
    return element("details", element("summary", "As a table"), table, class_="as-table")
