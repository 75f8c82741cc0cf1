"""Describes a single finding or headline of a JSON report or a journal."""

from collections.abc import Mapping

from brokerfuzz.explaining.description import Description
from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document
from brokerfuzz.wording import counted


def finding_summary(finding: Document) -> Description:
    """The finding has the same properties as in a JSON report."""
    title = [f"{facts.name_of(finding)} (finding)", "", facts.sentence_of(finding)]
    return Description([*title, *facts.text_lines(facts.facts_of(finding))], {"finding": dict(finding)})


def headline_summary(headline: Document, findings: Mapping[str, Document]) -> Description:
    """`findings` contains all findings of the report by name."""
    known = [findings[name] for name in headline["findings"]]
    text = [
        f"{headline['name']} (headline)",
        "",
        facts.title_of(headline),
        "",
        f"{counted(len(known), 'finding')}, the plainest first:",
        *(f"  {facts.name_of(finding)}  {facts.sentence_of(finding)}" for finding in known),
        "",
        *finding_summary(known[0]).text,
    ]
    return Description(text, {"headline": dict(headline), "findings": known})
