"""Draws rates as bars on a logarithmic axis. The result is an SVG image, which adapts to light and dark backgrounds."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from benchmarks.generators.figures import rounded
from brokerfuzz.reports.markup import Markup, element, trusted

_WIDTH, _LEFT, _RIGHT = 860, 236, 150  # pixels: total width, space for names, space for the text after a bar
_TOP, _STEP, _THICK = 44, 30, 18  # pixels: top of the first bar, distance between bars, thickness of a bar
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; stroke: #ffffff; stroke-width: 4px; paint-order: stroke }
.ground { fill: #ffffff } .grid { stroke: #d0d7de } .tick { font-size: 11px; fill: #59636e } .title { font-weight: 600 }
.ours { fill: #0969da } .peer { fill: #afb8c1 } .floor { fill: none; stroke: #59636e; stroke-dasharray: 3 3 } .wrong { fill: #b42318 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; stroke: #0d1117 }
.ground { fill: #0d1117 } .grid { stroke: #30363d } .tick { fill: #9198a1 }
.ours { fill: #4493f8 } .peer { fill: #5b6570 } .floor { stroke: #9198a1 } .wrong { fill: #ff8d7e }
}
"""


class Bar(NamedTuple):
    """A bar of the chart. `rate` is the number of messages per second. The text `words` follows the bar, in red if `is_wrong` is
    true. `kind` is `ours`, `peer` or `floor`.
    """

    name: str
    rate: float
    words: str
    is_wrong: bool
    kind: str


def picture(title: str, bars: Sequence[Bar]) -> str:
    bars = sorted(bars, key=lambda bar: -bar.rate)
    low, high = floor(log10(bars[-1].rate)), ceil(log10(bars[0].rate))
    height = _TOP + _STEP * len(bars) + 30

    def across(rate: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (log10(rate) - low) / max(high - low, 1)

    words = ", ".join(f"{bar.name} {rounded(bar.rate)}" for bar in bars)
    shown = (
        element("title", title),
        element("desc", words),
        element("style", trusted(_STYLE)),
        element("rect", width=_WIDTH, height=height, rx=6, class_="ground"),
        element("text", title, x=16, y=26, class_="title"),
        (_tick(across(10.0**decade), height, f"{10.0**decade:,.12g}") for decade in range(low, high + 1)),
        (_bar(bar, _LEFT, across(bar.rate), _TOP + _STEP * number) for number, bar in enumerate(bars)),
    )
    return (
        element("svg", *shown, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {_WIDTH} {height}", width=_WIDTH, height=height, role="img") + "\n"
    )


def _tick(at: float, height: int, words: str) -> Iterator[Markup]:
    bottom = height - 26
    yield element("line", x1=f"{at:.1f}", x2=f"{at:.1f}", y1=_TOP - 6, y2=bottom, class_="grid")
    yield element("text", words, x=f"{at:.1f}", y=bottom + 15, text_anchor="middle", class_="tick")


def _bar(bar: Bar, left: float, right: float, top: int) -> Iterator[Markup]:
    base = top + _THICK - 4
    yield element("text", bar.name, x=left - 10, y=base, text_anchor="end")
    yield element("rect", x=left, y=top, width=f"{max(right - left, 2):.1f}", height=_THICK, class_=bar.kind)
    said = element("tspan", bar.words, dx=8, class_="wrong" if bar.is_wrong else "")
    yield element("text", rounded(bar.rate), said, x=f"{right + 8:.1f}", y=base)
