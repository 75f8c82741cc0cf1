"""Collects the results of a campaign: counts, wrong answers, the behaviour for each ambiguity, and the proven
rejections. The amount of memory does not depend on the number of cases.
"""

from collections import Counter
from dataclasses import dataclass, field

from brokerfuzz.campaign.causes.leniencies import habit_of
from brokerfuzz.campaign.contradictions import FINDING_KINDS
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.campaign.proof import CaseAnswers, Proofs
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.targets import Answer, AnswerKind

MOST_CASES = 10_000
"""A campaign keeps only this number of cases and answers, so that long campaigns need no more memory."""
MOST_WRONG = 2_000
"""After `MOST_CASES`, it keeps only cases with wrong answers, and at most this number of them."""


@dataclass
class Observations:
    """The results of a campaign.

    `rules` counts the answers of each kind for each broken rule. `left_out` is the number of cases that cannot be sent
    to this target. `answers` are those to the first cases, and further wrong ones. `correct` contains the IDs of those
    `watched` cases whose answers were correct, and proven if necessary.
    """

    watched: frozenset[str] = frozenset()
    correct: set[str] = field(default_factory=set)

    counts: Counter[tuple[Label, AnswerKind]] = field(default_factory=Counter)
    rules: Counter[tuple[str, AnswerKind]] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    """What the target did wrong so far, in a few words. The causes are not known yet."""
    ledger: Ledger = field(default_factory=Ledger)
    proofs: Proofs = field(default_factory=Proofs)
    left_out: int = 0
    answers: list[CaseAnswers] = field(default_factory=list)
    _wrong_twins: set[str] = field(default_factory=set)

    def add(self, asked: CaseAnswers, judge: Judge) -> None:
        """Records the answer to a case, and whether a rejection is proven."""
        verdict = asked.verdict
        self._count(asked, 1)
        if verdict.label == "unspecified":
            is_proven = not asked.needs_proof or asked.why_unproven() is None
            self.ledger.observe(asked, judge, is_proven=is_proven)
        elif asked.needs_proof:
            self.proofs.add(asked)
        asked.is_outdated = asked.contradiction is not None and not judge.still(asked.case, verdict)
        if asked.contradiction is None and not (asked.needs_proof and asked.why_unproven()):
            self._add_correct(asked.case)
        self._keep(asked, judge.contract)

    def add_twin(self, number: int, twin: Case, answer: Answer, contract: Contract) -> None:
        """Records the answer to a valid message that is not a case. It is recorded only once."""
        asked = CaseAnswers(number, twin, twin.verdict, answer)
        if asked.contradiction is None:
            self._add_correct(twin)
        elif twin.id not in self._wrong_twins and len(self._wrong_twins) < MOST_CASES:
            self._wrong_twins.add(twin.id)
            self._keep(asked, contract)

    def _add_correct(self, case: Case) -> None:
        if case.id in self.watched:
            self.correct.add(case.id)

    def unmask(self, position: int, again: CaseAnswers) -> None:
        """Records the answers to a message that was sent again without the cause of a wrong rejection. `position` is
        that of the first answers. If these were to a valid message, both count. Otherwise, the new ones
        replace them, unless they prove nothing either.
        """
        asked = self.answers[position]
        if not asked.needs_proof:
            self.answers.append(again)
        elif not again.is_masked:
            self.answers[position] = again
            if asked.verdict.label == "invalid":
                self._count(asked, -1)
                self.proofs.remove(asked)
                self._count(again, 1)
                if again.needs_proof:
                    self.proofs.add(again)

    def _count(self, asked: CaseAnswers, number: int) -> None:
        self.counts[asked.verdict.label, asked.answer.kind] += number
        if asked.verdict.label == "invalid" and asked.rule is not None:
            self.rules[asked.rule, asked.answer.kind] += number

    def _keep(self, asked: CaseAnswers, contract: Contract) -> None:
        is_wrong = asked.contradiction is not None
        if len(self.answers) < (MOST_CASES + MOST_WRONG if is_wrong else MOST_CASES):
            self.answers.append(asked)
        if is_wrong:
            self.problems[_in_words(asked, contract)] += 1


def _in_words(asked: CaseAnswers, contract: Contract) -> str:
    kind = asked.contradiction
    assert kind is not None, "the answer is wrong"
    if kind == "invalid-accepted" and asked.rule:
        return habit_of(asked.case, contract).text
    return f"{FINDING_KINDS[kind].name} ({asked.answer.reason})"
