"""Creates the section of the HTML report about rejections that may have another reason than the broken rule. The
section also lists rejections whose answer names the wrong property.
"""

from collections.abc import Iterator, Sequence

from brokerfuzz.reports.body_lines import lines_of
from brokerfuzz.reports.document_messages import Document, retested_in_words
from brokerfuzz.reports.markup import Child, Markup, element
from brokerfuzz.reports.side_by_side import block, single_message
from brokerfuzz.wording import counted

MOST_ROWS = 200
_LONGEST_TEXT = 300
_LONGEST_EXAMPLE = 2_000  # bytes


def rejections(unproven: Document, elsewhere: Sequence[Document]) -> Iterator[Markup]:
    yield element("h3", "Unproven")
    yield from _unproven(unproven)
    if unproven["retested"]:
        yield element("p", f"{retested_in_words(unproven['retested'])}.", class_="explained")
    yield element("h3", "Rejected for another property")
    yield from _elsewhere(elsewhere)


def _unproven(unproven: Document) -> Iterator[Markup]:
    if not unproven["count"]:
        yield element("p", "Every rejection of an invalid message is proven.", class_="well")
        return
    found = counted(unproven["count"], "rejection of an invalid message is", "rejections of invalid messages are")
    text = f"{found} unproven, because the target may not have noticed the broken rule."
    yield element("p", text, class_="explained")
    yield element("ul", (_example(one) for one in unproven["examples"][:MOST_ROWS]), class_="unproven")
    if unproven["rules"]:
        names = [[", " if number else None, _code(name)] for number, name in enumerate(unproven["rules"][:MOST_ROWS])]
        yield element("p", "Rules without a proven rejection: ", names, class_="explained")


def _example(one: Document) -> Markup:
    got = one["got"]
    technique = [" with the technique ", _code(one["technique"])] if one["technique"] else None
    head = element(
        "p",
        counted(one["count"], "rejection"),
        ", the first for ",
        _code(one["rule"]),
        technique,
        ": ",
        one["why"][:_LONGEST_TEXT],
    )
    answer = block(lines_of(got["response"].encode(errors="backslashreplace"), longest=_LONGEST_EXAMPLE), "The answer")
    twin = one["twin"] and element(
        "details", element("summary", "The twin"), single_message(one["twin"], "The twin", _LONGEST_EXAMPLE)
    )
    return element("li", head, answer if got["response"] else None, twin)


def _elsewhere(elsewhere: Sequence[Document]) -> Iterator[Markup]:
    if not elsewhere:
        yield element("p", "No rejection names a different property than the invalid one.", class_="well")
        return
    yield element(
        "p", "These messages are invalid at one place, but the answer names a different property.", class_="explained"
    )
    heads = element(
        "tr", (element("th", head, scope="col") for head in ("rule", "fault at", "property named", "answer", "cases"))
    )
    rows = (
        element("tr", (element("td", cell, data_label=head) for head, cell in _cells(one)))
        for one in elsewhere[:MOST_ROWS]
    )
    yield element("table", element("thead", heads), element("tbody", rows), class_="rows")
    if (left := len(elsewhere) - MOST_ROWS) > 0:
        yield element("p", f"and {counted(left, 'more rejection')}: see the JSON report.", class_="more")


def _cells(one: Document) -> Iterator[tuple[str, Child]]:
    yield "rule", _code(one["rule"])
    yield "fault at", _code(one["at"]) if one["at"] else "the root"
    yield "property named", [[", " if number else None, _code(name)] for number, name in enumerate(one["named"][:8])]
    yield "answer", one["said"][:_LONGEST_TEXT]
    yield "cases", f"{one['count']:,}"


def _code(text: str) -> Markup:
    return element("code", text[:_LONGEST_TEXT])
