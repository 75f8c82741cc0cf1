"""Finds out which contradictions have the same cause, so that one bug gives one finding, and two bugs give two
findings.

Contradictions with the same answer form a group. The first message of a group is shrunk until its cause is known. Then
brokerfuzz removes this cause from all messages of the group, and sends the changed messages. If the answer is now
correct, the original message belongs to the same finding as the first message. Otherwise, the changed message has
another cause, so this message is shrunk too.

    first message    comments: "%", description: "%"    shrunk: the cause is /comments
    without cause                   description: "%"    still rejected, so it is shrunk too: the cause is /description
    second message   comments: "a%b"                    accepted without /comments: the first finding again
"""

from collections.abc import Sequence
from itertools import groupby

from brokerfuzz.campaign.bounded_sending import LimitReachedError
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import together
from brokerfuzz.campaign.causes import Cause
from brokerfuzz.campaign.contradictions import WITH_CAUSES, FindingKind
from brokerfuzz.campaign.finding_minimizer import FindingMinimizer
from brokerfuzz.campaign.identity import problem_key
from brokerfuzz.campaign.sending import UnsendableError
from brokerfuzz.campaign.shrinking import signature
from brokerfuzz.campaign.suspicion import Suspicion
from brokerfuzz.json_trees import tree_of, write_tree
from brokerfuzz.pointers import site_of
from brokerfuzz.targets import Answer

_NOT_SHRUNK: frozenset[FindingKind] = frozenset({"stopped-answering", "repeated-crash"})
MOST_CAUSES = 4
"""The maximum number of causes to search for in one message."""


class FindingIdentification:
    """Shrinks the contradictions of a campaign, and combines contradictions with the same cause. After `run`,
    `suspicions` contains the combined contradictions.
    """

    def __init__(self, suspicions: list[Suspicion], minimizer: FindingMinimizer, judge: Judge) -> None:
        self.suspicions = list(suspicions)
        self._minimizer, self._judge = minimizer, judge

    async def run(self, concurrency: int) -> None:
        """Shrinks the contradictions: up to `concurrency` groups at the same time, and in each group one contradiction
        after another.
        """
        reached = sorted((one for one in self.suspicions if one.kind not in _NOT_SHRUNK), key=problem_key)
        groups = sorted(
            (list(group) for _, group in groupby(reached, key=problem_key)), key=lambda group: group[0].index
        )
        waiting = iter(groups)

        async def work() -> None:
            for group in waiting:
                await _ProblemGroup(self.suspicions, self._minimizer, self._judge).identify(group)

        await together(*(work() for _ in range(concurrency)))
        for suspicion in self.suspicions:
            if suspicion.kind in WITH_CAUSES and suspicion.whole and not suspicion.size and not suspicion.places:
                await self._minimizer.repeat(suspicion)


class _ProblemGroup:
    """The contradictions of one group. `_known` contains the findings of this group so far, with their causes. To test
    a contradiction, the cause of a known finding is removed from its message. If the problem then disappears, the
    contradiction belongs to this finding.
    """

    def __init__(self, all_suspicions: list[Suspicion], minimizer: FindingMinimizer, judge: Judge) -> None:
        self._all, self._minimizer, self._judge = all_suspicions, minimizer, judge
        self._known: list[tuple[Suspicion, Cause]] = []
        self._too_large: Suspicion | None = None
        self._accepted_size = 0

    async def identify(self, group: Sequence[Suspicion]) -> None:
        """Shrinks each contradiction that belongs to no known finding, one after another. Begins with messages that are
        not invalid, because the rules that invalid messages break are rarely the cause.
        """
        for suspicion in group:
            if suspicion.kind in ("crashed", "timeout"):  # a time in the message may have been in the future until now
                suspicion.verdict = self._judge.of(suspicion.case, suspicion.case.body)
        for suspicion in sorted(group, key=lambda one: (one.verdict.label == "invalid", one.index)):
            if suspicion.kind not in WITH_CAUSES:
                await self._minimizer.shrink(suspicion, suspicion.body, suspicion.answer)
                continue
            try:
                await self._identify(suspicion)
            except LimitReachedError:
                self._merge_unexamined(suspicion)

    async def _identify(self, suspicion: Suspicion) -> None:
        if await self._is_too_large(suspicion):
            return
        explained = await self._explanation_or_rest(suspicion)
        if isinstance(explained, Suspicion):
            self._merge(explained, suspicion)
            return
        for _ in range(MOST_CAUSES):
            further = suspicion.copy()
            cause = await self._new_cause(suspicion, *explained)
            if cause is None:
                return
            self._known.append((suspicion, cause))
            if suspicion.provisional:
                self._all.append(further)
            explained = await self._explanation_or_rest(further)
            if isinstance(explained, Suspicion):  # the message has no further cause
                return
            if not suspicion.provisional:
                further.count = 1
                self._all.append(further)
            suspicion = further

    def _merge_unexamined(self, suspicion: Suspicion) -> None:
        """If a limit ended the search before the message was sent again, its cause is unknown. Another finding with the
        same answer is then more probable than a new cause, so the contradiction counts with this finding.
        """
        if not suspicion.sent and self._known and suspicion in self._all:
            self._merge(self._known[0][0], suspicion)

    def _merge(self, finding: Suspicion, suspicion: Suspicion) -> None:
        finding.merge(suspicion)
        self._all.remove(suspicion)

    async def _is_too_large(self, suspicion: Suspicion) -> bool:
        """Returns whether the size of the message is the cause. All such contradictions of a group belong to the same
        finding.
        """
        size = len(suspicion.case.body)
        if self._too_large is not None and size >= self._too_large.size:
            self._merge(self._too_large, suspicion)
            return True
        if size <= self._accepted_size:
            return False
        if await self._minimizer.find_size(suspicion):
            self._too_large = suspicion
            return True
        self._accepted_size = size
        return False

    # ------------------------------------------------------------------------------------------------ new causes

    async def _new_cause(self, suspicion: Suspicion, body: bytes, answer: Answer) -> Cause | None:
        """Shrinks a message that contains no known cause, and returns its cause. Returns None if no cause is found, or
        if a known cause has the same sites.
        """
        await self._minimizer.shrink(suspicion, body, answer, [cause for _, cause in self._known])
        if not suspicion.reproduced:
            return None
        await self._minimizer.explain(suspicion)
        cause = _cause_of(suspicion)
        if cause is None:
            return None
        for finding, known in self._known:
            if known.sites == cause.sites:
                self._merge(finding, suspicion)
                return None
        suspicion.provisional = not self._contains(suspicion.case.body, cause, suspicion)
        return cause

    def _contains(self, body: bytes, cause: Cause, suspicion: Suspicion) -> bool:
        """Returns whether `body`, the original message, contains the cause. If not, the shrunk message shows a
        different bug than the original message.
        """
        tree = tree_of(body)
        return (
            tree is None
            or not cause.sites
            or any(True for _ in cause.removed_from(tree, self._minimizer.schemas(suspicion)))
        )

    # ------------------------------------------------------------------------------------------------ known causes

    async def _explanation_or_rest(self, suspicion: Suspicion) -> Suspicion | tuple[bytes, Answer]:
        """Removes all known causes from the message, and sends the result. If the problem still occurs, returns this
        message and its answer. Otherwise returns the known finding to which the contradiction belongs.
        """
        case = suspicion.case
        faulty = {site_of(broken.at) for broken in suspicion.verdict.broken}
        removed: list[tuple[Suspicion, Cause]] = []
        body = case.body
        for finding, cause in self._known:
            if not cause.sites or not faulty.isdisjoint(cause.sites):
                return finding
            if (without := self._without(suspicion, body, cause)) is not None:
                removed.append((finding, cause))
                body = without
        if not removed:
            return suspicion.body, suspicion.answer
        answer = await self._answer(suspicion, body)
        if answer is not None:
            return body, answer
        return (
            removed[0][0]
            if len(removed) == 1 or suspicion.kind == "crashed"
            else await self._first_explanation(suspicion, removed)
        )

    async def _first_explanation(self, suspicion: Suspicion, removed: Sequence[tuple[Suspicion, Cause]]) -> Suspicion:
        """Removes one cause in `removed` at a time from the original message, and sends the result. Returns the finding
        of the first cause without which the problem disappears.
        """
        for finding, cause in removed:
            body = self._without(suspicion, suspicion.case.body, cause)
            if body is not None and await self._answer(suspicion, body) is None:
                return finding
        return removed[0][0]

    async def _answer(self, suspicion: Suspicion, body: bytes) -> Answer | None:
        """Sends a message. Returns None if the answer does not show the same problem as the contradiction."""
        try:
            answer = await self._minimizer.bounded(suspicion).answer(body)
        except UnsendableError:
            return None
        return (
            answer
            if self._minimizer.problem(suspicion, suspicion.answer, suspicion.case.body).is_shown(answer, body)
            else None
        )

    def _without(self, suspicion: Suspicion, body: bytes, cause: Cause) -> bytes | None:
        """Removes a cause from `body`, and returns the new message. Returns None if the message does not contain the
        cause, or if the verdict would change.
        """
        tree = tree_of(body)
        if tree is None:
            return None
        wanted = signature(suspicion.verdict)
        bodies = map(write_tree, cause.removed_from(tree, self._minimizer.schemas(suspicion)))
        return next(
            (changed for changed in bodies if signature(self._judge.of(suspicion.case, changed)) == wanted), None
        )


def _cause_of(suspicion: Suspicion) -> Cause | None:
    """Returns the cause of a contradiction, or None if the cause is unknown. If even the simplest valid message shows
    the problem, no part of the message is the cause, so the result has no sites. All further contradictions of the
    group then belong to the same finding.
    """
    tree = tree_of(suspicion.body)
    if suspicion.places and tree is not None:
        return Cause.of(suspicion.places, tree)
    if suspicion.verdict.label == "valid":
        return Cause() if suspicion.whole else None
    places = [broken.at for broken in suspicion.verdict.broken] or [
        touched.at for touched in suspicion.verdict.ambiguities
    ]
    return Cause.of(places, tree) if tree is not None and all(places) and places else None
