"""Collects the results of a campaign: counts, wrong answers, the behaviour for each ambiguity, and the proven
rejections. The amount of memory does not depend on the number of cases.
"""

from collections import Counter
from dataclasses import dataclass, field

from brokerfuzz.campaign.causes.leniencies import habit_of
from brokerfuzz.campaign.contradictions import FINDING_KINDS
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.campaign.proof import Proofs, Trial
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import Plan
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.targets import Answer, AnswerKind

MOST_CASES = 10_000
"""A campaign keeps only this number of cases and answers, so that long campaigns need no more memory."""
MOST_WRONG = 2_000
"""After `MOST_CASES`, it keeps only cases with wrong answers, and at most this number of them."""
MOST_PROBLEMS = 100
"""The maximum number of different texts about wrong answers. Each text may contain a number of its own."""


@dataclass
class Observations:
    """The results of a campaign.

    `catalogue_size` is the number of cases in the catalogue (None: not yet generated), of which `catalogue_sent` were
    sent. The messages of its valid cases have the IDs `valid_ids`. `rules` counts the answers of each kind for each
    broken rule. `left_out` is the number of cases that cannot be sent to this target. `last_failure` is the case with
    which the target stopped answering. `trials` are the first ones, and further ones with wrong answers. `correct`
    contains the IDs of those `watched` cases whose answers were correct, and proven if necessary.
    """

    watched: frozenset[str] = frozenset()
    correct: set[str] = field(default_factory=set)
    catalogue_size: int | None = None
    catalogue_sent: int = 0
    valid_ids: frozenset[str] = frozenset()
    counts: Counter[tuple[Label, AnswerKind]] = field(default_factory=Counter)
    rules: Counter[tuple[str, AnswerKind]] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    """What the target did wrong so far, in a few words. The causes are not known yet."""
    ledger: Ledger = field(default_factory=Ledger)
    proofs: Proofs = field(default_factory=Proofs)
    left_out: int = 0
    last_failure: Failure | None = None
    trials: list[Trial] = field(default_factory=list)
    _wrong_twins: set[str] = field(default_factory=set)
    _first_random_number: int = 0

    def begin(self, plan: Plan) -> None:
        """Generates the catalogue of the plan."""
        self.catalogue_size = len(plan.catalogue_cases())
        self.valid_ids = plan.valid_ids
        self._first_random_number = plan.first_random_number

    def add_left_out(self, number: int) -> None:
        self.left_out += 1
        self.catalogue_sent += number < self._first_random_number

    def add(self, trial: Trial, judge: Judge) -> None:
        """Records the answer to a case, and whether a rejection is proven."""
        verdict = trial.verdict
        self.catalogue_sent += trial.number < self._first_random_number
        if trial.twin is not None and trial.twin_answer is not None and trial.twin.id not in self.valid_ids:
            self._add_twin(trial.number, trial.twin, trial.twin_answer, judge.contract)
        self._count(trial, 1)
        if verdict.label == "unspecified":
            self.ledger.observe(trial, judge)
        elif trial.needs_proof:
            self.proofs.add(trial)
        if trial.contradiction is None and not trial.is_unproven:
            self._add_correct(trial.case)
        self._keep(trial, judge.contract)

    def _add_twin(self, number: int, twin: Case, answer: Answer, contract: Contract) -> None:
        """Records the answer to a valid message that is not a case. It is recorded only once."""
        trial = Trial(number, twin, twin.verdict, answer)
        if trial.contradiction is None:
            self._add_correct(twin)
        elif twin.id not in self._wrong_twins and len(self._wrong_twins) < MOST_CASES:
            self._wrong_twins.add(twin.id)
            self._keep(trial, contract)

    def _add_correct(self, case: Case) -> None:
        if case.id in self.watched:
            self.correct.add(case.id)

    def unmask(self, position: int, again: Trial) -> None:
        """Records that a message was sent again without the cause of a wrong rejection. `position` is that of the first
        trial. If its message was valid, both count. Otherwise, the new one replaces it, unless it also proves nothing.
        """
        trial = self.trials[position]
        if not trial.needs_proof:
            self.trials.append(again)
        elif not again.is_masked:
            self.trials[position] = again
            if trial.verdict.label == "invalid":
                self._count(trial, -1)
                self.proofs.remove(trial)
                self._count(again, 1)
                if again.needs_proof:
                    self.proofs.add(again)

    def _count(self, trial: Trial, number: int) -> None:
        self.counts[trial.verdict.label, trial.answer.kind] += number
        if trial.verdict.label == "invalid" and trial.rule is not None:
            self.rules[trial.rule, trial.answer.kind] += number

    def _keep(self, trial: Trial, contract: Contract) -> None:
        is_wrong = trial.contradiction is not None
        if len(self.trials) < (MOST_CASES + MOST_WRONG if is_wrong else MOST_CASES):
            self.trials.append(trial)
        if is_wrong:
            problem = _in_words(trial, contract)
            is_listed = problem in self.problems or len(self.problems) < MOST_PROBLEMS
            self.problems[problem if is_listed else "others"] += 1


def _in_words(trial: Trial, contract: Contract) -> str:
    kind = trial.contradiction
    assert kind is not None, "the answer is wrong"
    if kind == "invalid-accepted" and trial.rule:
        return habit_of(trial.case, contract).text
    return f"{FINDING_KINDS[kind].name} ({trial.answer.reason})"
