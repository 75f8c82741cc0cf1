"""Decides whether a rejection is proven. A proven rejection shows that the target rejects the message because of its
fault.

A rejection is proven if the target accepts the twin (the valid counterpart), which lacks only the fault. Every other
rejection is unproven, because the target may have another reason to reject the message. An unproven rejection is not a
finding.
"""

from collections import Counter
from dataclasses import dataclass, field

from brokerfuzz.campaign.answer_texts import without_details
from brokerfuzz.campaign.contradictions import FindingKind, contradiction
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer

UNAUTHENTICATED = frozenset({401, 403, 407, 419})
"""HTTP statuses about missing or expired credentials. Some web frameworks use 419 for a session that has expired."""
ABOUT_THE_CLIENT = UNAUTHENTICATED | {408, 429}
"""HTTP statuses about the client or the connection, also a slow or too frequent request. They say nothing about the
message.
"""

MOST_REASONS = 20
"""The maximum number of examples of unproven rejections in a report."""


@dataclass(slots=True)
class CaseAnswers:
    """The answers to a case and to its twin, if the twin was sent. `number` is the number of the case. If `is_conflict`
    is true, the target may have rejected the message only because it already knew a value, such as the number.
    """

    number: int
    case: Case
    verdict: Verdict
    answer: Answer
    twin: Case | None = None
    twin_answer: Answer | None = None
    is_conflict: bool = False

    @property
    def contradiction(self) -> FindingKind | None:
        return contradiction(self.verdict.label, self.answer.kind)

    @property
    def needs_proof(self) -> bool:
        """True if the target rejected a message that is not valid."""
        return self.answer.kind == "rejected" and self.verdict.label != "valid"

    @property
    def rule(self) -> str | None:
        """The broken rule if the message has exactly one fault, else None."""
        return self.case.faults[0].rule if len(self.case.faults) == 1 else None

    @property
    def is_twin_rejected(self) -> bool:
        return self.twin_answer is not None and self.twin_answer.kind in ("rejected", "crashed")

    def why_unproven(self) -> str | None:
        """Returns the reason why the rejection is unproven, or None if it is proven."""
        if self.answer.status in ABOUT_THE_CLIENT:
            return f"status {self.answer.status} says nothing about the message"
        if self.is_conflict:
            return (
                f"with status {self.answer.status}, the target may have rejected a number that it already knows: "
                "use --fresh number"
            )
        if self.twin_answer is not None and self.twin_answer.kind == "accepted":
            return None
        if self.twin_answer is None:
            return "no twin (the valid counterpart) can be sent"
        return f"the twin (the valid counterpart) was not accepted ({self.twin_answer.reason})"


@dataclass(slots=True)
class UnprovenExample:
    """The first of the rejections that are unproven for the same reason. `count` is the number of all."""

    rejection: CaseAnswers
    why: str
    count: int = 0


@dataclass
class Proofs:
    """Counts the proven and unproven rejections of a campaign, with examples.

    `rejected` is the number of rejected invalid messages, and `proven` is the number of proven rejections. `rules`
    counts the proven rejections for each broken rule. `first_unproven` maps each broken rule to the number of its first
    unproven rejection, and the reason. `retested` counts the cases whose answers were replaced (see `proving`).
    """

    rejected: int = 0
    proven: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    first_unproven: dict[str, tuple[int, str]] = field(default_factory=dict)
    retested: int = 0
    _examples: dict[str, UnprovenExample] = field(default_factory=dict)
    """Maps reasons why rejections are unproven to examples."""

    def add(self, rejection: CaseAnswers, why_unproven: str | None) -> None:
        self.rejected += 1
        rule = rejection.rule
        if why_unproven is None:
            self.proven += 1
            self.rules.update([] if rule is None else [rule])
            return
        example = self._examples.setdefault(without_details(why_unproven), UnprovenExample(rejection, why_unproven))
        example.count += 1
        if rejection.number < example.rejection.number:
            example.rejection, example.why = rejection, why_unproven
        if rule is not None:
            first = rejection.number, why_unproven
            self.first_unproven[rule] = min(self.first_unproven.get(rule, first), first)

    def examples(self) -> list[UnprovenExample]:
        return sorted(self._examples.values(), key=lambda example: example.rejection.number)[:MOST_REASONS]
