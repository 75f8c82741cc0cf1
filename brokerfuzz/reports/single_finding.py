"""Explains a single finding of a JSON report or a journal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from brokerfuzz.cases.message_diff import difference, laid_out
from brokerfuzz.reports.document_messages import Document, body_of, name_of
from brokerfuzz.wording import counted, printable

_LONGEST = 2000


@dataclass(frozen=True)
class SingleFinding:
    """A finding. `document` describes the finding as in a JSON report."""

    document: Document

    @property
    def difference(self) -> list[str]:
        """The differences between the smallest message and its twin, or the smallest message if it has no twin."""
        smallest, twin = body_of(self.document["smallest"]), self.document["twin"]
        return laid_out(smallest) if twin is None else difference(body_of(twin), smallest)

    def data(self) -> dict[str, Any]:
        """Describes the finding as JSON, as in a report."""
        return {"finding": dict(self.document)}

    def lines(self) -> Iterator[str]:
        """Describes the finding as text, without the message."""
        said, got = self.document, self.document["got"]
        yield f"{name_of(said)} (finding)"
        yield ""
        yield printable(said["sentence"], _LONGEST)
        for rule in said["rules"]:
            yield f"Rule: {printable(rule['rule'], _LONGEST)} at {printable(rule['at'], _LONGEST) or 'the root'}."
        yield f"Expected: {said['expected']}. The target answered: {got['answer']} ({printable(got['reason'], _LONGEST)})."
        if got["response"]:
            yield f"Its answer begins: {printable(got['response'], 300)}"
        yield f"The finding was shown by {counted(said['count'], 'case')}, first by case {said['case']['id']}."
        yield f"To reproduce it: {printable(said['reproduce'], 2 * _LONGEST)}"
        yield ""
        if said["twin"] is None:
            yield "The smallest message that shows the finding:"
        else:
            yield "The smallest message that shows the finding: lines with - are in the twin (the valid counterpart), lines with + in the message."


@dataclass(frozen=True)
class KnownFinding:
    """A finding in a baseline. A baseline contains only the name of a finding and a sentence about it."""

    name: str
    sentence: str

    @property
    def difference(self) -> list[str]:
        """Returns no lines, because a baseline contains no messages."""
        return []

    def data(self) -> dict[str, Any]:
        """Describes the finding as JSON."""
        return {"finding": {"name": self.name, "known": True, "sentence": self.sentence}}

    def lines(self) -> Iterator[str]:
        """Describes the finding as text."""
        yield f"{self.name} (known finding)"
        yield ""
        yield printable(self.sentence, _LONGEST)
        yield "A baseline contains only this sentence: specify a journal or a JSON report for the details."
