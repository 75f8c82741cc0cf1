"""Collects the results of a campaign: counts, contradictions, the behaviour for each ambiguity, and the proven
rejections. The amount of memory does not depend on the number of cases.
"""

from collections import Counter
from dataclasses import dataclass, field

from brokerfuzz.campaign import envelopes
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import IN_WORDS, contradiction
from brokerfuzz.campaign.conversions import leniency_of
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import Suspicions
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.campaign.proof import CaseAnswers, Proofs
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.schemas.ambiguity_detectors import REJECTED
from brokerfuzz.targets import Answer, AnswerKind

MANY_RULES = 10
"""If fewer rules were tested, the cases do not show that a target accepts everything."""
ALMOST = 0.9
EVERYTHING = "(almost) every invalid message"
MOST_CASES = 10_000
"""A campaign keeps only this number of cases and answers, so that long campaigns need no more memory."""


@dataclass
class Observations:
    """The results of a campaign.

    `rules` counts the answers of each kind for each broken rule. `left_out` is the number of cases that cannot be sent
    to this target. `sent` contains the first cases, with their answers. `correct` contains the IDs of those `watched`
    cases whose answers were correct, and proven if necessary.
    """

    watched: frozenset[str] = frozenset()
    correct: set[str] = field(default_factory=set)

    counts: Counter[tuple[Label, AnswerKind]] = field(default_factory=Counter)
    rules: Counter[tuple[str, AnswerKind]] = field(default_factory=Counter)
    suspicions: Suspicions = field(default_factory=Suspicions)
    ledger: Ledger = field(default_factory=Ledger)
    proofs: Proofs = field(default_factory=Proofs)
    left_out: int = 0
    sent: list[CaseAnswers] = field(default_factory=list)
    _twins: set[str] = field(default_factory=set)

    def add(self, asked: CaseAnswers, judge: Judge) -> None:
        """Records the answer to a case, and whether a rejection is proven."""
        case, verdict, answer = asked.case, asked.verdict, asked.answer
        self.counts[verdict.label, answer.kind] += 1
        if len(self.sent) < MOST_CASES:
            self.sent.append(asked)
        if verdict.label == "invalid" and (rule := asked.rule) is not None:
            self.rules[rule, answer.kind] += 1
        why_unproven = asked.why_unproven() if asked.needs_proof else None
        if verdict.label == "unspecified":
            self.ledger.observe(asked, judge, is_proven=why_unproven is None)
        elif asked.needs_proof:
            self.proofs.add(asked, why_unproven)
        contract = judge.demands
        problem = envelopes.malformed(answer, contract) if contract.is_request(case.message_type) else None
        if problem is not None:
            self._add_malformed(asked, judge, problem)
        if asked.contradiction is not None and judge.still(case, verdict):
            self.suspicions.add(Finding(asked.contradiction, case, asked.number, verdict, answer))
        if asked.contradiction is None and why_unproven is None:
            self._add_correct(case)

    def add_twin(self, number: int, twin: Case, answer: Answer) -> None:
        """Records the answer to a valid message that is not a case. It is recorded only once."""
        kind = contradiction(twin.label, answer.kind)
        if kind is None:
            self._add_correct(twin)
        elif twin.id not in self._twins:
            self.suspicions.add(Finding(kind, twin, number, twin.verdict, answer))
        self._twins.add(twin.id)

    def _add_correct(self, case: Case) -> None:
        if case.id in self.watched:
            self.correct.add(case.id)

    def contradictions(self) -> list[Finding]:
        """Returns the contradictions in the order of their cases. If the target accepts (almost) every invalid message,
        whatever rules it breaks, all these acceptances have the same cause, so they are one contradiction. For example,
        the target may not read the messages.
        """
        every = self.suspicions.in_order()
        accepted = sorted((one for one in every if one.kind == "invalid-accepted"), key=lambda one: len(one.body))
        invalid = sum(count for (label, _), count in self.counts.items() if label == "invalid")
        rules = {rule for rule, _ in self.rules}
        if not accepted or len(rules) < MANY_RULES or self.counts["invalid", "accepted"] < ALMOST * invalid:
            return every
        everything = accepted[0].copy()
        everything.about = EVERYTHING
        for one in accepted[1:]:
            everything.merge(one)
        return [everything, *(one for one in every if one.kind != "invalid-accepted")]

    def problems(self, contract: Contract) -> list[str]:
        """Says in a few words what the target did wrong so far, the most frequent problems first. The causes are not
        known yet.
        """
        counts: Counter[str] = Counter()
        for one in self.suspicions.in_order():
            if one.kind == "invalid-accepted" and len(one.case.faults) == 1:
                counts[leniency_of(one.case, contract).text] += one.count
            else:
                counts[f"{IN_WORDS[one.kind]} ({one.answer.reason})"] += one.count
        return [text for text, _ in counts.most_common()]

    def _add_malformed(self, asked: CaseAnswers, judge: Judge, problem: str) -> None:
        if envelopes.AMBIGUITY not in judge.demands.ambiguity_names:
            return
        ambiguity = judge.demands.ambiguity(envelopes.AMBIGUITY)
        interpretations = judge.policies.get(ambiguity.id, ambiguity.interpretations)
        if interpretations == (REJECTED,):
            found = Finding("malformed-answer", asked.case, asked.number, asked.verdict, asked.answer, about=problem)
            self.suspicions.add(found)
        elif len(interpretations) > 1:
            observed = self.ledger.add(ambiguity.id, asked.number, asked.case, asked.answer.kind, judge.demands)
            observed.contradicted.add(REJECTED)
