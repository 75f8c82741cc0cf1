"""Explains contradictions: shrinks their messages, finds the causes, and combines contradictions with the same cause.

Contradictions with the same answer form a group. The first message of a group is shrunk, and compared with an ordinary
message (see `difference`) to find its cause. Then this cause is removed from the other messages of the group. If the
answer is now correct, the message belongs to the same finding. Otherwise, it has another cause, so it is shrunk too.

    first message    comments: "%", description: "%"    shrunk: the cause is /comments
    without cause                   description: "%"    still rejected, so it is shrunk too: the cause is /description
    second message   comments: "a%b"                    accepted without /comments: the first finding again
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import nsmallest
from itertools import groupby

from brokerfuzz.campaign import confirming
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import WITH_CAUSES, FindingKind
from brokerfuzz.campaign.difference import Difference, OrdinaryValues, fewest, undone
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import group_key
from brokerfuzz.campaign.problem import TRIES, Bounds, LimitReachedError, Problem, signature
from brokerfuzz.campaign.proof import CaseAnswers
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.campaign.size_search import is_too_large
from brokerfuzz.campaign.twins import twin_of_finding
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import Tree, first_values, tree_of, write_tree
from brokerfuzz.pointers import site_of
from brokerfuzz.targets.threads import together

MOST_EXAMPLES = 500
"""The maximum number of accepted messages in which to look for ordinary values."""
MOST_CAUSES = 4
"""The maximum number of causes to search for in one message."""
_NOT_SHRUNK: frozenset[FindingKind] = frozenset({"stopped-answering", "repeated-crash"})


class Explanations:
    """Explains the contradictions of a campaign. After `run`, `suspicions` contains one contradiction for each cause.
    `examples` are valid messages, those that the target accepted first. They have the ordinary values of the parts
    that the accepted plain message does not have. `bounds` limit the shrinking of each message, and the search for its
    causes.
    """

    def __init__(
        self, suspicions: Iterable[Finding], sender: Sender, judge: Judge, examples: Sequence[Case], bounds: Bounds
    ) -> None:
        self.suspicions = list(suspicions)
        self.sender, self.judge, self.bounds, self.examples = sender, judge, bounds, examples
        self.plain = plain = sender.contact.case
        self.ordinary = OrdinaryValues({}, {}) if plain is None else OrdinaryValues.of(plain, examples)

    async def confirm(self, deadline: float, concurrency: int) -> None:
        bounds = Bounds(TRIES, deadline)
        await confirming.confirm(
            self.suspicions,
            self.sender.sporadic,
            lambda suspicion: Problem(suspicion, self.judge, self.sender, "alone", bounds),
            concurrency,
        )

    async def run(self, concurrency: int) -> None:
        """Explains up to `concurrency` groups at the same time, and in each group one contradiction after another."""
        reached = sorted((one for one in self.suspicions if one.kind not in _NOT_SHRUNK), key=group_key)
        groups = (list(group) for _, group in groupby(reached, key=group_key))
        waiting = iter(sorted(groups, key=lambda group: group[0].index))

        async def work() -> None:
            for group in waiting:
                await _SameAnswer(self).explain(group)

        await together(*(work() for _ in range(concurrency)))

    def problem(self, suspicion: Finding, phase: str) -> Problem:
        return Problem(suspicion, self.judge, self.sender, phase, self.bounds)


@dataclass(frozen=True)
class _KnownCause:
    """The differences that cause the problem of a finding. `needed` also has those without which the verdict would
    change. If the causes are unknown, `sites` contains the sites of the broken rules.
    """

    finding: Finding
    sites: frozenset[str]
    differences: tuple[Difference, ...] = ()
    needed: tuple[Difference, ...] = ()

    def is_in(self, found: Iterable[Difference]) -> bool:
        present = {(one.site, one.value) for one in found}
        return bool(self.differences) and all((one.site, one.value) in present for one in self.differences)

    def among(self, found: Sequence[Difference]) -> list[list[Difference]]:
        """Returns groups of differences without which another message would not have this cause."""
        with_needed = self.sites | {one.site for one in self.needed}
        groups = [[one for one in found if one.site in sites] for sites in (self.sites, with_needed)]
        return groups if groups[0] else []


class _SameAnswer:
    """The contradictions of one group. `_known` contains the causes that were found so far."""

    def __init__(self, explanations: Explanations) -> None:
        self._of = explanations
        self._known: list[_KnownCause] = []
        self._too_large: Finding | None = None
        self._accepted_size = 0

    async def explain(self, group: Sequence[Finding]) -> None:
        """Begins with messages that are not invalid, because the rules that invalid messages break are rarely the
        cause.
        """
        for suspicion in group:
            if suspicion.kind in ("crashed", "timeout"):  # a time in the message may have been in the future until now
                suspicion.verdict = self._of.judge.of(suspicion.case, suspicion.case.body)
        for suspicion in sorted(group, key=lambda one: (one.verdict.label == "invalid", one.index)):
            try:
                if suspicion.kind not in WITH_CAUSES:
                    await self._shrink(suspicion)
                elif not await self._is_too_large(suspicion):
                    await self._identify(suspicion)
            except LimitReachedError:
                self._merge_unexamined(suspicion)

    async def _identify(self, suspicion: Finding) -> None:
        """Finds the causes of a message: first those of known findings, then new ones."""
        for _ in range(MOST_CAUSES):
            further = suspicion.copy()
            finding = await self._known_finding(suspicion) or await self._explained(suspicion)
            if finding is not None:
                if finding is not suspicion and suspicion in self._of.suspicions:
                    self._merge(finding, suspicion)
                return
            if suspicion not in self._of.suspicions:
                self._of.suspicions.append(suspicion)
            few = further if self._known[-1].is_in(self._differences(further.case.body)) else suspicion
            few.count, few.numbers = 1, {few.index}
            suspicion = further

    def _merge_unexamined(self, suspicion: Finding) -> None:
        """If a limit ended the search before the message was sent again, its cause is unknown. Another finding with the
        same answer is then more probable than a new cause, so the contradiction counts with this finding.
        """
        if not suspicion.sent and self._known and suspicion in self._of.suspicions:
            self._merge(self._known[0].finding, suspicion)

    def _merge(self, finding: Finding, suspicion: Finding) -> None:
        finding.merge(suspicion)
        self._of.suspicions.remove(suspicion)

    def _differences(self, body: bytes) -> tuple[Difference, ...]:
        tree = tree_of(body)
        return () if tree is None else tuple(self._of.ordinary.differences(tree))

    # ------------------------------------------------------------------------------------------------ new causes

    async def _shrink(self, suspicion: Finding) -> None:
        with suppress(LimitReachedError):
            if not suspicion.sent and not await self._of.problem(suspicion, "shrink").recurs():
                self._of.sender.sporadic.take(suspicion, self._of.suspicions)
            if suspicion.reproduced:
                before = suspicion.copy()
                await self._make_smaller(suspicion)
                await self._of.problem(suspicion, "shrink").repeat()
                if suspicion.flaky:
                    await self._measure_again(suspicion, before)
        suspicion.twin = await twin_of_finding(suspicion, self._of.judge, self._of.examples)

    async def _make_smaller(self, suspicion: Finding) -> None:
        problem = self._of.problem(suspicion, "shrink")
        problem.allows = self._allows
        sites = self._of.judge.demands.sites[suspicion.message_type]
        with suppress(LimitReachedError):
            await Shrinker(problem, {path: site.schema for path, site in sites.items()}).run()
            suspicion.whole = True

    async def _measure_again(self, suspicion: Finding, before: Finding) -> None:
        """The smallest message may have shown the problem only by chance, so the finding gets its message from `before`
        again, and this message is repeated.
        """
        suspicion.body, suspicion.verdict, suspicion.answer = before.body, before.verdict, before.answer
        suspicion.whole = False
        suspicion.sent = 0
        suspicion.shown = 0
        if not await self._of.problem(suspicion, "shrink").recurs():
            self._of.sender.sporadic.take(suspicion, self._of.suspicions)

    def _allows(self, tree: Tree) -> bool:
        """Returns whether a smaller message contains none of the known causes."""
        if not self._known:
            return True
        differences = list(self._of.ordinary.differences(tree))
        return not any(cause.is_in(differences) for cause in self._known)

    async def _explained(self, suspicion: Finding) -> Finding | None:
        """Shrinks a message that contains no known cause, and finds its cause. If the cause is new, remembers it and
        returns None. Otherwise, returns the finding to which the contradiction belongs.
        """
        await self._shrink(suspicion)
        if not suspicion.reproduced:
            return suspicion
        needed, causes = await self._causes(suspicion)
        suspicion.places = tuple(dict.fromkeys(one.place for one in causes))
        cause = _KnownCause(suspicion, frozenset(suspicion.sites), causes, needed)
        if not causes and not suspicion.whole:
            return suspicion
        for known in self._known:
            if known.sites == cause.sites:
                return known.finding
        self._known.append(cause)
        return None if causes else suspicion

    async def _causes(self, suspicion: Finding) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
        """Returns the differences from an ordinary message with which the problem stays, and those among them that
        cause it: without them, the target answers in another way, and the verdict stays the same.
        """
        differences, tree = self._differences(suspicion.body), tree_of(suspicion.body)
        problem = self._of.problem(suspicion, "explain")

        async def only(some: tuple[Difference, ...]) -> str:
            kept = set(map(id, some))
            return await problem.outcome(undone(tree, [one for one in differences if id(one) not in kept]))

        async def suffice(some: tuple[Difference, ...]) -> bool:
            return await only(some) == "same problem"

        with suppress(LimitReachedError):
            needed = await fewest(differences, suffice)
            causes = [one for one in needed if await only(_without(needed, one)) == "other answer"]
            return needed, _innermost(causes or needed)
        return (), ()

    # ------------------------------------------------------------------------------------------------ known causes

    async def _known_finding(self, suspicion: Finding) -> Finding | None:
        """Removes all known causes from the message. If the problem still occurs, stores the changed message and
        returns None. Otherwise, returns the known finding to which the contradiction belongs.
        """
        faulty = {site_of(broken.at) for broken in suspicion.verdict.broken}
        for cause in self._known:
            if not cause.sites or not faulty.isdisjoint(cause.sites):
                return cause.finding
        differences, tree = self._differences(suspicion.case.body), tree_of(suspicion.case.body)
        problem = self._of.problem(suspicion, "without")
        removed: list[tuple[_KnownCause, list[Difference]]] = []
        for cause in self._known:
            earlier = [one for _, some in removed for one in some]
            for some in cause.among(differences):
                if self._keeps_verdict(suspicion, undone(tree, _united(earlier, some))):
                    removed.append((cause, some))
                    break
            else:
                if cause.is_in(differences):  # it cannot be removed
                    return cause.finding
        every = _united(*(some for _, some in removed))
        changed = undone(tree, every)
        if not every or await problem.outcome(changed) != "other answer":
            await problem.has(changed)
            return None
        removed.sort(key=lambda one: not one[0].is_in(differences))
        for cause, some in removed[:MOST_CAUSES] if len(removed) > 1 else ():
            if await problem.outcome(undone(tree, some)) == "other answer":
                return cause.finding
        return removed[0][0].finding

    def _keeps_verdict(self, suspicion: Finding, tree: Tree) -> bool:
        before, after = suspicion.verdict, self._of.judge.of(suspicion.case, write_tree(tree))
        return signature(after) == signature(before) or "invalid" not in (before.label, after.label)

    # ------------------------------------------------------------------------------------------------ sizes

    async def _is_too_large(self, suspicion: Finding) -> bool:
        """Returns whether the size of the message is the cause (see `size_search`). All such contradictions of a group
        belong to the same finding.
        """
        size, plain = len(suspicion.case.body), self._of.plain
        if self._too_large is not None and size >= self._too_large.size:
            self._merge(self._too_large, suspicion)
            return True
        if size <= self._accepted_size or plain is None or suspicion.case.headers or suspicion.kind == "timeout":
            return False
        if await is_too_large(suspicion, self._of.problem(suspicion, "size"), plain.body):
            suspicion.verdict = self._of.judge.of(plain, suspicion.body)
            self._too_large = suspicion
            return True
        self._accepted_size = size
        return False


def accepted_examples(sent: Iterable[CaseAnswers]) -> list[Case]:
    """Returns some valid messages that the target accepted, those with most sites first. They show ordinary values of
    the parts that the plain message does not have.
    """
    accepted = [one for one in sent if one.verdict.label == "valid" and not (one.contradiction or one.case.headers)]
    earliest = nsmallest(MOST_EXAMPLES, accepted, key=lambda one: one.number)
    return sorted((one.case for one in earliest), key=lambda case: -len(first_values(tree_of(case.body))))


def _without(differences: tuple[Difference, ...], one: Difference) -> tuple[Difference, ...]:
    return tuple(other for other in differences if other is not one)


def _united(*groups: Sequence[Difference]) -> list[Difference]:
    return list({id(one): one for some in groups for one in some}.values())


def _innermost(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Leaves out a difference that contains another one: for example `/a` if there is also `/a/0`."""
    return tuple(
        one for one in differences if not any(other.place.startswith(f"{one.place}/") for other in differences)
    )
