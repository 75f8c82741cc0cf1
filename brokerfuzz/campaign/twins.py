"""Sends the twins (valid counterparts) of rejected messages, and builds those of findings and of probes, which have
none. A twin differs in as few places as possible, and has the values of another valid message there.

If the target accepts the twin, which lacks only the fault, it rejects the message because of the fault.
"""

from collections.abc import Sequence
from functools import lru_cache

from brokerfuzz.campaign.difference import Difference, OrdinaryValues, fewest, undone
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.known_identifiers import KnownIdentifiers
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import TWIN_TAGS
from brokerfuzz.json_trees import tree_of, write_tree
from brokerfuzz.schemas import Verdict

LARGEST_REPAIRED = 8192
"""The size in bytes above which the smallest message of a finding gets no twin, because this would need long."""


class Proving:
    def __init__(self, sender: Sender, judge: Judge) -> None:
        self.known_identifiers = KnownIdentifiers(sender, judge)
        self._sender, self._judge = sender, judge

    async def prove(self, trial: Trial) -> None:
        """Adds the answer to the twin of a rejected case. If a valid message was rejected because the target already
        knows its number, replaces the answer with the one that counts. Then checks whether the verdict still holds.
        Raises `TargetLostError`.
        """
        if trial.answer.kind == "accepted":
            self.known_identifiers.add_accepted(trial.case)
        elif trial.needs_proof:
            await self._ask_twin(trial)
        elif trial.contradiction == "valid-rejected":
            trial.answer = await self.known_identifiers.answer_that_counts(trial.number, trial.case, trial.answer)
        trial.is_outdated = trial.contradiction is not None and not self._judge.still(trial.case, trial.verdict)

    async def _ask_twin(self, trial: Trial) -> None:
        trial.identifiers = self._judge.identifiers(trial.case)
        trial.is_conflict = self._sender.is_conflict(trial.case, trial.answer, trial.identifiers)
        twin = twin_of(trial.case, trial.verdict, self._sender.plain, self._judge)
        if twin is None or not self._sender.can_send(twin):
            return
        answer = await self._sender.ask("twin", trial.number, twin)
        trial.twin = twin
        trial.twin_answer = await self.known_identifiers.answer_that_counts(trial.number, twin, answer)
        trial.is_conflict = trial.is_conflict or trial.twin_answer is not answer
        trial.is_twin_stored = self._sender.is_stored(twin)


async def twin_of_finding(failure: Failure, judge: Judge, plain: Sequence[Case]) -> bytes | None:
    """Returns None if the smallest message breaks several rules or is not JSON, or if there is no twin."""
    case, body, verdict = failure.case, failure.body, failure.verdict
    if verdict.label != "invalid" or len(verdict.broken) != 1 or case.twin is None:
        return None
    if body == case.body:
        return case.twin.body
    tree = tree_of(body)
    if tree is None or len(body) > LARGEST_REPAIRED:
        return None
    differences = tuple(OrdinaryValues.of(case.twin, plain).differences(tree))

    async def suffice(differences: tuple[Difference, ...]) -> bool:
        return judge.of(case, write_tree(undone(tree, differences))).label == "valid"

    return write_tree(undone(tree, await fewest(differences, suffice))) if await suffice(differences) else None


def twin_of(case: Case, verdict: Verdict, plain: Case | None, judge: Judge) -> Case | None:
    """Returns the valid message that can prove the rejection of a case. `plain` is an ordinary message."""
    if case.twin is not None or case.faults or plain is None:
        return case.twin
    return _twin_of_probe(case, verdict, plain, judge)


def _twin_of_probe(case: Case, verdict: Verdict, plain: Case, judge: Judge) -> Case:
    """Returns a valid message that differs from a message only at the places that touch an ambiguity: there it has the
    values of `plain`, an ordinary message. If there is no such message, returns `plain`.
    """
    tree = tree_of(case.body)
    if tree is None:
        return plain
    places = {touched.at for touched in verdict.ambiguities}
    at_places = [difference for difference in _values(plain).differences(tree) if difference.place in places]
    body = write_tree(undone(tree, at_places)) if at_places else plain.body
    twin = Case(case.message_type, body, judge.of(plain, body), tags=TWIN_TAGS)
    return twin if body != plain.body and twin.label == "valid" else plain


@lru_cache(maxsize=8)
def _values(plain: Case) -> OrdinaryValues:
    return OrdinaryValues.of(plain)
