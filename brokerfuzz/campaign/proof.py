"""Decides whether a rejection is proven. A proven rejection shows that the target rejects the message because of its
fault.

A rejection is proven if the target accepts the twin (the valid counterpart), which lacks only the fault. Every other
rejection is unproven, because the target may have another reason to reject the message. An unproven rejection is not a
finding.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from brokerfuzz.campaign.answer_texts import without_details
from brokerfuzz.campaign.contradictions import FindingKind, contradiction
from brokerfuzz.campaign.usual_answers import ABOUT_THE_CLIENT
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer

MOST_REASONS = 20
"""The maximum number of examples of unproven rejections in a report."""
MOST_UNPROVEN = 12_000
"""The maximum number of unproven rejections that are kept, so that long campaigns need no more memory."""


@dataclass(slots=True)
class Trial:
    """A case that was sent, and the answers to it and to its twin, if the twin was sent. `number` is the number of the
    case. If `is_conflict` is true, the target may have rejected the message only because it already knew one of its
    `identifiers`. If `is_twin_stored` is true, the target accepted only the twin (see `Sender`). If `is_outdated` is
    true, the verdict may be wrong by now, because it depends on the time.
    """

    number: int
    case: Case
    verdict: Verdict
    answer: Answer
    twin: Case | None = None
    twin_answer: Answer | None = None
    identifiers: Sequence[str] = ()
    is_conflict: bool = False
    is_twin_stored: bool = False
    is_outdated: bool = False

    @property
    def contradiction(self) -> FindingKind | None:
        return None if self.is_outdated else contradiction(self.verdict.label, self.answer.kind)

    @property
    def needs_proof(self) -> bool:
        """True if the target rejected a message that is not valid."""
        return self.answer.kind == "rejected" and self.verdict.label != "valid"

    @property
    def rule(self) -> str | None:
        """The broken rule if the message has exactly one fault, else None."""
        return self.case.faults[0].rule if len(self.case.faults) == 1 else None

    @property
    def is_masked(self) -> bool:
        """True if the rejection proves nothing because the target does not accept the twin either."""
        is_twin_wrong = self.twin_answer is not None and self.twin_answer.kind in ("rejected", "crashed")
        return self.needs_proof and is_twin_wrong and not self.is_conflict

    @property
    def is_unproven(self) -> bool:
        return self.needs_proof and self.why_unproven() is not None

    def why_unproven(self) -> str | None:
        """Returns the reason why the rejection is unproven, or None if it is proven."""
        if self.answer.status in ABOUT_THE_CLIENT:
            return f"status {self.answer.status} says nothing about the message"
        if self.is_conflict:
            return (
                f"with status {self.answer.status}, the target may have rejected an identifier that it already knows: "
                f"use --fresh {','.join(self.identifiers) or 'PROPERTY'}"
            )
        if self.is_twin_stored:
            return "the target accepted only one ordinary message, so its answer to the twin may be a stored one"
        if self.twin_answer is not None and self.twin_answer.kind == "accepted":
            return None
        if self.twin_answer is None:
            return "no twin (the valid counterpart) can be sent"
        return f"the twin (the valid counterpart) was not accepted ({self.twin_answer.reason})"


@dataclass(slots=True)
class UnprovenExample:
    """The first of the rejections that are unproven for the same reason. `count` is the number of all."""

    rejection: Trial
    why: str
    count: int = 0


@dataclass
class Proofs:
    """The proven and unproven rejections of invalid messages.

    `rejected` is the number of rejected messages, `proven` is the number of proven rejections, and `rules` counts them
    for each broken rule. `unproven` has the unproven rejections by case, up to `MOST_UNPROVEN`, and `first_unproven`
    the first one for each broken rule.
    """

    rejected: int = 0
    proven: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    unproven: dict[int, Trial] = field(default_factory=dict)
    first_unproven: dict[str, Trial] = field(default_factory=dict)

    def add(self, rejection: Trial) -> None:
        self.rejected += 1
        if not rejection.is_unproven:
            self.proven += 1
            self.rules.update([] if rejection.rule is None else [rejection.rule])
            return
        if rejection.rule is not None:
            self.first_unproven.setdefault(rejection.rule, rejection)
        if len(self.unproven) < MOST_UNPROVEN:
            self.unproven[rejection.number] = rejection

    def remove(self, rejection: Trial) -> None:
        """Removes an unproven rejection, because the message was sent again in another way."""
        self.rejected -= 1
        self.unproven.pop(rejection.number, None)

    def why_unproven(self, rule: str) -> str:
        """Returns why the first unproven rejection for a rule proves nothing."""
        first = min(
            (rejection for rejection in self.unproven.values() if rejection.rule == rule),
            key=lambda rejection: rejection.number,
            default=self.first_unproven[rule],
        )
        return first.why_unproven() or ""

    def examples(self) -> list[UnprovenExample]:
        """Returns the first rejection for each reason."""
        examples: dict[str, UnprovenExample] = {}
        for rejection in sorted(self.unproven.values(), key=lambda rejection: rejection.number):
            why = rejection.why_unproven() or ""
            examples.setdefault(without_details(why), UnprovenExample(rejection, why)).count += 1
        return list(examples.values())[:MOST_REASONS]
