"""Sends messages again without the causes of known failures, which mask other mistakes.

A service that wrongly rejects fractions also rejects most messages with a fault, and their twins. So these rejections
prove nothing, and a second mistake stays hidden. With the fraction undone, they do:

    case   weightInPounds: 0.5, pageCount: 0   rejected         weightInPounds: 1, pageCount: 0   accepted: a finding
    twin   weightInPounds: 0.5, pageCount: 1   rejected         weightInPounds: 1, pageCount: 1   accepted
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from brokerfuzz.campaign.causes.attributes import Attribute, MessageAttribute
from brokerfuzz.campaign.causes.evidence import Evidence, occurrences
from brokerfuzz.campaign.causes.explanation import Cause, Explanation
from brokerfuzz.campaign.causes.laboratory import Laboratory
from brokerfuzz.campaign.contradictions import FindingKind, contradiction
from brokerfuzz.campaign.difference import Difference, undone
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.sending import UnsendableError
from brokerfuzz.campaign.shrinking import in_schema_order
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import TWIN_TAGS
from brokerfuzz.json_trees import tree_of, write_tree
from brokerfuzz.schemas.sites import schema_at
from brokerfuzz.schemas.verdicts import Violation


class Unmasking:
    """Undoes the causes of known failures, as far as this changes neither the verdict nor the broken rules."""

    def __init__(self, laboratory: Laboratory, evidence: Evidence, explanations: Sequence[Explanation]) -> None:
        self._laboratory, self._evidence, self._explanations = laboratory, evidence, explanations

    def masking(self, trial: Trial) -> Explanation | None:
        """Returns the explanation of a rejection that proves nothing, because the twin fails, too, or of a crash that
        has nothing to do with the fault.
        """
        kind = _masking_kind(trial)
        masked = trial.case if trial.verdict.label == "valid" else trial.twin or trial.case.twin
        if kind is None or masked is None:
            return None
        for explanation in self._of_kind(kind):
            if any(self._is_in(replace(trial, case=masked), cause) for cause in explanation.causes):
                return explanation
        return None

    def _is_in(self, trial: Trial, cause: Cause) -> bool:
        """Returns whether a message has this cause, or a difference like it from an ordinary one."""
        if any(self._is_at(cause, difference) for difference in self._laboratory.differences(trial.case.body)):
            return True
        conditions = [attribute for attribute in cause.attributes if isinstance(attribute, Attribute)]
        others = [attribute for attribute in cause.attributes if isinstance(attribute, MessageAttribute)]
        has_conditions = not conditions or self._evidence.has(conditions, trial.case.body)
        return bool(cause.attributes) and has_conditions and all(attribute.holds(trial) for attribute in others)

    async def unmasked(self, trial: Trial) -> Trial | None:
        """Sends a masked message again without the causes, and its twin. Returns None if that is not possible."""
        kind = _masking_kind(trial)
        if kind is None:
            return None
        case = (
            self._without(self._explanations, trial)
            or self._without(self._of_kind(kind), trial)
            or self._on_plain_message(trial)
        )
        if case is None:
            return None
        with suppress(UnsendableError):
            answer = await self._laboratory.sender.ask("unmasked", trial.number, case)
            again = Trial(trial.number, case, case.verdict, answer)
            await self._laboratory.proving.prove(again)
            return again
        return None

    def _without(self, explanations: Sequence[Explanation], trial: Trial) -> Case | None:
        """Returns the message and its twin without the causes of these explanations, if only the causes change."""
        case, twin = trial.case, trial.twin
        causes = [cause for explanation in explanations for cause in explanation.causes]
        body = self._undone(case.body, causes)
        if twin is None or case.label == "valid":
            return self._changed(case, body) if body != case.body else None
        valid = self._undone(twin.body, causes)
        if valid == twin.body:  # the target would reject it again
            return None
        valid_twin = Case(twin.message_type, valid, self._laboratory.judge.of(twin, valid), tags=TWIN_TAGS)
        return self._changed(case, body, valid_twin) if valid_twin.label == "valid" else None

    def _on_plain_message(self, trial: Trial) -> Case | None:
        """Returns the plain message with the faults of the case. For example, the cause may be a number of items, but
        with another number, a sum would be wrong.
        """
        plain, case = self._laboratory.plain, trial.case
        if plain is None or not case.faults or tree_of(case.body) is None:
            return None
        places = [fault.at for fault in case.faults]
        differences = self._laboratory.differences(case.body)
        elsewhere = [
            difference for difference in differences if not any(_is_along(difference.place, place) for place in places)
        ]
        changed = in_schema_order(undone(tree_of(case.body), elsewhere), self._laboratory.sites)
        return self._changed(case, write_tree(changed), replace(plain, tags=TWIN_TAGS))

    def _changed(self, case: Case, body: bytes, twin: Case | None = None) -> Case | None:
        """Returns None if the changed message has another verdict, or breaks other rules."""
        verdict = self._laboratory.judge.of(case, body)
        if verdict.label != case.label or _rules(verdict.broken) != _rules(case.verdict.broken):
            return None
        return Case(case.message_type, body, verdict, case.faults, case.tags, twin=twin)

    def _undone(self, body: bytes, causes: Sequence[Cause]) -> bytes:
        differences = [
            difference
            for difference in self._laboratory.differences(body)
            if any(self._is_at(cause, difference) for cause in causes)
        ]
        return write_tree(undone(tree_of(body), differences)) if differences else body

    def _of_kind(self, kind: FindingKind) -> list[Explanation]:
        return [explanation for explanation in self._explanations if explanation.kind == kind]

    def _is_at(self, cause: Cause, difference: Difference) -> bool:
        """Returns whether a difference of another message from an ordinary one is this cause, or contains it."""
        attributes = [attribute for attribute in cause.attributes if isinstance(attribute, Attribute)]
        if not attributes:
            return difference.site in cause.sites
        sites = self._laboratory.sites
        return any(
            attribute.site in (None, site) and attribute.condition.holds(value, schema_at(sites, site))
            for site, _, value in occurrences(difference.whole_value, sites, difference.site)
            for attribute in attributes
        )


def _masking_kind(trial: Trial) -> FindingKind | None:
    """Returns what is wrong with the answer to a message, or to the twin of a rejected one."""
    if trial.verdict.label == "valid" or trial.contradiction in ("crashed", "timeout"):
        return trial.contradiction
    return contradiction("valid", trial.twin_answer.kind) if trial.is_masked and trial.twin_answer else None


def _is_along(place: str, fault: str) -> bool:
    """Returns whether a place is that of a fault, or inside or around it."""
    return f"{place}/".startswith(f"{fault}/") or f"{fault}/".startswith(f"{place}/")


def _rules(broken: Sequence[Violation]) -> set[str]:
    return {violation.rule for violation in broken}
