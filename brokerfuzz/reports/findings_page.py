"""Creates an HTML page with the findings of a campaign. The page is a single file that loads no other files. In a
browser without scripts, everything except the search works.
"""

from collections.abc import Iterator
from typing import Any

from brokerfuzz.campaign.contradictions import IN_WORDS
from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document
from brokerfuzz.reports.rendering import html_page
from brokerfuzz.targets.answers import ANSWER_KINDS

MOST_FINDINGS = 1_000
"""The maximum number of findings whose facts the page shows. The JSON report contains all findings."""
MOST_ROWS = 1_000
_NAMES = {"least": "minimum", "p50": "median", "p90": "90 %", "p99": "99 %", "most": "maximum"}


def report(document: Document) -> str:
    latency = (f"{name} {_milliseconds(document['latency'][key])}" for key, name in _NAMES.items())
    return html_page(
        "findings.html",
        document=document,
        outcome=document["outcome"]["headline"],
        campaign=[fact for fact in facts.campaign_facts(document) if fact.label not in document["counts"]],
        headlines=list(_headlines(document)),
        unproven=list(facts.unproven_lines(document)),
        latency=", ".join(latency),
        kinds=ANSWER_KINDS,
        names_of_kinds=IN_WORDS,
        most_rows=MOST_ROWS,
    )


def _headlines(document: Document) -> Iterator[tuple[Document, list[dict[str, Any]], int]]:
    """Yields each headline with its findings, and the number of findings that are left out."""
    findings = {facts.name_of(finding): finding for finding in document["findings"]}
    room = MOST_FINDINGS
    for headline in document["headlines"]:
        shown = [findings[name] for name in headline["findings"][:room]]
        room -= len(shown)
        yield headline, [_finding(finding) for finding in shown], len(headline["findings"]) - len(shown)


def _finding(finding: Document) -> dict[str, Any]:
    return {
        "name": facts.name_of(finding),
        "sentence": facts.sentence_of(finding),
        "facts": list(facts.facts_of(finding)),
    }


def _milliseconds(seconds: float) -> str:
    """Writes a time in milliseconds: `0.53 ms`, `4,250 ms`."""
    shown = 1000 * seconds
    return f"{shown:.2f} ms" if shown < 10 else f"{shown:,.0f} ms"
