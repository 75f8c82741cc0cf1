"""Creates what people read: an HTML page with the findings of a campaign, and a Markdown comment for a pull request.

A page is a single file that loads no other files. In a browser without scripts, everything except the search works.
"""

from collections.abc import Sequence

from brokerfuzz.campaign.contradictions import FINDING_KINDS
from brokerfuzz.reports import facts
from brokerfuzz.reports.json_document import Document
from brokerfuzz.reports.rendering import html_page, markdown_text
from brokerfuzz.targets.answers import ANSWER_KINDS

MOST_ROWS = 1_000
"""The maximum number of findings, and of rows in a table of the page."""
LONGEST_COMMENT = 60_000
"""The maximum number of characters of the comment. GitHub allows 65,536 characters."""
MOST_COMMENTED = 40
"""The maximum number of findings, and of rows in the table of the comment."""


def findings_page(document: Document) -> str:
    return html_page(
        "findings.html",
        document=document,
        facts=facts,
        kinds=ANSWER_KINDS,
        finding_kinds=FINDING_KINDS,
        most_rows=MOST_ROWS,
    )


def comment(document: Document) -> str:
    """All text from a target, a message or a contract is marked as code, so that it cannot become a link, an image or
    a mention. The heading is the outcome of the campaign. The comment has as many details as there is room.
    """
    findings = sorted(document["findings"], key=lambda finding: bool(finding["state"] == "known"))
    new = sum(finding["state"] != "known" for finding in findings)
    count = min(new, MOST_COMMENTED)
    while len(text := _comment(document, findings, new, count)) > LONGEST_COMMENT and count:
        count //= 2
    return text


def _comment(document: Document, findings: Sequence[Document], new: int, details: int) -> str:
    return markdown_text(
        "report.md",
        document=document,
        facts=facts,
        findings=findings,
        most=MOST_COMMENTED,
        details=details,
        details_left=new - details,
    )
