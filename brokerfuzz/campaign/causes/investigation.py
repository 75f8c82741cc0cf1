"""Explains all wrong answers of a campaign. Wrong acceptances come last, because other mistakes mask them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from brokerfuzz.campaign.causes.acceptances import AcceptanceSearch
from brokerfuzz.campaign.causes.evidence import Evidence, TrialSet, union
from brokerfuzz.campaign.causes.explanation import Explanation, explanation_of_differing_answers, explanation_of_loss
from brokerfuzz.campaign.causes.failures import FailureSearch
from brokerfuzz.campaign.causes.laboratory import Laboratory
from brokerfuzz.campaign.causes.unmasking import Unmasking
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.differing_answers import answers_differ
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.problem import LimitReachedError
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.sending import TargetLostError
from brokerfuzz.campaign.twins import twin_of_finding
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Contract, MessageType

MOST_ROUNDS: Final = 3
"""A mistake may mask another one, which masks a third one."""
_WITH_CAUSES: Final[tuple[FindingKind, ...]] = ("valid-rejected", "timeout", "crashed")


class Investigation:
    """Explains the wrong answers that a campaign has observed. `run` may be interrupted at any time. `masked` counts
    the rejections that prove nothing, for the name of each explanation of a failure that causes them.
    """

    def __init__(self, seen: Observations, contract: Contract, message_type: MessageType) -> None:
        self._seen = seen
        self.evidence = Evidence(seen.trials, contract, message_type)
        self.masked: Counter[str] = Counter()
        self._answers_differ = False
        self._searches = [FailureSearch(self.evidence, kind) for kind in _WITH_CAUSES]
        self._acceptances: list[Explanation] | None = None

    async def run(self, laboratory: Laboratory) -> None:
        with suppress(TargetLostError):
            self._answers_differ = await answers_differ(self.evidence.trials, laboratory)
        laboratory.rejects_sometimes = self._answers_differ
        self._seen.trials += await laboratory.recurring_crashes()
        self._extend()
        await self._search(laboratory)
        for _ in range(MOST_ROUNDS):
            await self._unmask(laboratory)
            self._extend()
            if not any(search.has_failures for search in self._searches):
                break
            await self._search(laboratory)
        sporadic = await self._sporadic_acceptances(laboratory)
        while by_chance := await self._explain_acceptances(laboratory, sporadic):
            sporadic |= by_chance

    async def _search(self, laboratory: Laboratory) -> None:
        for search in self._searches:
            await search.run(laboratory)

    def explanations(self) -> list[Explanation]:
        """Explains without experiments what was not explained yet."""
        acceptances = AcceptanceSearch(self.evidence).explanations() if self._acceptances is None else self._acceptances
        explanations = [*self._failures(), *acceptances]
        if self._answers_differ:
            explanations = self._with_differing_answers(explanations)
        if self._seen.last_failure is not None:
            explanations.append(explanation_of_loss(self._seen.last_failure))
        return explanations

    def _failures(self) -> list[Explanation]:
        return [explanation for search in self._searches for explanation in search.explanations()]

    def _extend(self) -> None:
        self.evidence = Evidence(self._seen.trials, self.evidence.contract, self.evidence.message_type)
        for search in self._searches:
            search.extend(self.evidence)

    def _with_differing_answers(self, explanations: Sequence[Explanation]) -> list[Explanation]:
        """Replaces the rejections of valid messages that do not always occur by one explanation."""
        certain = [
            explanation
            for explanation in explanations
            if explanation.kind != "valid-rejected" or explanation.failure.recurred
        ]
        rejected = self.evidence.where(lambda trial: trial.contradiction == "valid-rejected")
        explained = union(explanation.covered for explanation in certain if explanation.kind == "valid-rejected")
        sometimes_rejected = rejected & ~explained or rejected
        valid = self.evidence.where(lambda trial: trial.verdict.label == "valid")
        failure = Failure.of(self.evidence.trials_in(sometimes_rejected)[0])
        return [*certain, explanation_of_differing_answers(failure, sometimes_rejected, valid)]

    async def _unmask(self, laboratory: Laboratory) -> None:
        """Sends what the known failures mask again, and counts what they still mask."""
        failures = self._failures()
        unmasking = Unmasking(laboratory, self.evidence, failures)
        masked = [position for position, trial in enumerate(self._seen.trials) if unmasking.masking(trial) is not None]
        again: dict[int, Trial] = {}

        async def send_again(position: int) -> None:
            answers = await unmasking.unmasked(self._seen.trials[position])
            if answers is not None:
                again[position] = answers

        if laboratory.plain is not None:
            await laboratory.each(masked, send_again)
        for position, answers in sorted(again.items()):
            self._seen.unmask(position, answers)
        explanations = [unmasking.masking(trial) for trial in self._seen.trials if trial.is_masked]
        self.masked = Counter(explanation.name for explanation in explanations if explanation is not None)

    async def _explain_acceptances(self, laboratory: Laboratory, sporadic: TrialSet) -> TrialSet:
        """Explains the wrong acceptances that are not `sporadic`. Returns those that were repeated by chance: neither a
        smaller message nor the original one is accepted again.
        """
        self._acceptances = AcceptanceSearch(self.evidence, sporadic, laboratory.failure_of).explanations()
        by_chance = set[tuple[int, str]]()
        for number, explanation in enumerate(self._acceptances):
            self._acceptances[number] = await _shrunk(explanation, laboratory)
            failure = explanation.failure
            if failure.is_sporadic:
                by_chance.add((failure.number, failure.case.id))
        return self.evidence.where(lambda trial: (trial.number, trial.case.id) in by_chance)

    async def _sporadic_acceptances(self, laboratory: Laboratory) -> TrialSet:
        """Repeats wrong acceptances, and returns those that did not occur again. If one with a rule and a technique
        occurs again, the others do, too. Other messages do not cause them, so many can be repeated at the same time.
        """
        alike: dict[tuple[str, str], list[int]] = defaultdict(list)
        for position, trial in enumerate(self.evidence.trials):
            if trial.contradiction == "invalid-accepted":
                technique = trial.case.faults[0].technique if trial.case.faults else ""
                alike[trial.verdict.broken[0].rule, technique].append(position)
        sporadic: list[int] = []

        async def repeat(group: list[int]) -> None:
            for position in group:
                if await laboratory.recurs(laboratory.failure_of(self.evidence.trials[position])):
                    break
                sporadic.append(position)

        await laboratory.each(alike.values(), repeat)
        return self.evidence.at(sporadic)


async def _shrunk(explanation: Explanation, laboratory: Laboratory) -> Explanation:
    """Shrinks the message of a wrong acceptance, unless this was done before, and adds its twin."""
    failure = explanation.failure
    is_shrunk = failure.body != failure.case.body
    with suppress(LimitReachedError):
        if not is_shrunk and await laboratory.recurs(failure) and laboratory.may_experiment(failure):
            sites = {site_of(broken.at) for broken in failure.verdict.broken}
            await laboratory.shrink(failure, (), sites)
    return replace(explanation, twin=await twin_of_finding(failure, laboratory.judge, laboratory.examples))
