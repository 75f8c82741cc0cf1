"""Experiments with failing messages: repeats them, reduces them to the differences that cause the failure, shrinks
them, and undoes these differences in other messages.

    failing       {"number": "A", "comments": "it's", "description": "%", "orderMinimum": 7, …}   crashed
    ordinary      {"number": "OFF-1", "comments": "Plain", "description": "Flyer", …}              accepted
    reduced       {"number": "OFF-1", "comments": "'", "description": "Flyer", …}                  crashed
    shrunk        {"comments": "'"}                                                                crashed
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from time import monotonic
from typing import Final, TypeVar

from brokerfuzz.campaign.difference import Difference, OrdinaryValues, fewest, undone
from brokerfuzz.campaign.failure import FailingMessage, Failure
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.problem import TRIES, Bounds, LimitReachedError, Problem
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.campaign.twins import Proving
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import Tree, children, first_values, paths, replaced, site_at, subtree, tree_of
from brokerfuzz.schemas import MessageType, Site
from brokerfuzz.targets.threads import each

MOST_EXAMPLES: Final = 500
"""The maximum number of accepted messages in which to look for ordinary values."""
SAMPLES: Final = 20
"""Of the messages that may have the same cause, this number is tested."""
CONFIRMED: Final = 0.9
"""If at least this share of the tested messages has the cause, the others have it, too."""
ENOUGH_SITES: Final = 3
"""If a value causes a failure at this number of other sites, it does so at any site."""

_Item = TypeVar("_Item")


@dataclass(kw_only=True)
class Laboratory:
    """`examples` are valid messages, those that the target accepted first: they have ordinary values for the parts that
    the plain message lacks. `bounds` limit the experiments with each message, and `repetitions` end at a time of their
    own. `rejects_sometimes` is true if the target gives different answers to the same valid message.
    """

    sender: Sender
    judge: Judge
    proving: Proving
    message_type: MessageType
    examples: Sequence[Case]
    bounds: Bounds
    repetitions: Bounds
    concurrency: int
    rejects_sometimes: bool = False
    _failures: dict[tuple[int, str], Failure] = field(default_factory=dict)

    @property
    def plain(self) -> Case | None:
        return self.sender.plain

    @property
    def sites(self) -> Mapping[str, Site]:
        return self.judge.contract.sites[self.message_type]

    async def each(self, items: Iterable[_Item], work: Callable[[_Item], Awaitable[None]]) -> None:
        """Works on several items at the same time."""
        await each(items, work, self.concurrency)

    def problem(self, failure: Failure, role: str, bounds: Bounds | None = None) -> Problem:
        is_uncertain = self.rejects_sometimes and failure.kind == "valid-rejected"
        return Problem(failure, self.judge, self.sender, role, bounds or self.bounds, is_uncertain=is_uncertain)

    # ------------------------------------------------------------------------------------------------ repeating

    def failure_of(self, trial: Trial) -> Failure:
        """Judges the message again: a time in it may have been in the future until now. Each case has one failure that
        remembers how often the message was repeated.
        """
        key = trial.number, trial.case.id
        if key in self._failures:
            return self._failures[key]
        failure = self._failures[key] = Failure.of(trial)
        if failure.kind in ("crashed", "timeout"):
            failure.message = failure.message._replace(verdict=self.judge.of(trial.case, trial.case.body))
        return failure

    def forget(self, failure: Failure) -> None:
        """The case of this failure also fails for another reason, so it needs a failure of its own."""
        self._failures.pop((failure.number, failure.case.id), None)

    async def recurs(self, failure: Failure, tries: int = TRIES) -> bool:
        """Sends the message again, unless it was repeated before. A failure that does not recur is counted, and is no
        finding.
        """
        if failure.sent:
            return not failure.is_sporadic
        with suppress(LimitReachedError):
            await self.problem(failure, "alone", self.repetitions).recurs(tries)
        if failure.is_sporadic:
            self.sender.sporadic.add(failure)
        return not failure.is_sporadic

    async def recurring_crashes(self) -> list[Trial]:
        """Repeats some crashes that did not occur when the message was sent a second time, and returns those that now
        occur again.
        """
        recurring = []
        for number, case, answer in self.sender.sporadic.crashes():
            trial = Trial(number, case, self.judge.verdict(case), answer)
            if await self.recurs(self.failure_of(trial)):
                self.sender.sporadic.remove(self.failure_of(trial))
                recurring.append(trial)
        return recurring

    def may_experiment(self, failure: Failure) -> bool:
        is_in_time = monotonic() < self.bounds.deadline
        return self.bounds.requests > 0 and is_in_time and failure.recurred and self.plain is not None

    # ------------------------------------------------------------------------------------------------ reducing

    @cached_property
    def _ordinary(self) -> OrdinaryValues:
        return OrdinaryValues({}, {}) if self.plain is None else OrdinaryValues.of(self.plain, self.examples)

    def differences(self, body: bytes) -> tuple[Difference, ...]:
        """Returns the differences between a message and the ordinary one, or none if it is not JSON."""
        tree = tree_of(body)
        return () if tree is None else tuple(self._ordinary.differences(tree))

    async def reduce(self, failure: Failure) -> tuple[Difference, ...]:
        """Reduces the message of a failure to the differences that cause it, and returns these. Each of them was undone
        once, and then the answer was right. Returns none if the notation of the message is the cause, or if the message
        is not JSON. Raises `LimitReachedError`.
        """
        problem = self.problem(failure, "shrink")
        tree = tree_of(failure.body)
        if tree is None or not await problem.adopt(tree):
            return ()
        differences = self.differences(failure.body)

        def with_only(remaining: Collection[Difference]) -> Tree:
            return undone(tree, [difference for difference in differences if difference not in remaining])

        async def suffice(remaining: tuple[Difference, ...]) -> bool:
            return await problem.adopt(with_only(set(remaining)))

        needed = await fewest(differences, suffice)
        causes = [
            difference
            for difference in needed
            if await problem.outcome(with_only({*needed} - {difference})) == "other answer"
        ]
        sites = {difference.site for difference in causes or needed}
        await Shrinker(problem, self.sites).simplify(sites)
        return self._causes_at(sites, failure.body)

    def _causes_at(self, sites: Collection[str], body: bytes) -> tuple[Difference, ...]:
        """Returns the differences at these sites, one for each place: a property that the ordinary message lacks may
        have an unusual value, too.
        """
        causes: dict[str, Difference] = {}
        for difference in self._differences_at(sites, body):
            earlier = causes.get(difference.place)
            combined = difference if earlier is None else replace(earlier, is_added=True, undo=difference.undo)
            causes[difference.place] = combined
        return tuple(causes.values())

    def _differences_at(self, sites: Collection[str], body: bytes) -> list[Difference]:
        return [difference for difference in self.differences(body) if difference.site in sites]

    # ------------------------------------------------------------------------------------------------ shrinking

    async def shrink(
        self, failure: Failure, causes: Sequence[Difference], simplified: Collection[str] = ()
    ) -> Sequence[Difference]:
        """Shrinks the message of a failure, simplifies the values at some sites, and returns the causes in the smallest
        message. If it does not show the problem again, a larger one is used.
        """
        original = replace(failure)
        problem = self.problem(failure, "shrink")
        sites = {cause.site for cause in causes}
        remaining = causes
        with suppress(LimitReachedError):
            await Shrinker(problem, self.sites).shrink()
            if causes and await self._stays_without(sites, problem, tree_of(failure.body)):
                # The smallest message has another problem with the same answer, so each step must keep the cause.
                failure.message = original.message
                problem.keeps = lambda tree: self._goes_without(sites, problem, tree)
                await Shrinker(problem, self.sites).shrink()
            remaining = await self._causes_in_smallest(problem, sites)
            await Shrinker(problem, self.sites).simplify(simplified)
        with suppress(LimitReachedError):
            await self.problem(failure, "shrink").repeat()
            if failure.sent and not failure.recurred and original.recurred:
                await self._enlarge(failure, problem.earlier)
        if failure.sent and not failure.recurred and original.recurred:
            failure.restart_with(original.message)
            failure.whole = False
            await self.recurs(failure)
        return remaining

    async def _causes_in_smallest(self, problem: Problem, sites: Collection[str]) -> Sequence[Difference]:
        """Returns the causes in the smallest message: fewer differences are needed there than in a large one, which may
        be invalid without them.
        """
        tree = tree_of(problem.failure.body)
        remaining = self._causes_at(sites, problem.failure.body)
        needed = [cause for cause in remaining if await problem.outcome(undone(tree, [cause])) != "same problem"]
        return needed or remaining

    async def needed_absences(self, failure: Failure, causes: Sequence[Difference]) -> list[str]:
        """Returns the sites of the absent properties that the failure needs besides its causes: if they have the values
        of an accepted message with many properties, the answer is right. Raises `LimitReachedError`.
        """
        sites = {cause.site for cause in causes}
        tree = tree_of(failure.body)
        absences = tuple(absence for absence in self._absences(tree) if absence.site not in sites)
        problem = self.problem(replace(failure), "without")

        async def cure(added: tuple[Difference, ...]) -> bool:
            return await problem.outcome(undone(tree, added)) == "other answer"

        if not absences or not await cure(absences):
            return []
        return [absence.site for absence in await fewest(absences, cure)]

    async def is_harmless_elsewhere(self, failure: Failure, causes: Sequence[Difference]) -> bool:
        """Returns whether a value that causes the failure causes none at another site of an accepted message. Raises
        `LimitReachedError`.
        """
        problem = self.problem(replace(failure), "without")
        accepted = tree_of(self.examples[0].body) if self.examples else None
        for cause in causes:
            failing = 0
            for path in paths(accepted):
                is_alike = type(subtree(accepted, path)) is type(cause.tree) and not children(cause.tree)
                if not is_alike or site_at(accepted, path) == cause.site or failing == ENOUGH_SITES:
                    continue
                outcome = await problem.outcome(replaced(accepted, path, cause.tree))
                if outcome == "other answer":
                    return True
                failing += outcome == "same problem"
        return False

    def _absences(self, tree: Tree) -> Iterable[Difference]:
        fullest = OrdinaryValues.of(self.examples[0]) if self.examples else OrdinaryValues({}, {})
        return fullest.absences(tree, self.sites)

    async def _enlarge(self, failure: Failure, earlier: Sequence[FailingMessage]) -> None:
        """Tries larger and larger messages that have shown the problem: near a limit of depth, memory or time, it
        shows only sometimes.
        """
        back = 1
        while back <= len(earlier) and not failure.recurred:
            failure.restart_with(earlier[-back])
            await self.problem(failure, "shrink").repeat()
            back *= 2

    # ------------------------------------------------------------------------------------------------ undoing causes

    async def cured(self, sites: Collection[str], failure: Failure, cases: Mapping[int, Case]) -> list[int]:
        """Returns the keys of the cases whose answer is right if the values at these sites are undone."""
        with_sites = [key for key, case in cases.items() if self._differences_at(sites, case.body)]
        tested = with_sites[:SAMPLES]
        problem = self.problem(replace(failure), "without")
        cured = [key for key in tested if await self._is_cured(problem, sites, cases[key].body)]
        return cured + with_sites[SAMPLES:] if len(cured) >= CONFIRMED * len(tested) else cured

    async def is_cured(self, failure: Failure, causes: Sequence[Difference]) -> bool:
        """Returns whether the answer to the original message is right if the causes are undone."""
        body = failure.case.body
        problem = self.problem(replace(failure, message=failure.message._replace(body=body)), "without")
        return await self._is_cured(problem, {cause.site for cause in causes}, body)

    async def _stays_without(self, sites: Collection[str], problem: Problem, tree: Tree) -> bool:
        """Returns whether the problem stays if the values at these sites are undone."""
        undoing = [difference for difference in self._ordinary.differences(tree) if difference.site in sites]
        return await problem.outcome(undone(tree, undoing)) == "same problem"

    async def _goes_without(self, sites: Collection[str], problem: Problem, tree: Tree) -> bool:
        return not await self._stays_without(sites, problem, tree)

    async def _is_cured(self, problem: Problem, sites: Collection[str], body: bytes) -> bool:
        with suppress(LimitReachedError):
            return await problem.outcome(undone(tree_of(body), self._differences_at(sites, body))) == "other answer"
        return False


def accepted_examples(answers: Iterable[Trial]) -> list[Case]:
    """Returns some valid messages that the target accepted, those with values at most sites first."""
    accepted = [trial for trial in answers if trial.verdict.label == "valid" and trial.contradiction is None]
    earliest = nsmallest(MOST_EXAMPLES, accepted, key=lambda trial: trial.number)
    return sorted((trial.case for trial in earliest), key=_number_of_values, reverse=True)


def _number_of_values(case: Case) -> int:
    return sum(value is not None for value in first_values(tree_of(case.body)).values())
