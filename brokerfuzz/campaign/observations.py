"""What the answers to cases teach: counts, contradictions, the ledger, whether rejections are for the right reason.

Of two parts of a campaign one can take in what the other saw, in any order: the example of something is always its first case. Memory does
not grow with the number of cases.
"""

from collections import Counter
from dataclasses import dataclass, field

from brokerfuzz.campaign import envelopes
from brokerfuzz.campaign.attribution import Attribution
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import contradiction
from brokerfuzz.campaign.finding_groups import Suspicions
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Label, Verdict
from brokerfuzz.targets import Answer, AnswerKind


@dataclass
class Observations:
    """What a campaign, or a part of it, saw. `rules` counts the answers to faults by the rule that they break, `left_out` cases that the target
    cannot be given."""

    counts: Counter[tuple[Label, AnswerKind]] = field(default_factory=Counter)
    rules: Counter[tuple[str, AnswerKind]] = field(default_factory=Counter)
    suspicions: Suspicions = field(default_factory=Suspicions)
    ledger: Ledger = field(default_factory=Ledger)
    attribution: Attribution = field(default_factory=Attribution)
    left_out: int = 0

    def take(self, number: int, case: Case, answer: Answer, judge: Judge) -> None:
        """Takes in the answer to the `number`th case. One that a target gave which asks to be left alone says nothing."""
        if not answer.reached and answer.status is not None:
            return
        verdict = judge.verdict(case)
        self.counts[verdict.label, answer.kind] += 1
        if len(case.faults) == 1:
            self.rules[case.faults[0].rule, answer.kind] += 1
        if answer.reached:
            self._learn(number, case, verdict, answer, judge)
        kind = contradiction(verdict.label, answer.kind)
        if kind is not None and judge.still(case, verdict):
            self.suspicions.add(kind, number, case, verdict, answer)

    def _learn(self, number: int, case: Case, verdict: Verdict, answer: Answer, judge: Judge) -> None:
        demands = judge.demands
        if verdict.label == "unspecified":
            self.ledger.observe(number, case, verdict, answer.kind, demands)
        elif verdict.label == "invalid" and answer.kind == "rejected":
            self.attribution.rejected(number, case, verdict, answer, demands)
        if case.message_type == envelopes.ANSWERED and (problem := envelopes.malformed(answer, demands)) is not None:
            self._malformed(number, case, verdict, answer, judge, problem)

    def _malformed(self, number: int, case: Case, verdict: Verdict, answer: Answer, judge: Judge, problem: str) -> None:
        policy = (judge.policies or {}).get(envelopes.AMBIGUITY, "unspecified")
        if policy == "unspecified":
            self.ledger.add(envelopes.AMBIGUITY, number, case, answer.kind, judge.demands)
        elif policy == "reject":
            self.suspicions.add("malformed-answer", number, case, verdict, answer, about=problem)

    def absorb(self, other: "Observations") -> None:
        """Takes in what another part of the campaign saw."""
        self.counts += other.counts
        self.rules += other.rules
        self.suspicions.absorb(other.suspicions)
        self.ledger.absorb(other.ledger)
        self.attribution.absorb(other.attribution)
        self.left_out += other.left_out
