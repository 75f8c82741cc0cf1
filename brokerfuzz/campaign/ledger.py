"""The ledger of ambiguities: for each question that the contract leaves open, it shows what the target does."""

from dataclasses import dataclass, field

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Ambiguity, Contract, Verdict
from brokerfuzz.targets import ANSWER_KINDS, AnswerKind


@dataclass
class Observed:
    """The observations of one ambiguity: the number of messages for each kind of answer, and the first message that got each kind."""

    ambiguity: Ambiguity
    counts: dict[AnswerKind, int] = field(default_factory=lambda: dict.fromkeys(ANSWER_KINDS, 0))
    examples: dict[AnswerKind, Case] = field(default_factory=dict)
    numbers: dict[AnswerKind, int] = field(default_factory=dict)
    """The case numbers of the examples."""

    @property
    def behaviour(self) -> str:
        """One of `accepts`, `rejects`, `mixed`, or `unclear` (no message was accepted or rejected)."""
        accepted, rejected = self.counts["accepted"], self.counts["rejected"]
        if accepted and rejected:
            return "mixed"
        return "accepts" if accepted else "rejects" if rejected else "unclear"

    def add(self, number: int, case: Case, answer: AnswerKind, count: int = 1) -> None:
        """Adds `count` equal answers. The case is the first case that got this answer."""
        self.counts[answer] += count
        if number < self.numbers.get(answer, number + 1):
            self.numbers[answer], self.examples[answer] = number, case


class Ledger:
    """The observations of all ambiguities.

    Only messages that break no rule are observed, because the target should reject all others anyway. If a message that touches
    several ambiguities is accepted, it counts for each of them. If it is rejected, it counts for none of them, because any of
    them may be the reason.
    """

    def __init__(self) -> None:
        self._by_ambiguity: dict[str, Observed] = {}

    def observe(self, number: int, case: Case, verdict: Verdict, answer: AnswerKind, contract: Contract) -> None:
        """Adds the answer to an unspecified message; `number` is its case number."""
        touched = {entry.ambiguity for entry in verdict.ambiguities}
        if len(touched) == 1 or answer == "accepted":
            for ambiguity_id in touched:
                self.add(ambiguity_id, number, case, answer, contract)

    def add(self, ambiguity_id: str, number: int, case: Case, answer: AnswerKind, contract: Contract) -> None:
        """Adds one answer to the observations of an ambiguity."""
        if ambiguity_id not in self._by_ambiguity:
            self._by_ambiguity[ambiguity_id] = Observed(contract.ambiguity(ambiguity_id))
        self._by_ambiguity[ambiguity_id].add(number, case, answer)

    def absorb(self, other: "Ledger") -> None:
        """Adds the observations of another part of the campaign."""
        for ambiguity_id, observed in other._by_ambiguity.items():  # noqa: SLF001 - same class
            mine = self._by_ambiguity.setdefault(ambiguity_id, Observed(observed.ambiguity))
            for answer, case in observed.examples.items():
                mine.add(observed.numbers[answer], case, answer, observed.counts[answer])

    def in_order(self, contract: Contract) -> list[Observed]:
        """Returns the observations in the contract's order of ambiguities."""
        return [self._by_ambiguity[ambiguity.id] for ambiguity in contract.ambiguities if ambiguity.id in self._by_ambiguity]
