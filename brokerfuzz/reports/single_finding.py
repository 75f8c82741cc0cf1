"""Explains a single finding of a JSON report or a journal."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.campaign import baseline
from brokerfuzz.cases.message_diff import difference, laid_out
from brokerfuzz.reports.document_messages import Document, body_of, name_of
from brokerfuzz.wording import counted, printable

_LONGEST = 2000


@dataclass(frozen=True)
class SingleFinding:
    """A finding. `document` has the same properties as a finding in a JSON report."""

    document: Document

    @property
    def difference(self) -> list[str]:
        """The differences between the smallest message and its twin, or the smallest message if it has no twin."""
        smallest, twin = body_of(self.document["smallest"]), self.document["twin"]
        return laid_out(smallest) if twin is None else difference(body_of(twin), smallest)

    def data(self) -> dict[str, Any]:
        return {"finding": dict(self.document)}

    def lines(self) -> Iterator[str]:
        said, got = self.document, self.document["got"]
        yield f"{name_of(said)} (finding)"
        yield ""
        yield printable(said["sentence"], _LONGEST)
        for rule in said["rules"]:
            yield f"Rule: {printable(rule['rule'], _LONGEST)} at {printable(rule['at'], _LONGEST) or 'the root'}."
        yield (
            f"Expected: {said['expected']}. The target answered: {got['answer']} "
            f"({printable(got['reason'], _LONGEST)})."
        )
        if got["response"]:
            yield f"Its answer begins: {printable(got['response'], 300)}"
        yield (
            f"{counted(said['count'], 'case shows', 'cases show')} this finding. The first one is {said['case']['id']}."
        )
        yield f"Command to reproduce it: {printable(said['reproduce'], 2 * _LONGEST)}"
        yield ""
        if said["twin"] is None:
            yield "The smallest message that shows the finding:"
        else:
            yield (
                "The smallest message that shows the finding: lines with - are in the twin (the valid counterpart), "
                "lines with + in the message."
            )


@dataclass(frozen=True)
class SingleHeadline:
    """A headline, and all findings of its report by name."""

    headline: Document
    findings: Mapping[str, Document]

    @property
    def difference(self) -> list[str]:
        """The difference between the smallest message of the plainest finding and its twin."""
        return SingleFinding(self._plainest).difference

    @property
    def _plainest(self) -> Document:
        return self.findings[self.headline["findings"][0]]

    def data(self) -> dict[str, Any]:
        return {"headline": dict(self.headline), "findings": [self.findings[one] for one in self.headline["findings"]]}

    def lines(self) -> Iterator[str]:
        yield f"{self.headline['name']} (headline)"
        yield ""
        yield f"The target {printable(self.headline['text'], _LONGEST)} ({self.headline['extent']})."
        yield ""
        yield f"{counted(len(self.headline['findings']), 'finding')}, the plainest first:"
        for name in self.headline["findings"]:
            yield f"  {name}  {printable(self.findings[name]['sentence'], 300)}"
        yield ""
        yield from SingleFinding(self._plainest).lines()


@dataclass(frozen=True)
class SingleKnownFinding:
    """A finding in a baseline, with its name and its entry."""

    name: str
    entry: baseline.KnownFinding

    @property
    def difference(self) -> list[str]:
        """All lines of the smallest message, because a baseline contains no twin to compare. Empty if the smallest
        message is missing.
        """
        return laid_out(body_of(self.entry.message["smallest"])) if "smallest" in self.entry.message else []

    def data(self) -> dict[str, Any]:
        until = None if self.entry.until is None else self.entry.until.isoformat()
        said = {"sentence": self.entry.sentence, "reason": self.entry.reason, "until": until, **self.entry.message}
        return {"finding": {"name": self.name, "known": True, **said}}

    def lines(self) -> Iterator[str]:
        yield f"{self.name} (known finding)"
        yield ""
        yield printable(self.entry.sentence, _LONGEST)
        if self.entry.reason is not None:
            yield f"Reason: {printable(self.entry.reason, _LONGEST)}"
        if self.entry.until is not None:
            yield f"The entry applies until {self.entry.until}."
        if self.difference:
            yield ""
            yield "The smallest message that shows the finding:"
        else:
            yield "The baseline does not contain the message: specify a journal or a JSON report to see the message."
