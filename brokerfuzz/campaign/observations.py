"""Collects the results of a campaign: counts, contradictions, the behaviour for each ambiguity, and the proven
rejections. The amount of memory does not depend on the number of cases.
"""

from collections import Counter
from dataclasses import dataclass, field

from brokerfuzz.campaign import envelopes
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import MOST_CASES, AnsweredCase, contradiction
from brokerfuzz.campaign.finding_groups import Suspicions
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.campaign.proof import Proofs, Rejection, UnprovenExample
from brokerfuzz.campaign.sporadic import SporadicFailures
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Label, Verdict
from brokerfuzz.schemas.ambiguity_detectors import REJECTED
from brokerfuzz.targets import Answer, AnswerKind


@dataclass
class Observations:
    """The results of a campaign.

    `rules` counts the answers of each kind for each broken rule. `left_out` is the number of cases that cannot be sent
    to this target. `twins_sent` is the number of valid messages that were sent only as twins. `twins_accepted` is the
    number of these messages that the target accepted. `sent` contains the first cases, with their answers.
    """

    counts: Counter[tuple[Label, AnswerKind]] = field(default_factory=Counter)
    rules: Counter[tuple[str, AnswerKind]] = field(default_factory=Counter)
    suspicions: Suspicions = field(default_factory=Suspicions)
    ledger: Ledger = field(default_factory=Ledger)
    proofs: Proofs = field(default_factory=Proofs)
    sporadic: SporadicFailures = field(default_factory=SporadicFailures)
    twins_sent: int = 0
    twins_accepted: int = 0
    left_out: int = 0
    sent: list[AnsweredCase] = field(default_factory=list)
    _twins: set[str] = field(default_factory=set)
    """The IDs of the twins that were counted."""

    def add(self, number: int, case: Case, answer: Answer, judge: Judge) -> Rejection | None:
        """Records the answer to a case.

        If the target rejected a message that is not valid, the method returns the rejection. The caller must then call
        `settle` with this rejection.
        """
        verdict, contract = judge.verdict(case), judge.demands
        self.counts[verdict.label, answer.kind] += 1
        if len(self.sent) < MOST_CASES:
            self.sent.append(AnsweredCase(number, case, verdict.label, answer.kind))
        if len(case.faults) == 1:
            self.rules[case.faults[0].rule, answer.kind] += 1
        rejection = (
            Rejection(number, case, verdict, answer) if answer.kind == "rejected" and verdict.label != "valid" else None
        )
        if verdict.label == "unspecified":
            self.ledger.observe(number, case, verdict, answer.kind, judge)
        elif rejection is not None:
            self.proofs.rejected += 1
            self.proofs.note_names(rejection, contract)
        problem = envelopes.malformed(answer, contract) if contract.is_request(case.message_type) else None
        if problem is not None:
            self._add_malformed(number, case, verdict, answer, judge, problem)
        kind = contradiction(verdict.label, answer.kind)
        if kind is not None and judge.still(case, verdict):
            self.suspicions.add(kind, number, case, verdict, answer)
        return rejection

    def add_twin(self, number: int, twin: Case, answer: Answer) -> None:
        """Records the answer to a valid message that is not a case. The message is counted only once."""
        if twin.id in self._twins:
            return
        self._twins.add(twin.id)
        self.twins_sent += 1
        self.twins_accepted += answer.kind == "accepted"
        kind = contradiction(twin.label, answer.kind)
        if kind is not None:
            self.suspicions.add(kind, number, twin, twin.verdict, answer)

    def settle(self, rejection: Rejection, judge: Judge, *, plain_accepted: bool) -> None:
        """Records whether the rejection of an invalid or unspecified message is proven."""
        why = rejection.unproven(judge.demands, plain_accepted=plain_accepted)
        if rejection.verdict.label == "unspecified":
            if why is None:
                self.ledger.prove(rejection, judge)
        elif why is None:
            self.proofs.prove(rejection)
        elif plain_accepted and rejection.is_twin_rejected and not rejection.is_conflict:
            self.proofs.retest_later(UnprovenExample(rejection, why))
        else:
            self.proofs.doubt(UnprovenExample(rejection, why))

    def retested(
        self, before: Rejection, case: Case, answer: Answer, twin: Case, twin_answer: Answer, judge: Judge
    ) -> None:
        """Replaces the unproven rejection `before` in the results with the answer to `case`, the changed message. The
        target accepted `twin`, the twin of `case`.
        """
        del self.proofs.waiting[before.number]
        self.proofs.rejected -= 1
        self.proofs.retested += 1
        self.counts[before.verdict.label, before.answer.kind] -= 1
        if before.rule is not None:
            self.rules[before.rule, before.answer.kind] -= 1
        rejection = self.add(before.number, case, answer, judge)
        if rejection is not None:
            rejection.twin, rejection.twin_answer = twin, twin_answer
            self.settle(rejection, judge, plain_accepted=True)

    def _add_malformed(
        self, number: int, case: Case, verdict: Verdict, answer: Answer, judge: Judge, problem: str
    ) -> None:
        if envelopes.AMBIGUITY not in judge.demands.ambiguity_names:
            return
        ambiguity = judge.demands.ambiguity(envelopes.AMBIGUITY)
        interpretations = judge.policies.get(ambiguity.id, ambiguity.interpretations)
        if interpretations == (REJECTED,):
            self.suspicions.add("malformed-answer", number, case, verdict, answer, about=problem)
        elif len(interpretations) > 1:
            self.ledger.add(ambiguity.id, number, case, answer.kind, judge.demands).contradicted.add(REJECTED)
