"""Rejections that prove less than they seem to: those whose twin was rejected too, and those that name another property than the wrong one."""

from collections.abc import Iterator, Sequence

from brokerfuzz.reports.body_lines import lines_of
from brokerfuzz.reports.document_messages import Document, counted
from brokerfuzz.reports.markup import Child, Markup, element
from brokerfuzz.reports.side_by_side import alone, block

MOST_ROWS = 200
_LONGEST_TEXT = 300
_LONGEST_EXAMPLE = 2_000  # bytes


def rejections(unproven: Document, elsewhere: Sequence[Document]) -> Iterator[Markup]:
    """Both, each with a word on what it is."""
    yield element("h3", "Unproven")
    yield from _unproven(unproven)
    yield element("h3", "In another's name")
    yield from _elsewhere(elsewhere)


def _unproven(unproven: Document) -> Iterator[Markup]:
    if not unproven["count"]:
        yield element("p", "Every rejection is proven: the valid twin of what was rejected was accepted.", class_="well")
        return
    said = f"{counted(unproven['count'], 'rejection proves', 'rejections prove')} nothing, because the valid twin was rejected too."
    yield element("p", said, class_="explained")
    yield element("ul", (_example(one) for one in unproven["examples"][:MOST_ROWS]), class_="unproven")


def _example(one: Document) -> Markup:
    got = one["got"]
    head = element("p", counted(one["count"], "rejection"), ", the first of ", _code(one["rule"]), " by ", _code(one["technique"]))
    said = element("p", "The twin was ", got["answer"], " (", got["reason"][:_LONGEST_TEXT], ")", class_="explained")
    answer = block(lines_of(got["response"].encode(errors="backslashreplace"), longest=_LONGEST_EXAMPLE), "The answer to the twin")
    twin = element("details", element("summary", "The twin"), alone(one["twin"], "The twin", _LONGEST_EXAMPLE))
    return element("li", head, said, answer if got["response"] else None, twin)


def _elsewhere(elsewhere: Sequence[Document]) -> Iterator[Markup]:
    if not elsewhere:
        yield element("p", "No rejection names another property than the one that is wrong.", class_="well")
        return
    yield element("p", "What was rejected was wrong in one place, and the answer names another.", class_="explained")
    heads = element("tr", (element("th", head, scope="col") for head in ("rule", "wrong at", "the answer names", "it says", "cases")))
    rows = (element("tr", (element("td", cell, data_label=head) for head, cell in _cells(one))) for one in elsewhere[:MOST_ROWS])
    yield element("table", element("thead", heads), element("tbody", rows), class_="rows")
    if (left := len(elsewhere) - MOST_ROWS) > 0:
        yield element("p", f"and {counted(left, 'more rejection')}: the JSON report has them all.", class_="more")


def _cells(one: Document) -> Iterator[tuple[str, Child]]:
    yield "rule", _code(one["rule"])
    yield "wrong at", _code(one["at"]) if one["at"] else "the root"
    yield "the answer names", [[", " if number else None, _code(name)] for number, name in enumerate(one["named"][:8])]
    yield "it says", one["said"][:_LONGEST_TEXT]
    yield "cases", f"{one['count']:,}"


def _code(text: str) -> Markup:
    return element("code", text[:_LONGEST_TEXT])
