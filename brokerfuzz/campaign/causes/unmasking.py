"""Sends messages again without the causes of wrong rejections, which mask other mistakes.

A service that wrongly rejects fractions also rejects most messages with a fault, and their twins. So these rejections
prove nothing, and a second mistake stays hidden. With the fraction undone, they do:

    case   weightInPounds: 0.5, pageCount: 0   rejected         weightInPounds: 1, pageCount: 0   accepted: a finding
    twin   weightInPounds: 0.5, pageCount: 1   rejected         weightInPounds: 1, pageCount: 1   accepted
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.causes.explanation import Cause, Explanation
from brokerfuzz.campaign.causes.reducing import Reducer
from brokerfuzz.campaign.difference import Difference, undone
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.cases.case import TWIN_TAGS, Case
from brokerfuzz.json_trees import tree_of, write_tree
from brokerfuzz.schemas.verdicts import Violation


class Unmasking:
    """Undoes the causes of wrong rejections, as far as this changes neither the verdict nor the broken rules."""

    def __init__(self, sender: Sender, judge: Judge, reducer: Reducer, explanations: Sequence[Explanation]) -> None:
        self._sender, self._judge, self._reducer = sender, judge, reducer
        self._explanations = explanations

    def masking(self, asked: CaseAnswers) -> Explanation | None:
        """Returns the explanation of a rejection that proves nothing, because the twin is wrongly rejected, too."""
        masked = asked.case if asked.contradiction == "valid-rejected" else asked.twin
        if masked is None or not (asked.contradiction == "valid-rejected" or asked.is_masked):
            return None
        differences = self._reducer.differences(masked.body)
        for explanation in self._explanations:
            if any(cause.is_at(difference) for cause in explanation.causes for difference in differences):
                return explanation
        return None

    async def unmasked(self, asked: CaseAnswers) -> CaseAnswers | None:
        """Sends a masked message again without the causes, and its twin. Returns None if that is not possible."""
        case = self._without_causes(asked.case, asked.twin)
        if case is None:
            return None
        with suppress(UnsendableError):
            answer = await self._sender.ask("unmasked", asked.number, case)
            again = CaseAnswers(asked.number, case, case.verdict, answer)
            if again.needs_proof and case.twin is not None:
                again.is_conflict = self._sender.is_conflict(case, answer)
                again.is_twin_stored = self._sender.contact.is_stored(case.twin)
                again.twin, again.twin_answer = case.twin, await self._sender.ask("unmasked", asked.number, case.twin)
            return again
        return None

    def _without_causes(self, case: Case, twin: Case | None) -> Case | None:
        body = self._undone(case.body)
        verdict = self._judge.of(case, body)
        if verdict.label != case.label or _rules(verdict.broken) != _rules(case.verdict.broken):
            return None
        if twin is None or case.label == "valid":
            return Case(case.message_type, body, verdict, case.faults, case.tags)
        valid = self._undone(twin.body)
        valid_twin = Case(twin.message_type, valid, self._judge.of(twin, valid), tags=TWIN_TAGS)
        if valid_twin.label != "valid":
            return None
        return Case(case.message_type, body, verdict, case.faults, case.tags, twin=valid_twin)

    def _undone(self, body: bytes) -> bytes:
        causes = [difference for difference in self._reducer.differences(body) if self._is_cause(difference)]
        return write_tree(undone(tree_of(body), causes)) if causes else body

    def _is_cause(self, difference: Difference) -> bool:
        return any(cause.is_at(difference) for cause in self._causes())

    def _causes(self) -> Iterator[Cause]:
        for explanation in self._explanations:
            yield from explanation.causes


def _rules(broken: Sequence[Violation]) -> set[str]:
    return {violation.rule for violation in broken}
