"""Creates the section of the HTML report that shows how the target behaves for each ambiguity."""

from collections.abc import Iterator, Sequence

from brokerfuzz.reports.document_messages import Document
from brokerfuzz.reports.markup import Markup, element
from brokerfuzz.reports.side_by_side import single_message
from brokerfuzz.targets import ANSWER_KINDS
from brokerfuzz.wording import counted

MOST_ROWS = 300
_LONGEST_EXAMPLE = 600  # bytes
_LONGEST_TEXT = 400


def ledger(ambiguities: Sequence[Document]) -> Iterator[Markup]:
    """Yields one row for each ambiguity. A bar in the row shows how often each answer occurred."""
    if not ambiguities:
        yield element("p", "No message touched a question that the contract leaves open.")
        return
    text = (
        "This list shows how the target behaves if the contract leaves a question open. "
        "Accepting and rejecting are both correct, unless you set a policy."
    )
    legend = (element("span", kind, class_=f"answer {kind}") for kind in ANSWER_KINDS)
    yield element("p", text, element("span", legend, class_="answers"), class_="explained")
    yield element("ul", (_row(one) for one in ambiguities[:MOST_ROWS]), class_="ledger")
    if (left := len(ambiguities) - MOST_ROWS) > 0:
        yield element("p", f"and {counted(left, 'more ambiguity')}: see the JSON report.", class_="more")


def _row(one: Document) -> Markup:
    name = element("h3", element("code", one["ambiguity"][:_LONGEST_TEXT]))
    return element(
        "li",
        element("div", name, element("p", one["question"][:_LONGEST_TEXT]), class_="question"),
        element("div", _bar(one), element("p", _counts(one), class_="answers"), class_="counts"),
        element("p", element("span", one["behaviour"], class_=f"behaviour {one['behaviour']}")),
        element(
            "div",
            (_example(kind, one["examples"][kind]) for kind in ANSWER_KINDS if kind in one["examples"]),
            class_="examples",
        ),
    )


def _counts(one: Document) -> Iterator[Markup]:
    yield from (element("span", f"{one[kind]:,} {kind}", class_=f"answer {kind}") for kind in ANSWER_KINDS if one[kind])
    if one["unproven"]:
        yield element("span", counted(one["unproven"], "unproven rejection"), class_="answer")


def _bar(one: Document) -> Markup:
    every, at, parts = sum(one[kind] for kind in ANSWER_KINDS) or 1, 0.0, []
    for kind in ANSWER_KINDS:
        width = 100 * one[kind] / every
        if one[kind]:
            parts.append(element("rect", x=f"{at:.2f}%", width=f"{width:.2f}%", height="100%", class_=kind))
        at += width
    return element("svg", parts, class_="stack", height=10, aria_hidden="true")


def _example(kind: str, case: Document) -> Markup:
    summary = element("summary", "an example ", element("span", kind, class_=f"answer {kind}"))
    return element("details", summary, single_message(case, f"An example that was {kind}", _LONGEST_EXAMPLE))
