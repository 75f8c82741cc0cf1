"""Explains crashes, timeouts and wrong rejections, one cause after another.

    while failing cases remain:
        the plainest one is reduced to the fewest differences from an ordinary message: these are its cause
        the evidence of all cases says how far the cause reaches
        the cases that the cause covers are done

Crashes at different lines of code have different causes, so each line has a search of its own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from brokerfuzz.campaign.answer_texts import line_of_code, text_of
from brokerfuzz.campaign.causes.affixes import missing_parts
from brokerfuzz.campaign.causes.attributes import VALID, Attribute, Attributes, MessageAttribute, notations_of
from brokerfuzz.campaign.causes.cause_groups import explanations_of
from brokerfuzz.campaign.causes.evidence import Evidence, TrialSet, union
from brokerfuzz.campaign.causes.explanation import Cause, Explanation
from brokerfuzz.campaign.causes.generalising import PASSING, Generaliser, ProvenCauses
from brokerfuzz.campaign.causes.laboratory import Laboratory
from brokerfuzz.campaign.causes.limits import limit_of_items, limit_of_size, limits_of_length, limits_of_text
from brokerfuzz.campaign.causes.orders import proven_orders
from brokerfuzz.campaign.causes.relations import proven_relations
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.difference import Difference
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.problem import TRIES, LimitReachedError
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.json_trees import tree_of

MOST_SPORADIC: Final = 5
"""If this number of failures does not occur again, and none does, each of the others is repeated only once."""
MOST_EXAMINED: Final = 24
"""The maximum number of failures of one group that are reduced."""
MOST_USUAL: Final = 3
FEWEST_UNUSUAL: Final = 5
"""If a target accepts few values of a property, and rejects this number of others, the finding shows those."""
MOST_EXHAUSTED: Final = 2
"""After this number of searches that ended at a limit, the others of a group would probably end there, too."""


class FailureSearch:
    """Explains all failures of one kind. `run` may be interrupted at any time: `explanations` then explains the
    remaining failures without experiments.
    """

    def __init__(self, evidence: Evidence, kind: FindingKind) -> None:
        self._kind = kind
        self._causes: list[Cause] = []
        self._exhausted = Counter[str]()
        """For each line of code, the number of searches that ended at a limit."""
        self._searched: set[int] = set()
        """The positions of cases for which the cause was searched. A search may find a cause that the case lacks."""
        self.extend(evidence)

    def extend(self, evidence: Evidence) -> None:
        """Takes the evidence of further cases. What the known causes do not cover remains to be explained, and what a
        cause covers that they contradict.
        """
        self._evidence = evidence
        self._failing = evidence.where(lambda trial: trial.contradiction == self._kind)
        concerned = evidence.where(self._could_fail)
        self._passing = concerned & ~self._failing
        self._accepted = self._passing & evidence.where(lambda trial: trial.answer.kind == "accepted")
        self._generaliser = Generaliser(evidence, self._failing, concerned)
        self._causes = [self._extended(cause) for cause in self._causes if self._is_still_certain(cause)]
        covered = union(cause.covered for cause in self._causes)
        self._unexplained = self._at_the_same_line(self._failing & ~covered)

    @property
    def has_failures(self) -> bool:
        return bool(self._unexplained)

    async def run(self, laboratory: Laboratory) -> None:
        await laboratory.each(self._unexplained, partial(self._explain, laboratory))

    def explanations(self) -> list[Explanation]:
        for unexplained in self._unexplained:
            while unexplained:
                failure = Failure.of(self._evidence.trials[unexplained[0]])
                self._add(self._cause_without_experiments(failure, unexplained), unexplained)
        return explanations_of(map(self._with_usual_values, self._causes))

    def _could_fail(self, trial: Trial) -> bool:
        if self._kind != "valid-rejected":
            return True
        return trial.verdict.label == "valid" and trial.answer.kind in ("accepted", "rejected")

    def _is_still_certain(self, cause: Cause) -> bool:
        is_faulty = cause.failure.verdict.label == "invalid"
        return not cause.attributes or self._generaliser.is_certain(cause.attributes, cause.line, is_faulty=is_faulty)

    def _extended(self, cause: Cause) -> Cause:
        if not cause.attributes:
            return cause
        tried = self._generaliser.having(cause.attributes) | cause.covered
        return replace(
            cause, tried=tried, covered=cause.covered | (tried & self._generaliser.failing_at.get(cause.line, 0))
        )

    def _at_the_same_line(self, unexplained: TrialSet) -> list[list[int]]:
        """Returns the positions of the cases with the same line of code, or with none, the plainest first. Texts do not
        tell them apart, because many name the property and not the problem.
        """
        groups = [cases & unexplained for cases in self._generaliser.failing_at.values() if cases & unexplained]
        return [sorted(self._evidence.positions(group), key=self._plainness) for group in groups]

    def _plainness(self, position: int) -> tuple[bool, int, int]:
        """Begins with messages that are not invalid, because the rules that others break are rarely the cause."""
        trial = self._evidence.trials[position]
        return trial.verdict.label == "invalid", len(trial.case.body), trial.number

    async def _explain(self, laboratory: Laboratory, unexplained: list[int]) -> None:
        recurring = sporadic = 0
        while unexplained:
            failure = laboratory.failure_of(self._evidence.trials[unexplained[0]])
            if not await laboratory.recurs(failure, 1 if sporadic >= MOST_SPORADIC and not recurring else TRIES):
                sporadic += 1
                del unexplained[0]
                continue
            recurring += unexplained[0] not in self._searched
            cause = await self._proven_cause(laboratory, failure, unexplained) if recurring <= MOST_EXAMINED else None
            if failure.is_sporadic:
                del unexplained[0]
                continue
            cause = cause or self._cause_without_experiments(failure, unexplained)
            if not cause.covered >> unexplained[0] & 1:
                laboratory.forget(failure)
            self._add(cause, unexplained)

    def _known_cause(self, line: str, body: bytes) -> Attributes:
        """Returns attributes with which a message fails at a line of code, for a reason found before, or none."""
        known = (cause for cause in self._causes if cause.conditions and cause.line == line)
        return next((cause.attributes for cause in known if self._evidence.has(cause.conditions, body)), ())

    def _add(self, cause: Cause, unexplained: list[int]) -> None:
        known = {(cause.attributes, cause.line) for cause in self._causes}
        if not cause.attributes or (cause.attributes, cause.line) not in known:
            self._causes.append(cause)
        unexplained[:] = [position for position in unexplained if not cause.covered >> position & 1]

    async def _proven_cause(self, laboratory: Laboratory, failure: Failure, unexplained: Sequence[int]) -> Cause | None:
        """Returns None without experiments, if they end at a limit, or if the failure occurs only by chance."""
        line = line_of_code(self._evidence.trials[unexplained[0]].answer)
        if self._exhausted[line] >= MOST_EXHAUSTED or not laboratory.may_experiment(failure):
            return None
        try:
            return await self._cause(laboratory, failure, unexplained)
        except LimitReachedError:
            self._exhausted[line] += 1
            return None

    async def _cause(self, laboratory: Laboratory, failure: Failure, unexplained: Sequence[int]) -> Cause | None:
        """Finds the cause of the first failure by experiments. Returns None if it occurs only by chance."""
        limit = await self._limit(laboratory, failure)
        if limit is not None:
            failure.whole = True
            differences = laboratory.differences(failure.body)
            places = [difference.place for difference in differences if difference.site == limit.site]
            return self._cause_with((limit,), failure, unexplained, places[:1])
        line = line_of_code(self._evidence.trials[unexplained[0]].answer)
        if unexplained[0] in self._searched:
            failure.has_known_cause = lambda body: bool(self._known_cause(line, body))
        self._searched.add(unexplained[0])
        causes = await laboratory.reduce(failure)
        if self._passing.bit_count() < PASSING and not await laboratory.is_cured(failure, causes):
            return self._cause_with((VALID,), failure, unexplained)
        limits_of_strings = await limits_of_length(laboratory.problem(failure, "shrink"), causes)
        in_smallest = await laboratory.shrink(failure, causes)
        places = _innermost(in_smallest)
        if failure.is_sporadic:
            return None
        if not causes:
            plain = tree_of(laboratory.plain.body) if laboratory.plain else None
            orders = await proven_orders(laboratory.problem(failure, "shrink"), plain, laboratory.sites)
            attributes = self._generaliser.of_message([*notations_of(failure.body), *orders], unexplained)
            return self._cause_with(attributes, failure, unexplained, places)
        sites = {cause.site for cause in in_smallest}
        sizes = await limits_of_text(laboratory.problem(failure, "size"))
        if attributes := self._generaliser.of_message(sizes, unexplained):
            return self._cause_with(attributes, failure, unexplained)
        parts = await missing_parts(laboratory.problem(failure, "shrink"), in_smallest, self._accepted_strings)
        proven = ProvenCauses(
            causes=in_smallest,
            limits=parts or limits_of_strings,
            relations=await proven_relations(laboratory.problem(failure, "shrink"), laboratory.sites, sites),
            absences=await laboratory.needed_absences(failure, in_smallest),
            only_at_sites=await laboratory.is_harmless_elsewhere(failure, in_smallest),
        )
        attributes = self._generaliser.of_causes(proven, failure, unexplained)
        if not attributes and failure.has_known_cause is None:
            attributes = self._known_cause(line, failure.body)
        cured: list[int] = []
        if not attributes:
            cases = {position: self._evidence.trials[position].case for position in unexplained}
            cured = await laboratory.cured(sites, failure, cases)
        return self._cause_with(attributes, failure, unexplained, places, cured)

    def _accepted_strings(self, site: str) -> list[str]:
        values = self._evidence.scalars(site, self._accepted)
        return [value for value in values if isinstance(value, str) and value]

    def _with_usual_values(self, cause: Cause) -> Cause:
        """Adds the values that the target accepts, if they are few, and it rejects many others: it may have a list of
        allowed values.
        """
        if len(cause.sites) != 1:
            return cause
        (site,) = cause.sites
        usual = self._evidence.scalars(site, self._accepted)
        unusual = [value for value in self._evidence.scalars(site, self._failing) if value not in usual]
        number = sum(value is not None for value in usual)
        are_few = 0 < number <= MOST_USUAL and len(unusual) >= FEWEST_UNUSUAL
        return replace(cause, usual=tuple(usual)) if are_few else cause

    async def _limit(self, laboratory: Laboratory, failure: Failure) -> Attribute | MessageAttribute | None:
        """Returns the limit of the size of messages, or of the number of items in an array, if this is the cause."""
        assert laboratory.plain is not None, "may_experiment"
        accepted_size = max((len(trial.case.body) for trial in self._evidence.trials_in(self._accepted)), default=0)
        limit = await limit_of_size(laboratory.problem(failure, "size"), laboratory.plain.body, accepted_size)
        if limit is not None:
            return limit
        most_accepted = partial(self._evidence.most_items, cases=self._accepted)
        return await limit_of_items(laboratory.problem(failure, "items"), self._evidence.contract, most_accepted)

    def _cause_without_experiments(self, failure: Failure, unexplained: Sequence[int]) -> Cause:
        attributes = self._generaliser.without_experiments(failure, unexplained)
        return self._cause_with(attributes, failure, unexplained)

    def _cause_with(
        self,
        attributes: Attributes,
        failure: Failure,
        unexplained: Sequence[int],
        places: Sequence[str] = (),
        cured: Sequence[int] = (),
    ) -> Cause:
        """Without attributes, the cause covers those failures that were `cured` by ordinary values at its places. The
        cause does not cover the first failure if this lacks the attributes, so that another cause is searched once.
        """
        tried = self._generaliser.having(attributes) if attributes else self._evidence.at(cured)
        first = unexplained[0]
        line = line_of_code(self._evidence.trials[first].answer)
        covered = tried & self._evidence.at(unexplained)
        if not attributes or failure.has_known_cause is not None:
            covered |= self._evidence.at([first])
        return Cause(
            failure=failure,
            attributes=attributes,
            places=tuple(places),
            covered=covered,
            tried=tried | covered,
            answer_text=text_of(failure.answer, failure.body, failure.strings_at(places)).key,
            line=line,
        )


def _innermost(causes: Sequence[Difference]) -> list[str]:
    """Returns the places of causes. A value around another cause is needed only because that one is inside it."""
    places = dict.fromkeys(cause.place for cause in causes)
    return [place for place in places if not any(other.startswith(f"{place}/") for other in places)]
