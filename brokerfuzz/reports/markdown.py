"""Creates the report for a comment on a pull request, in the Markdown of GitHub and GitLab.

All text from a target, a message or a contract is marked as code, so that it cannot become a link, an image or a
mention. Comments on pull requests have a maximum size. To stay below this size, the report omits details.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document
from brokerfuzz.reports.rendering import markdown_text

LONGEST = 60_000
"""The maximum number of characters of the report. GitHub allows 65,536 characters in a comment."""
MOST_ROWS = 40
"""The maximum number of headlines, and of rows in the table."""


def report(document: Document) -> str:
    """The heading of the report is the outcome of the campaign. The report has as many details as there is room."""
    new = [headline for headline in document["headlines"] if not headline["known"]]
    count = min(len(new), MOST_ROWS)
    while len(text := _text(document, new, count)) > LONGEST and count:
        count //= 2
    return text


def _text(document: Document, new: Sequence[Document], count: int) -> str:
    findings = {facts.name_of(finding): finding for finding in document["findings"]}
    headlines = [*new, *(headline for headline in document["headlines"] if headline["known"])]
    return markdown_text(
        "report.md",
        document=document,
        outcome=document["outcome"]["headline"],
        campaign=list(facts.campaign_facts(document)),
        unproven=list(facts.unproven_lines(document)),
        headlines=headlines[:MOST_ROWS],
        headlines_left=max(len(headlines) - MOST_ROWS, 0),
        details=[_details(number, headline, findings) for number, headline in enumerate(new[:count], 1)],
        details_left=len(new) - count,
        ambiguities=document["ambiguities"][:MOST_ROWS],
    )


def _details(number: int, headline: Document, findings: Mapping[str, Document]) -> dict[str, Any]:
    """The facts of the plainest finding of a headline, and the places of the others."""
    first, *others = (findings[name] for name in headline["findings"])
    return {
        "number": number,
        "name": headline["name"],
        "kind": headline["kind"],
        "sentence": facts.sentence_of(first),
        "facts": list(facts.facts_of(first)),
        "others": facts.some(list(dict.fromkeys(map(facts.place_of, others))), 6),
    }
