"""Defines a finding: one cause of wrong answers, with a sentence that describes it to developers."""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Label, MessageType, Verdict
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS, Violation
from brokerfuzz.targets.answers import Answer
from brokerfuzz.wording import counted, printable

FindingState = Literal["new", "grown", "known"]
"""What the baseline says about a finding. It has `grown` if something fails now that did not fail then."""


def finding_name(kind: FindingKind, message_type: MessageType, key: tuple[str, ...]) -> str:
    """Returns eight hexadecimal digits that identify a cause in every campaign."""
    text = "\n".join([kind, message_type, *key])
    return sha256(text.encode(errors="backslashreplace")).hexdigest()[:8]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One cause of wrong answers.

    `name` stays the same as long as the cause does. `text` says where and what the target does wrong. `failing` lists
    what fails: rules with techniques, or places with conditions. `new` are those of them that the baseline does not
    contain.

    `failed` of the `tried` cases that can have this cause show it, and `case` is the plainest of them. `extent` counts
    the rules at which the target does it, and those at which it could (0 if the text names the place). `body` is the
    smallest message, with its `verdict`, the `answer` to it, and the valid counterpart `twin`. `places` are the JSON
    Pointers of the cause in this message, and `sites` all properties that have it. It was sent again `sent` times, and
    `shown` times the problem occurred; `whole` is true if shrinking was completed.

    `source` is the part of the contract that states the broken rule. `reproduction` is a shell command that sends the
    smallest message. `fresh` is the property that gets a new value each time.
    """

    name: str
    kind: FindingKind
    text: str
    failing: tuple[str, ...]
    case: Case
    body: bytes
    verdict: Verdict
    answer: Answer
    failed: int = 1
    tried: int = 1
    extent: tuple[int, int] = (0, 0)
    places: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sent: int = 0
    shown: int = 0
    whole: bool = False
    twin: bytes | None = None
    source: str = ""
    reproduction: str = ""
    fresh: str | None = None
    state: FindingState = "new"
    new: tuple[str, ...] = ()

    @property
    def message_type(self) -> MessageType:
        return self.case.message_type

    @property
    def label(self) -> Label:
        return self.verdict.label

    @property
    def known(self) -> bool:
        return self.state == "known"

    @property
    def reasons(self) -> tuple[Violation, ...]:
        """The rules that the smallest message breaks."""
        return self.verdict.broken

    @property
    def ambiguities(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(touched.ambiguity for touched in self.verdict.ambiguities))

    @property
    def flaky(self) -> bool:
        """True if the smallest message was sent again, and the problem did not occur every time."""
        return self.shown < self.sent

    @property
    def expected(self) -> str:
        """The answers that the contract allows, for example `accepted`, or `accepted or rejected`."""
        return " or ".join(RIGHT_ANSWERS[self.label])

    @property
    def got(self) -> str:
        """The answer in words, for example `accepted (status 200)` or `crashed (the connection was reset)`."""
        return f"{self.answer.kind} ({printable(self.answer.reason, 300)})"

    @property
    def extent_in_words(self) -> str:
        """How often it occurs, for example `at 14 of 16 places, 313 cases`."""
        cases = counted(self.tried, "case") if self.failed == self.tried else ""
        cases = cases or f"{self.failed:,} of {counted(self.tried, 'case')}"
        places, possible = self.extent
        return f"at {places} of {counted(possible, 'place')}, {cases}" if places else cases

    def sentence(self) -> str:
        """The first line about the finding in all reports: where and what the target does wrong, how often, and the
        row of the contract.
        """
        row = f"; {self.source}" if self.source and len(self.rules) == 1 else ""
        times = f"; flaky: in {self.shown} of {counted(self.sent, 'repetition')}" if self.flaky else ""
        return f"{self.text} ({self.extent_in_words}{row}{times})"

    def against(self, known: frozenset[str]) -> "Finding":
        """Returns the finding with its state. `known` is what failed when the baseline was written."""
        new = tuple(entry for entry in self.failing if entry not in known)
        state: FindingState = "known" if not new else "new" if len(new) == len(self.failing) else "grown"
        return replace(self, state=state, new=new)
