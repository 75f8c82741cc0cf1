"""Describes a single finding or headline of a JSON report or a journal, or a known finding of a baseline."""

from collections.abc import Mapping

from brokerfuzz.campaign.baseline import KnownFinding
from brokerfuzz.explaining.description import Description
from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document, body_of
from brokerfuzz.wording import counted, printable


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


def known_finding_summary(name: str, entry: KnownFinding) -> Description:
    text = [f"{name} (known finding)", "", printable(entry.sentence, facts.LONGEST)]
    if entry.reason is not None:
        text += [f"Reason: {printable(entry.reason, facts.LONGEST)}"]
    if entry.until is not None:
        text += [f"The entry applies until {entry.until}."]
    if "smallest" in entry.message:
        text += facts.text_lines(facts.message_facts(body_of(entry.message["smallest"]), None, ()))
    else:
        text += ["The baseline does not contain the message: specify a journal or a JSON report to see the message."]
    until = None if entry.until is None else entry.until.isoformat()
    said = {"sentence": entry.sentence, "reason": entry.reason, "until": until, **entry.message}
    return Description(text, {"finding": {"name": name, "known": True, **said}})
