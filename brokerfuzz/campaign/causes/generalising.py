"""Says how far a proven cause reaches: the attributes with which (almost) every case fails.

    cause         /comments is "'", proven by one message
    candidates    comments contains "'"       28 of 28 cases fail
                  comments contains a quote   30 of 61
                  any string contains "'"     28 of 350

The candidates are conditions that hold for the values of the causes, at their sites or at any site. Each of them was
undone in the experiment. If none is certain, the failure may also need something that the ordinary message has: a
further attribute is added only if cases with the first and without the further one pass.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Final

from brokerfuzz.campaign.answer_texts import line_of_code
from brokerfuzz.campaign.causes.alphabets import alphabet_of
from brokerfuzz.campaign.causes.attributes import (
    Attribute,
    Attributes,
    Items,
    MessageAttribute,
    attributes_of_rule,
    notations_of,
    with_more_values,
)
from brokerfuzz.campaign.causes.conditions import (
    ABOVE,
    BELOW,
    CONTAINS,
    DIFFERS,
    EMPTY_OBJECT,
    EQUALS,
    HAS_VALUE,
    ITEM_COUNT,
    MISSING,
    MORE_DIGITS,
    MORE_ITEMS,
    MORE_PLACES,
    MORE_PROPERTIES,
    OUTSIDE,
    OUTSIDE_OR_EMPTY,
    PRESENT,
    WITHOUT_VALUE,
    ValueCondition,
    conditions_of,
    decimal_places,
    digit_count,
    longer_than_shortened,
)
from brokerfuzz.campaign.causes.evidence import COUNTEREXAMPLE, Evidence, TrialSet, is_certain, occurrences
from brokerfuzz.campaign.difference import Difference
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.generation import ABSENT
from brokerfuzz.json_trees import Number, write_tree
from brokerfuzz.pointers import is_within, names_and_indexes, path_below
from brokerfuzz.schemas.sites import schema_at
from brokerfuzz.schemas.verdicts import Violation

ENOUGH: Final = 4
"""Fewer failing cases have an attribute that no experiment has proven in common by chance."""
PASSING: Final = 2
"""At least this number of cases without an attribute that no experiment has proven must pass."""
FEWEST_PROPERTIES: Final = 8
"""No target limits objects to fewer properties."""
MOST_CONTEXT: Final = 40
"""If the smallest message still has more conditions besides the cause, single ones of them are not a part of it."""
MOST_FURTHER: Final = 3
"""The maximum number of properties that a failure needs besides its cause, and that a finding names."""


@dataclass(frozen=True, kw_only=True)
class ProvenCauses:
    """What experiments have shown about a failure: the differences from an ordinary message that cause it, limits of
    lengths or parts that strings lack, relations of values, and the sites of properties that must be absent.
    `only_at_sites` is true if a value that is a cause does no harm at another site.
    """

    causes: Sequence[Difference]
    limits: Sequence[Attribute]
    relations: Sequence[MessageAttribute]
    absences: Sequence[str]
    only_at_sites: bool

    @property
    def outermost(self) -> list[Difference]:
        return [cause for cause in self.causes if not any(_is_inside(cause, other) for other in self.causes)]


class Generaliser:
    """Generalises causes of one kind of failure. `failing` are the cases that fail in this way, and `concerned` those
    that could.
    """

    def __init__(self, evidence: Evidence, failing: TrialSet, concerned: TrialSet) -> None:
        self._evidence, self._failing, self._concerned = evidence, failing, concerned
        self._rejected = evidence.where(lambda trial: trial.answer.kind == "rejected") & ~failing
        """The target may have rejected these messages before it reached the code that fails."""
        self._passing = concerned & ~failing & ~self._rejected
        self.failing_at = evidence.trials_by(lambda trial: [line_of_code(trial.answer)], failing)
        """The failing cases of each line of code."""
        self._rightly_rejected = self._rejected & evidence.where(lambda trial: trial.verdict.label == "invalid")
        self._sites = evidence.contract.sites[evidence.message_type]
        self._edges = edges(evidence.contract, evidence.message_type)

    def having(self, attributes: Attributes) -> TrialSet:
        return self._concerned & self._evidence.having_all(attributes)

    def of_message(self, possible: Iterable[MessageAttribute], unexplained: Sequence[int]) -> Attributes:
        """Returns the attribute of a whole message that explains most failures, or none."""
        return self._best([(attribute,) for attribute in possible], unexplained)

    def without_experiments(self, failure: Failure, unexplained: Sequence[int]) -> Attributes:
        """Returns the attribute of the message that explains most failures, or none. If other causes explain most of
        these failures, the attribute is in them by chance.
        """
        candidates: list[Attribute | MessageAttribute] = [*notations_of(failure.body)]
        for violation in failure.verdict.broken:
            candidates += attributes_of_rule(violation.rule)
        for site, value in self._occurrences(failure.body):
            of_value = self._attributes_of(value, site)
            candidates += [attribute for attribute in of_value if not _needs_experiment(attribute.condition)]
        attributes = self._best([(attribute,) for attribute in candidates], unexplained)
        cases = self.having(attributes)
        explained = (cases & self._evidence.at(unexplained)).bit_count()
        passing = (self._concerned & ~cases & ~self._failing).bit_count()
        is_by_chance = explained < ENOUGH or 2 * explained < (cases & self._failing).bit_count() or passing < PASSING
        return () if is_by_chance else attributes

    def of_causes(self, proven: ProvenCauses, failure: Failure, unexplained: Sequence[int]) -> Attributes:
        """Returns the attributes that explain most failures, or none. `failure` has the smallest message with the
        causes. It was reduced from the first of the `unexplained` cases. This case may lack the attributes, if it fails
        for another reason.

        The attributes of all causes together come first, then those of one of them, which may be a part of the cause.
        Then they must hold in certain items, or beside something that the ordinary message also has.
        """
        outermost = proven.outermost
        of_all = [*self._of_all(proven, failure), *((relation,) for relation in proven.relations)]
        of_inner = [
            (attribute,)
            for cause in proven.causes
            if cause not in outermost
            for attribute in self._attributes_of_cause(cause, proven)
        ]
        of_one = [(attribute,) for cause in outermost for attribute in self._attributes_of_cause(cause, proven)]
        best_of = partial(self._best, unexplained=unexplained, failure=failure)
        best = best_of(of_all)
        if best and not self._has_counterexample(best):
            return best
        contexts = [*self._contexts(of_all, proven, failure.body)]
        in_context = [(*attributes, further) for attributes, context in contexts for further in context]
        if best:
            return best_of([*of_all, *in_context])
        return (
            best_of(of_inner)
            or best_of(of_one, least=ENOUGH)
            or best_of(self._in_items([*of_all, *of_inner], proven.causes), least=ENOUGH)
            or best_of(self._in_whole_context(contexts) if failure.whole else (), is_proven=True)
            or best_of(in_context)
            or best_of(of_all if _are_empty_strings(outermost) else (), is_proven=True)
        )

    def _has_counterexample(self, attributes: Attributes) -> bool:
        return bool(self.having(attributes) & ~self._failing & ~self._rejected)

    def is_certain(self, attributes: Attributes, line: str, *, is_faulty: bool) -> bool:
        """Returns whether (almost) every case with these attributes fails at a line of code."""
        failing, passing = self._failing_and_passing(attributes, line, is_faulty=is_faulty)
        return is_certain(failing | passing, failing)

    def _failing_and_passing(self, attributes: Attributes, line: str, *, is_faulty: bool) -> tuple[TrialSet, TrialSet]:
        """Returns the cases with these attributes that fail at a line of code, and those that pass. A message that the
        target rejected, or with which it failed at another line, may not have reached this line.
        """
        cases = self.having(attributes)
        unclear = self._rejected & ~self._rightly_rejected if is_faulty else self._rejected
        return cases & self.failing_at.get(line, 0), cases & ~self._failing & ~unclear

    def _best(
        self,
        candidates: Iterable[Attributes],
        unexplained: Sequence[int],
        failure: Failure | None = None,
        least: int = 1,
        *,
        is_proven: bool = False,
    ) -> Attributes:
        """Returns the candidate that explains most of the unexplained failures (`least` or more), among them the first,
        unless experiments have proven the candidates. A failure with a known cause is no evidence for another one. What
        the smallest message of the `failure` lacks is no cause, nor what an accepted variant of it has. Of the
        candidates that explain equally many, a single attribute is preferred, and then one with a site.
        """
        first, remaining = unexplained[0], self._evidence.at(unexplained)
        trial = self._evidence.trials[first]
        line, is_faulty = line_of_code(trial.answer), trial.verdict.label == "invalid"
        explaining: dict[Attributes, tuple[int, int, int]] = {}
        for attributes in candidates:
            failing, passing = self._failing_and_passing(attributes, line, is_faulty=is_faulty)
            failing &= remaining
            failures = failing.bit_count()
            explains_case = is_proven or failing >> first & 1
            if failures >= least and explains_case and is_certain(failing | passing, failing):
                weight = failures - COUNTEREXAMPLE * passing.bit_count()
                explaining[attributes] = (
                    weight,
                    -len(attributes),
                    sum(attribute.site is not None for attribute in attributes),
                )
        in_order = sorted(explaining, key=lambda attributes: explaining[attributes], reverse=True)
        return next((attributes for attributes in in_order if self._is_possible(attributes, failure)), ())

    def _is_possible(self, attributes: Attributes, failure: Failure | None) -> bool:
        conditions = [attribute for attribute in attributes if isinstance(attribute, Attribute)]
        if failure is None or len(conditions) < len(attributes):
            return True
        if any(self._evidence.has(conditions, message) for message in failure.accepted):
            return False
        return self._evidence.has(conditions, failure.body)

    def _of_all(self, proven: ProvenCauses, failure: Failure) -> list[Attributes]:
        candidates: list[Attributes] = []
        causes = proven.outermost
        if len(causes) == 2:
            at_sites = (
                [attribute for attribute in self._attributes_of_cause(cause, proven) if attribute.site is not None]
                for cause in causes
            )
            candidates += product(*at_sites)
        if len(causes) == 1:
            candidates += ((attribute,) for attribute in self._attributes_of_cause(causes[0], proven))
            rules = [violation.rule for violation in failure.verdict.broken if _is_at(violation, causes[0])]
            candidates += [(attribute,) for rule in rules for attribute in attributes_of_rule(rule)]
        candidates += ((attribute,) for attribute in self._of_empty_object(causes, failure.body))
        candidates += ((attribute,) for attribute in self._of_full_objects(failure.body))
        if failure.whole:
            candidates.append((with_more_values(failure.body),))
        numbers = [cause.tree for cause in causes if isinstance(cause.tree, Number)]
        candidates += [(notation,) for number in numbers for notation in notations_of(write_tree(number))]
        return candidates

    def _of_empty_object(self, causes: Sequence[Difference], body: bytes) -> Iterator[Attribute]:
        """Yields the attributes that an object is empty, if all causes are properties that it lacks."""
        empty_objects = dict.fromkeys(site for site, value in self._occurrences(body) if value == {})
        for path in empty_objects:
            if all(cause.value is ABSENT and is_within(cause.site, path) for cause in causes):
                yield from (Attribute(EMPTY_OBJECT.of(), path), Attribute(EMPTY_OBJECT.of(), None))

    def _of_full_objects(self, body: bytes) -> Iterator[Attribute]:
        """Yields the attributes that an object of the smallest message has too many properties. Gateways limit them."""
        for site, value in self._occurrences(body):
            if isinstance(value, dict) and len(value) > FEWEST_PROPERTIES:
                condition = MORE_PROPERTIES.of(len(value) - 1)
                yield from (Attribute(condition, site), Attribute(condition, None))

    def _attributes_of_cause(self, cause: Difference, proven: ProvenCauses) -> Iterator[Attribute]:
        for attribute in self._possible_attributes(cause, proven.limits):
            if attribute.site is not None or not proven.only_at_sites:
                yield attribute

    def _possible_attributes(self, cause: Difference, limits: Sequence[Attribute]) -> Iterator[Attribute]:
        value = cause.value
        limits_here = [limit for limit in limits if limit.site == cause.site]
        for limit in limits_here:
            yield from (limit, replace(limit, site=None))
        if not limits_here and "enum" not in schema_at(self._sites, cause.site):
            yield from (Attribute(condition, cause.site) for condition in longer_than_shortened(value))
        yield from self._attributes_of(value, cause.site)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield from (Attribute(condition, cause.site) for condition in self._beyond_accepted(value, cause.site))
        if isinstance(value, str) and "enum" not in schema_at(self._sites, cause.site):
            yield from self._outside_accepted(value, cause.site)
        if isinstance(value, dict) or cause.is_added:
            for path in self._sites:
                if is_within(path, cause.site):
                    yield from (Attribute(HAS_VALUE.of(), path), Attribute(PRESENT.of(), path))

    def _outside_accepted(self, value: str, site: str) -> Iterator[Attribute]:
        """Yields that a string has other characters than the accepted ones, if those have few kinds of characters."""
        accepted = [text for text in self._evidence.scalars(site, self._passing) if isinstance(text, str)]
        alphabet = alphabet_of(accepted) if len(accepted) > 1 else None
        if alphabet is not None and not (value and alphabet.has_all_of(value)):
            yield from (Attribute(kind.of(alphabet), site) for kind in (OUTSIDE, OUTSIDE_OR_EMPTY))

    def _beyond_accepted(self, value: float, site: str) -> Iterator[ValueCondition]:
        """Yields limits that the accepted numbers suggest. A search finds only integers, so the limit may have decimal
        places, and lie next to the value.
        """
        accepted = [number for number in self._evidence.scalars(site, self._passing) if type(number) in (int, float)]
        if smaller := [number for number in accepted if value - 1 < number < value]:
            yield ABOVE.of((max(smaller), False))
        if larger := [number for number in accepted if value < number < value + 1]:
            yield BELOW.of((min(larger), False))
        for kind, measure in ((MORE_PLACES, decimal_places), (MORE_DIGITS, digit_count)):
            most = max(map(measure, accepted), default=0)
            if 0 < most < measure(value):
                yield kind.of(most)

    def _attributes_of(self, value: Any, site: str) -> Iterator[Attribute]:
        """Yields the conditions of a value, at its site and at any site."""
        schema = schema_at(self._sites, site)
        for condition in conditions_of(value, schema, self._edges.of_scalar(site, value)):
            yield Attribute(condition, site)
            if condition.kind not in (MISSING, WITHOUT_VALUE):
                yield Attribute(condition, None)

    def _in_items(self, candidates: Sequence[Attributes], causes: Sequence[Difference]) -> Iterator[Attributes]:
        """Yields the candidates, restricted to the item of an array that has the cause."""
        ranges = [items for cause in causes for items in _items_around(cause)]
        for attributes in candidates:
            if len(attributes) == 1 and isinstance(attributes[0], Attribute) and attributes[0].site is not None:
                condition, site = attributes[0].condition, attributes[0].site
                yield from ((Attribute(condition, site, items),) for items in ranges if is_within(site, items.array))

    def _in_whole_context(self, contexts: Sequence[tuple[Attributes, list[Attribute]]]) -> Iterator[Attributes]:
        """Adds the values of all properties that the smallest message needs, if nothing can be removed from it."""
        for attributes, context in contexts:
            by_site: dict[str, list[Attribute]] = defaultdict(list)
            for further in context:
                if not self._sites[further.site or ""].required:
                    by_site[further.site or ""].append(further)
            if 1 <= len(by_site) <= MOST_FURTHER:
                yield from ((*attributes, *combined) for combined in product(*by_site.values()))

    def _contexts(
        self, candidates: Sequence[Attributes], proven: ProvenCauses, body: bytes
    ) -> Iterator[tuple[Attributes, list[Attribute]]]:
        """Yields candidates, each with what the failure may need, too, although the ordinary message also has it. The
        smallest message shows it: without such a property, or with one that is absent, the target gave the right
        answer. A required property cannot be removed, so more cases must show that its value matters.
        """
        sites = {cause.site for cause in proven.causes}
        context = [attribute for attribute in dict.fromkeys(self._context(body)) if attribute.site not in sites]
        context += [
            Attribute(condition.of(), site) for site in proven.absences for condition in (MISSING, WITHOUT_VALUE)
        ]
        if len(context) > MOST_CONTEXT:
            return
        for attributes in candidates:
            if len(attributes) == 1 and attributes[0].site is not None:
                yield attributes, [further for further in context if self._matters(further, attributes)]

    def _matters(self, further: Attribute, attributes: Attributes) -> bool:
        """Returns whether cases with the `attributes` fail if they also have the further one, and pass if not."""
        cases, having = self.having(attributes), self.having((*attributes, further))
        passing_without = (cases & ~having & ~self._failing).bit_count()
        failing_with = (having & self._failing).bit_count()
        needed = ENOUGH if self._sites[further.site or ""].required else 1
        return min(passing_without, failing_with) >= needed

    def _context(self, body: bytes) -> Iterator[Attribute]:
        for path, value in self._occurrences(body):
            site = self._sites.get(path)
            if site is None or not site.name or value is ABSENT:
                continue
            listed = site.schema.get("enum", ())
            if isinstance(value, bool) or value is None or value in listed:
                yield Attribute(EQUALS.of(value), path)
                yield from (Attribute(DIFFERS.of(other), path) for other in listed if other not in (value, None))
            elif not site.required:
                yield Attribute(HAS_VALUE.of(), path)
            if isinstance(value, list):
                yield Attribute(MORE_ITEMS.of(0) if value else ITEM_COUNT.of(0), path)
            if not site.required:
                yield Attribute(PRESENT.of(), path)

    def _occurrences(self, body: bytes) -> Iterator[tuple[str, Any]]:
        with suppress(ValueError, RecursionError):  # not JSON, or nested too deeply
            for site, _, value in occurrences(json.loads(body), self._sites):
                yield site, value


def _needs_experiment(condition: ValueCondition) -> bool:
    """Returns whether every value has such a condition of its own."""
    if condition.kind is EQUALS:
        return condition.parameter is not None and not isinstance(condition.parameter, bool)
    return condition.kind in (ABOVE, BELOW, CONTAINS)


def _are_empty_strings(causes: Sequence[Difference]) -> bool:
    """Many strings shrink to an empty one, which the target may reject for a reason of its own."""
    return all(cause.value == "" for cause in causes)


def _is_at(violation: Violation, cause: Difference) -> bool:
    return violation.at == cause.place or violation.at.startswith(f"{cause.place}/")


def _is_inside(cause: Difference, other: Difference) -> bool:
    return cause.place.startswith(f"{other.place}/")


def _items_around(cause: Difference) -> Iterator[Items]:
    """Yields the items of the arrays around a cause, the outermost first: from this item on, only this one, and all up
    to this one or the next.
    """
    path = ""
    for step in names_and_indexes(cause.place):
        if isinstance(step, int):
            ranges = [(step, None), (step, step), (0, step), (0, step + 1)] if step else [(0, 0), (0, 1)]
            yield from (Items(path, first, last) for first, last in ranges)
        path = path_below(path, step)
