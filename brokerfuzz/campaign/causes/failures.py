"""Explains crashes, timeouts and wrong rejections, one cause after another.

    while failing cases remain:
        the plainest one is reduced to the fewest differences from an ordinary message: these are its cause
        the evidence of all cases says how far the cause reaches
        the cases that the cause covers are done

Crashes at different lines of code have different causes, so each line has a search of its own.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from brokerfuzz.campaign.answer_texts import line_of_code, text_of
from brokerfuzz.campaign.causes.attributes import VALID, Attribute, Attributes, larger_than
from brokerfuzz.campaign.causes.evidence import Evidence, Mask, union
from brokerfuzz.campaign.causes.explanation import Cause, Explanation, explanation_of
from brokerfuzz.campaign.causes.generalising import PASSING, Generaliser
from brokerfuzz.campaign.causes.laboratory import Laboratory
from brokerfuzz.campaign.contradictions import TEXT_MATTERS, FindingKind
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.problem import TRIES, LimitReachedError
from brokerfuzz.campaign.proof import CaseAnswers

ENOUGH: Final = 5
"""If none of the first failures occurs again, each of the others is repeated only once."""
MOST_EXAMINED: Final = 24
"""The maximum number of failures of one group that are reduced."""
MANY: Final = 3
"""This number of conditions of one property is one finding: the target rejects, for example, all but letters."""

_Key = TypeVar("_Key", bound=Hashable)


class FailureSearch:
    """Explains all failures of one kind. `run` may be interrupted at any time: `explanations` then explains the
    remaining failures without experiments.
    """

    def __init__(self, evidence: Evidence, kind: FindingKind) -> None:
        self._kind = kind
        self._causes: list[Cause] = []
        self.extend(evidence)

    def extend(self, evidence: Evidence) -> None:
        """Takes the evidence of further cases. What the known causes do not cover remains to be explained."""
        self._evidence = evidence
        self._failing = evidence.mask(lambda asked: asked.contradiction == self._kind)
        concerned = evidence.mask(self._could_fail)
        self._passing = concerned & ~self._failing
        self._generaliser = Generaliser(evidence, self._failing, concerned)
        self._causes = [self._extended(cause) for cause in self._causes]
        covered = union(cause.covered for cause in self._causes)
        self._groups = self._at_the_same_line(self._failing & ~covered)

    @property
    def has_failures(self) -> bool:
        return bool(self._groups)

    async def run(self, laboratory: Laboratory) -> None:
        await laboratory.each(self._groups, partial(self._explain, laboratory))

    def explanations(self) -> list[Explanation]:
        for group in self._groups:
            while group:
                self._add_without_experiments(Failure.of(self._evidence.answers[group[0]]), group)
        causes = _with_lines(sorted(self._causes, key=lambda cause: cause.failure.number))
        at_each_line = _grouped(causes, lambda cause: cause.line)
        needed = [cause for group in at_each_line for cause in _without_covered(group)]
        return [explanation_of(group) for group in belonging_together(needed)]

    def _could_fail(self, asked: CaseAnswers) -> bool:
        if self._kind != "valid-rejected":
            return True
        return asked.verdict.label == "valid" and asked.answer.kind in ("accepted", "rejected")

    def _extended(self, cause: Cause) -> Cause:
        if not cause.attributes:
            return cause
        tried = self._generaliser.having(cause.attributes) | cause.covered
        return replace(cause, tried=tried, covered=cause.covered | (tried & self._at_line(cause.line)))

    def _at_line(self, line: str) -> Mask:
        is_there = self._evidence.mask(lambda asked: line_of_code(asked.answer) == line)
        return is_there & self._failing

    def _at_the_same_line(self, failing: Mask) -> list[list[int]]:
        """Returns the positions of the failing cases with the same line of code, or with none, the plainest first.
        Texts do not tell them apart, because many name the property and not the problem.
        """
        groups = self._evidence.cases_by(lambda asked: [line_of_code(asked.answer)], failing).values()
        return [sorted(self._evidence.positions(group), key=self._plainness) for group in groups]

    def _plainness(self, position: int) -> tuple[bool, int, int]:
        """Begins with messages that are not invalid, because the rules that others break are rarely the cause."""
        asked = self._evidence.answers[position]
        return asked.verdict.label == "invalid", len(asked.case.body), asked.number

    async def _explain(self, laboratory: Laboratory, group: list[int]) -> None:
        recurring = sporadic = 0
        while group:
            failure = laboratory.failure_of(self._evidence.answers[group[0]])
            if not await laboratory.recurs(failure, 1 if sporadic >= ENOUGH and not recurring else TRIES):
                sporadic += 1
                del group[0]
                continue
            recurring += 1
            if recurring > MOST_EXAMINED or not laboratory.may_experiment(failure):
                self._add_without_experiments(failure, group)
                continue
            try:
                await self._examine(laboratory, failure, group)
            except LimitReachedError:
                self._add_without_experiments(failure, group)

    async def _examine(self, laboratory: Laboratory, failure: Failure, group: list[int]) -> None:
        """Finds the cause of the first failure of a group, and removes the failures that it covers from the group."""
        first = group[0]
        passing = [asked for asked in self._evidence.cases(self._passing) if asked.verdict.label == "valid"]
        accepted = max((len(asked.case.body) for asked in passing), default=0)
        size = await laboratory.limit_of_size(failure, accepted)
        if size is not None:
            failure.whole = True
            self._add((larger_than(size),), failure, group)
            return
        items = await laboratory.limit_of_items(failure, lambda site: self._evidence.most_items(site, self._passing))
        if items is not None:
            failure.whole = True
            differences = laboratory.reducer.differences(failure.body)
            place = next((one.place for one in differences if one.site == items.site), "")
            self._add((items,), failure, group, (place,))
            return
        causes = await laboratory.reducer.causes(laboratory.problem(failure, "shrink"))
        if self._passing.bit_count() < PASSING and not await laboratory.is_cured(failure, causes):
            self._add((VALID,), failure, group)
            return
        limits = await laboratory.limits_of_length(failure, causes)
        places = await laboratory.shrink(failure, causes)
        if failure.is_sporadic:  # it was repeated by chance
            del group[0]
            return
        if causes:
            attributes = self._generaliser.of_causes(causes, limits, failure, first)
        else:
            attributes = self._generaliser.of_notation(failure.body, first)
        with_the_same_sites = 0
        if causes and not attributes:
            candidates = {position: self._evidence.answers[position].case for position in group}
            covered = await laboratory.covered({cause.site for cause in causes}, failure, candidates)
            with_the_same_sites = self._evidence.mask_of(covered)
        self._add(attributes, failure, group, places, with_the_same_sites)

    def _add_without_experiments(self, failure: Failure, group: list[int]) -> None:
        attributes = self._generaliser.without_experiments(failure, group[0], self._evidence.mask_of(group))
        self._add(attributes, failure, group)

    def _add(
        self,
        attributes: Attributes,
        failure: Failure,
        group: list[int],
        places: tuple[str, ...] = (),
        with_the_same_sites: Mask = 0,
    ) -> None:
        tried = self._generaliser.having(attributes) if attributes else with_the_same_sites
        covered = self._evidence.mask_of(group[:1]) | (tried & self._evidence.mask_of(group))
        first = self._evidence.answers[group[0]]
        cause = Cause(
            failure=failure,
            attributes=attributes,
            places=places,
            covered=covered,
            tried=tried | covered,
            text=text_of(failure.answer, failure.body, failure.strings_at(places)).key,
            line=line_of_code(first.answer),
        )
        self._causes.append(cause)
        group[:] = [position for position in group if not covered >> position & 1]


# -------------------------------------------------------------------------------------------------------- one finding


def _with_lines(causes: Sequence[Cause]) -> list[Cause]:
    """Java soon leaves out stack traces. So a crash without a line is at that of another one with the same cause."""
    lines = {cause.attributes: cause.line for cause in causes if cause.attributes and cause.line}
    return [replace(cause, line=cause.line or lines.get(cause.attributes, "")) for cause in causes]


def _without_covered(causes: Sequence[Cause]) -> list[Cause]:
    """Of the causes at one line, leaves out those without attributes whose failures have the attributes of another one,
    and those all of whose failures belong to a wider one: if the URLs with a query contain "&", a target that rejects
    "&" rejects them, too.
    """
    explained = [cause for cause in causes if cause.attributes]
    reached = union(cause.tried for cause in explained)
    unexplained = [cause for cause in causes if not cause.attributes and cause.covered & ~reached]
    failing = union(cause.covered for cause in causes)
    complete = [replace(cause, covered=cause.tried & failing) for cause in explained]
    return [cause for cause in complete if not any(_is_wider(other, cause) for other in complete)] + unexplained


def _is_wider(wider: Cause, cause: Cause) -> bool:
    is_wider = wider.covered != cause.covered and not cause.covered & ~wider.covered
    return is_wider and _answer(wider) == _answer(cause)


def _answer(cause: Cause) -> tuple[str, ...]:
    """What tells failures apart. The text of a rejection may name the property, so it does not."""
    return cause.text if cause.failure.kind in TEXT_MATTERS else cause.text[:1]


def belonging_together(causes: Sequence[Cause]) -> list[list[Cause]]:
    """Groups causes with one line of code, with one condition at several places, or with many of one property."""
    by_line = _grouped([cause for cause in causes if cause.line], lambda cause: cause.line)
    others = [cause for cause in causes if not cause.line]
    by_condition = _grouped(others, _condition_anywhere)
    several = [group for group in by_condition if len({cause.sites for cause in group}) > 1]
    at_one_site = [cause for group in by_condition if group not in several for cause in group]
    by_sites = _grouped(at_one_site, lambda cause: (_answer(cause), cause.sites or cause.attributes))
    many = [group for group in by_sites if _is_one(group)]
    single = [[cause] for group in by_sites if group not in many for cause in group]
    return [*by_line, *several, *many, *single]


def _is_one(causes: Sequence[Cause]) -> bool:
    """Returns whether several causes at one site are one: those with one text are, and others if there are many."""
    texts = {cause.text for cause in causes}
    has_one_text = len(causes) > 1 and len(texts) == 1 and len(texts.pop()) > 1
    return has_one_text or len(causes) >= MANY or not all(cause.attributes for cause in causes)


def _condition_anywhere(cause: Cause) -> Hashable:
    """The condition of a cause, whatever its place. Causes without a single condition belong to no other."""
    if len(cause.attributes) == 1 and isinstance(cause.attributes[0], Attribute):
        attribute = cause.attributes[0]
        if attribute.site is not None and attribute.items is None:
            return _answer(cause), attribute.condition
    return id(cause)


def _grouped(causes: Iterable[Cause], key: Callable[[Cause], _Key]) -> list[list[Cause]]:
    groups: dict[_Key, list[Cause]] = defaultdict(list)
    for cause in causes:
        groups[key(cause)].append(cause)
    return list(groups.values())
