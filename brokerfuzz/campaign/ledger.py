"""Records how the target behaves for each ambiguity (a question that the contract leaves open)."""

from dataclasses import dataclass, field

from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.schemas import Ambiguity, Contract
from brokerfuzz.targets import ANSWER_KINDS, AnswerKind


@dataclass
class Observed:
    """The observations for one ambiguity: for each kind of answer, the number of messages and the first message.

    `counts["rejected"]` contains only proven rejections, and `unproven` counts all other rejections. `contradicted` are
    the interpretations that at least one answer contradicts.
    """

    ambiguity: Ambiguity
    counts: dict[AnswerKind, int] = field(default_factory=lambda: dict.fromkeys(ANSWER_KINDS, 0))
    examples: dict[AnswerKind, Trial] = field(default_factory=dict)
    contradicted: set[str] = field(default_factory=set)
    unproven: int = 0

    def add(self, trial: Trial, judge: Judge) -> None:
        answer = trial.answer.kind
        self.counts[answer] += 1
        if answer not in self.examples or trial.number < self.examples[answer].number:
            self.examples[answer] = trial
        for interpretation in self.possible if answer in ("accepted", "rejected") else ():
            label = judge.allowing(self.ambiguity.id, interpretation).verdict(trial.case).label
            if contradiction(label, answer) is not None:
                self.contradicted.add(interpretation)

    @property
    def possible(self) -> tuple[str, ...]:
        """The interpretations that no answer contradicts."""
        kind = self.ambiguity.kind
        candidates = (kind and kind.candidates) or self.ambiguity.interpretations
        return tuple(interpretation for interpretation in candidates if interpretation not in self.contradicted)

    @property
    def behaviour(self) -> str:
        """The interpretations that match all answers of the target, separated by commas. The result is `mixed` if no
        interpretation matches, and `unclear` if every interpretation matches.
        """
        return (",".join(self.possible) or "mixed") if self.contradicted else "unclear"


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

    def observe(self, trial: Trial, judge: Judge) -> None:
        touched = {entry.ambiguity for entry in trial.verdict.ambiguities}
        if len(touched) > 1 and trial.answer.kind != "accepted":
            return
        for ambiguity_id in sorted(touched):
            if ambiguity_id not in self._by_ambiguity:
                self._by_ambiguity[ambiguity_id] = Observed(judge.contract.ambiguity(ambiguity_id))
            observed = self._by_ambiguity[ambiguity_id]
            if trial.is_unproven:
                observed.unproven += 1
            else:
                observed.add(trial, judge)

    def in_order(self, contract: Contract) -> list[Observed]:
        """Returns the observations in the order of the ambiguities in the contract."""
        return [
            self._by_ambiguity[ambiguity.id] for ambiguity in contract.ambiguities if ambiguity.id in self._by_ambiguity
        ]
