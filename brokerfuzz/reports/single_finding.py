"""Explains a single finding or headline of a JSON report or a journal, or a known finding of a baseline."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.campaign import baseline
from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document, body_of
from brokerfuzz.wording import counted, printable


@dataclass(frozen=True)
class SingleFinding:
    """A finding. `document` has the same properties as a finding in a JSON report."""

    document: Document

    def data(self) -> dict[str, Any]:
        return {"finding": dict(self.document)}

    def lines(self) -> Iterator[str]:
        yield f"{facts.name_of(self.document)} (finding)"
        yield ""
        yield facts.sentence_of(self.document)
        yield from facts.text_lines(facts.facts_of(self.document))


@dataclass(frozen=True)
class SingleHeadline:
    """A headline, and all findings of its report by name."""

    headline: Document
    findings: Mapping[str, Document]

    def data(self) -> dict[str, Any]:
        return {"headline": dict(self.headline), "findings": [self.findings[one] for one in self.headline["findings"]]}

    def lines(self) -> Iterator[str]:
        yield f"{self.headline['name']} (headline)"
        yield ""
        yield facts.title_of(self.headline)
        yield ""
        yield f"{counted(len(self.headline['findings']), 'finding')}, the plainest first:"
        for name in self.headline["findings"]:
            yield f"  {name}  {facts.sentence_of(self.findings[name])}"
        yield ""
        yield from SingleFinding(self.findings[self.headline["findings"][0]]).lines()


@dataclass(frozen=True)
class SingleKnownFinding:
    """A finding in a baseline, with its name and its entry."""

    name: str
    entry: baseline.KnownFinding

    def data(self) -> dict[str, Any]:
        until = None if self.entry.until is None else self.entry.until.isoformat()
        said = {"sentence": self.entry.sentence, "reason": self.entry.reason, "until": until, **self.entry.message}
        return {"finding": {"name": self.name, "known": True, **said}}

    def lines(self) -> Iterator[str]:
        yield f"{self.name} (known finding)"
        yield ""
        yield printable(self.entry.sentence, facts.LONGEST)
        if self.entry.reason is not None:
            yield f"Reason: {printable(self.entry.reason, facts.LONGEST)}"
        if self.entry.until is not None:
            yield f"The entry applies until {self.entry.until}."
        if "smallest" in self.entry.message:
            yield from facts.text_lines(facts.message_facts(body_of(self.entry.message["smallest"]), None, ()))
        else:
            yield "The baseline does not contain the message: specify a journal or a JSON report to see the message."
