"""Records how the target behaves for each ambiguity (a question that the contract leaves open)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Ambiguity, Contract
from brokerfuzz.targets import ANSWER_KINDS, AnswerKind


@dataclass
class Observed:
    """The observations for one ambiguity: for each kind of answer, the number of messages and the first message.

    `counts["rejected"]` contains only proven rejections, and `unproven` counts all other rejections.
    """

    ambiguity: Ambiguity
    counts: dict[AnswerKind, int] = field(default_factory=lambda: dict.fromkeys(ANSWER_KINDS, 0))
    examples: dict[AnswerKind, Case] = field(default_factory=dict)
    numbers: dict[AnswerKind, int] = field(default_factory=dict)
    """The numbers of the cases in `examples`."""
    contradicted: set[str] = field(default_factory=set)
    """The interpretations that at least one answer contradicts."""
    unproven: int = 0

    @property
    def possible(self) -> tuple[str, ...]:
        """The interpretations that no answer contradicts."""
        return tuple(
            interpretation for interpretation in candidates(self.ambiguity) if interpretation not in self.contradicted
        )

    @property
    def behaviour(self) -> str:
        """The interpretations that match all answers of the target, separated by commas. The result is `mixed` if no
        interpretation matches, and `unclear` if every interpretation matches.
        """
        return (",".join(self.possible) or "mixed") if self.contradicted else "unclear"


def candidates(ambiguity: Ambiguity) -> Sequence[str]:
    """Returns the interpretations that the ledger compares with the answers."""
    return (ambiguity.kind and ambiguity.kind.candidates) or ambiguity.interpretations


class Ledger:
    """The observations for all ambiguities.

    An answer contradicts an interpretation if the answer is wrong for the verdict under this interpretation. For
    example, the rejection of a message contradicts every interpretation under which the message is valid. `observe`
    must be called only for unspecified messages. An accepted message counts for each ambiguity that the message
    touches. A rejected message counts only if it touches a single ambiguity, because otherwise the reason for the
    rejection is unknown.
    """

    def __init__(self) -> None:
        self._by_ambiguity: dict[str, Observed] = {}

    def observe(self, trial: Trial, judge: Judge, *, is_proven: bool) -> None:
        touched = {entry.ambiguity for entry in trial.verdict.ambiguities}
        answer = trial.answer.kind
        if len(touched) > 1 and answer != "accepted":
            return
        for ambiguity_id in sorted(touched):
            if answer == "rejected" and not is_proven:
                self._observed(ambiguity_id, judge.contract).unproven += 1
            else:
                observed = self.add(ambiguity_id, trial.number, trial.case, answer, judge.contract)
                for interpretation in observed.possible if answer in ("accepted", "rejected") else ():
                    label = judge.allowing(ambiguity_id, interpretation).verdict(trial.case).label
                    if contradiction(label, answer) is not None:
                        observed.contradicted.add(interpretation)

    def _observed(self, ambiguity_id: str, contract: Contract) -> Observed:
        if ambiguity_id not in self._by_ambiguity:
            self._by_ambiguity[ambiguity_id] = Observed(contract.ambiguity(ambiguity_id))
        return self._by_ambiguity[ambiguity_id]

    def add(self, ambiguity_id: str, number: int, case: Case, answer: AnswerKind, contract: Contract) -> Observed:
        observed = self._observed(ambiguity_id, contract)
        observed.counts[answer] += 1
        if number < observed.numbers.get(answer, number + 1):
            observed.numbers[answer], observed.examples[answer] = number, case
        return observed

    def in_order(self, contract: Contract) -> list[Observed]:
        """Returns the observations in the order of the ambiguities in the contract."""
        return [
            self._by_ambiguity[ambiguity.id] for ambiguity in contract.ambiguities if ambiguity.id in self._by_ambiguity
        ]
