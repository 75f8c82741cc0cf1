"""The ledger of ambiguities: what a target does where the contract does not say what it should."""

from dataclasses import dataclass, field

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Ambiguity, Contract, Verdict
from brokerfuzz.targets import ANSWER_KINDS, AnswerKind


@dataclass
class Observed:
    """What was seen of one ambiguity: how many messages got which answer, and the first message of each."""

    ambiguity: Ambiguity
    counts: dict[AnswerKind, int] = field(default_factory=lambda: dict.fromkeys(ANSWER_KINDS, 0))
    examples: dict[AnswerKind, Case] = field(default_factory=dict)
    numbers: dict[AnswerKind, int] = field(default_factory=dict)
    """The examples' numbers in the campaign."""

    @property
    def behaviour(self) -> str:
        """`accepts`, `rejects`, `mixed`, or `unclear` where it did neither."""
        accepted, rejected = self.counts["accepted"], self.counts["rejected"]
        if accepted and rejected:
            return "mixed"
        return "accepts" if accepted else "rejects" if rejected else "unclear"

    def add(self, number: int, case: Case, answer: AnswerKind, count: int = 1) -> None:
        """Counts answers, of which the case's was the first."""
        self.counts[answer] += count
        if number < self.numbers.get(answer, number + 1):
            self.numbers[answer], self.examples[answer] = number, case


class Ledger:
    """Observations by ambiguity.

    Only messages that break no rule tell of an ambiguity, as others are rejected anyway. One that touches several ambiguities
    and is accepted tells of each; rejected, it tells of none, for any of them may be why.
    """

    def __init__(self) -> None:
        self._by_ambiguity: dict[str, Observed] = {}

    def observe(self, number: int, case: Case, verdict: Verdict, answer: AnswerKind, contract: Contract) -> None:
        """Takes in the answer to an unspecified message, the `number`th case."""
        touched = {entry.ambiguity for entry in verdict.ambiguities}
        if len(touched) == 1 or answer == "accepted":
            for ambiguity_id in touched:
                self.add(ambiguity_id, number, case, answer, contract)

    def add(self, ambiguity_id: str, number: int, case: Case, answer: AnswerKind, contract: Contract) -> None:
        """Takes in one answer that tells of an ambiguity."""
        if ambiguity_id not in self._by_ambiguity:
            self._by_ambiguity[ambiguity_id] = Observed(contract.ambiguity(ambiguity_id))
        self._by_ambiguity[ambiguity_id].add(number, case, answer)

    def absorb(self, other: "Ledger") -> None:
        """Takes in what another part of the campaign observed."""
        for ambiguity_id, observed in other._by_ambiguity.items():  # noqa: SLF001 - of its own kind
            mine = self._by_ambiguity.setdefault(ambiguity_id, Observed(observed.ambiguity))
            for answer, case in observed.examples.items():
                mine.add(observed.numbers[answer], case, answer, observed.counts[answer])

    def in_order(self, contract: Contract) -> list[Observed]:
        """The observations, in the contract's order of ambiguities."""
        return [self._by_ambiguity[ambiguity.id] for ambiguity in contract.ambiguities if ambiguity.id in self._by_ambiguity]
