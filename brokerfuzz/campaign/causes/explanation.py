"""Defines an explanation: one cause of wrong answers, with the cases that it covers and the sentence that names it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from brokerfuzz.campaign.causes.attributes import VALID, Attribute, Attributes
from brokerfuzz.campaign.causes.conditions import EQUALS, ITEM_COUNT, MISSING, WITHOUT_VALUE
from brokerfuzz.campaign.causes.evidence import TrialSet, union
from brokerfuzz.campaign.contradictions import FINDING_KINDS, FindingKind
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.finding import finding_name
from brokerfuzz.json_trees import at_pointer, read_tree, write_tree
from brokerfuzz.pointers import site_of
from brokerfuzz.wording import listed, printable, readable

MOST_NAMED: Final = 2
"""The number of properties or conditions that a sentence names."""
MOST_CONDITIONS: Final = 6
"""If more conditions of a property cause failures, the sentence names none of them."""
MOST_EXPLAINED: Final = 10
"""If known conditions explain more than this number of times as many failures as remain, the sentence names them."""
_LONGEST_REASON: Final = 60
_LONGEST_VALUE: Final = 60
_EMPTY: Final = (MISSING.of(), WITHOUT_VALUE.of(), EQUALS.of(None), ITEM_COUNT.of(0))


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What one reduced message has shown. `attributes` are certain; without them, only the `places` are known, and the
    cause may be any unusual value there: `usual` are the values that the target accepts, if they are few. `line` is a
    line of code, and `answer_text` the answer without details.
    """

    failure: Failure
    attributes: Attributes
    places: tuple[str, ...]
    covered: TrialSet
    tried: TrialSet
    answer_text: tuple[str, ...]
    line: str = ""
    usual: tuple[Any, ...] = ()

    @property
    def sites(self) -> tuple[str, ...]:
        """The property that has the cause. Without attributes, all that have one."""
        if self.attributes and self.attributes[0].site is not None:
            return (self.attributes[0].site,)
        return tuple(dict.fromkeys(map(site_of, self.places)))

    @property
    def conditions(self) -> tuple[Attribute, ...]:
        """The attributes, if all of them are conditions of values."""
        conditions = tuple(attribute for attribute in self.attributes if isinstance(attribute, Attribute))
        return conditions if conditions == self.attributes else ()

    @property
    def places_in_words(self) -> tuple[str, ...]:
        return (self.attributes[0].place,) if self.attributes else tuple(site or "message" for site in self.sites)

    @property
    def failing(self) -> str:
        if self.attributes:
            return " and ".join(attribute.key for attribute in self.attributes)
        return f"{', '.join(self.sites)}: some values" if self.sites else f"unknown cause: {' '.join(self.answer_text)}"

    def clause(self, *, with_subject: bool = False) -> str:
        """Says when the target fails: `it is absent`, or `comments is absent`. Returns an empty text if this is not
        known.
        """
        if self.attributes:
            first, *more = self.attributes
            clauses = [first.clause(with_subject=with_subject), *(other.clause(with_subject=True) for other in more)]
            return listed(clauses)
        if with_subject or len(self.places) == 1:
            subject = next(iter(self.sites), "") or "the message"
            example = f", such as {self._value_at(self.places[0])}" if len(self.places) == 1 else ""
            unusual = f"not like {listed(self._usual_in_words(), 'or')}" if self.usual else f"unusual{example}"
            return f"{subject if with_subject else 'it'} is {unusual}"
        values = [f"{site_of(place) or 'the message'} is {self._value_at(place)}" for place in self.places[:4]]
        return listed(values) if values else ""

    def _usual_in_words(self) -> list[str]:
        usual = [value for value in self.usual if value is not None]
        values = (json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass") for value in usual)
        return [readable(value, _LONGEST_VALUE) for value in sorted(values, key=len)]

    def _value_at(self, place: str) -> str:
        try:
            return readable(write_tree(at_pointer(read_tree(self.failure.body), place)), _LONGEST_VALUE)
        except LookupError:
            return "absent"
        except ValueError:
            return "present"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """One cause. `failure` has the smallest message, and `places` are the JSON Pointers of the cause in it.

    `covered` are the cases that fail because of it, among the `tried` ones that could. `failing` says what fails, in
    words that are the same in every campaign: a baseline compares them. `sites` are the properties that have the cause.
    For wrong acceptances, `rules` are the unchecked rules, and `extent` says at how many of how many rules a habit
    shows.
    """

    text: str
    failure: Failure
    key: tuple[str, ...]
    failing: tuple[str, ...]
    covered: TrialSet = 0
    tried: TrialSet = 0
    places: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    extent: tuple[int, int] = (0, 0)
    twin: bytes | None = None
    causes: tuple[Cause, ...] = ()

    @property
    def kind(self) -> FindingKind:
        return self.failure.kind

    @property
    def name(self) -> str:
        return finding_name(self.kind, self.failure.case.message_type, self.key)


def explanation_of(causes: Sequence[Cause]) -> Explanation:
    """Returns the explanation of causes that belong together: they have one line of code, one condition at several
    places, or one property with several conditions.
    """
    first = min(_stated(causes), key=_plainness)
    sites = tuple(dict.fromkeys(site for cause in causes for site in cause.sites))
    failing = tuple(sorted({f"{FINDING_KINDS[cause.failure.kind].failing} {cause.failing}" for cause in causes}))
    return Explanation(
        text=_sentence(causes, first),
        failure=first.failure,
        key=failing,
        failing=failing,
        covered=union(cause.covered for cause in causes),
        tried=union(cause.tried for cause in causes),
        places=tuple(place for place in first.places if site_of(place) in first.sites),
        sites=sites,
        causes=tuple(causes),
    )


def _plainness(cause: Cause) -> tuple[bool, bool, int, int]:
    failure = cause.failure
    return not cause.attributes, failure.verdict.label == "invalid", len(failure.body), failure.number


def explanation_of_loss(failure: Failure) -> Explanation:
    """Returns the explanation of a target that stopped answering."""
    reason = printable(failure.answer.reason, _LONGEST_REASON)
    which = "this message, or another message that was sent at the same time"
    text = f"stopped answering ({reason}) while it processed {which}"
    return Explanation(text=text, failure=failure, key=("stopped-answering",), failing=("stopped answering",))


def explanation_of_differing_answers(failure: Failure, covered: TrialSet, tried: TrialSet) -> Explanation:
    """Returns the explanation of a target that sometimes rejects valid messages, and sometimes accepts them."""
    text = f"answers differ for the same message: valid messages are sometimes rejected ({failure.answer.reason})"
    return Explanation(
        text=text,
        failure=replace(failure, kind="differing-answers"),
        key=("differing answers",),
        failing=("sometimes rejects valid messages",),
        covered=covered,
        tried=tried,
    )


def _sentence(causes: Sequence[Cause], first: Cause) -> str:
    if first.line:
        return _sentence_about_line(causes, first.line)
    reason = printable(first.failure.answer.reason, _LONGEST_REASON)
    if first.attributes == (VALID,):
        return f"rejects (almost) every valid message ({reason})"
    kind = FINDING_KINDS[first.failure.kind]
    stated = _stated(causes)
    clauses = dict.fromkeys(cause.clause() for cause in stated)
    if not any(clauses):
        return f"message: {kind.verb} ({reason}); the cause was not found"
    after = f" ({reason})" if kind.text_matters else ""
    return f"{_place(stated)}: {kind.verb} if {listed(clauses, 'or', most=MOST_NAMED)}{after}"


def _sentence_about_line(causes: Sequence[Cause], line: str) -> str:
    exceptions = sorted({cause.failure.answer.reason.partition(":")[0].partition(" (")[0] for cause in causes})
    known = [cause for cause in causes if cause.attributes or cause.sites] or causes
    in_order = sorted(_without_examples_of_unusual(known), key=lambda cause: not cause.attributes)
    clauses = dict.fromkeys(cause.clause(with_subject=True) for cause in in_order)
    return f"{line}: crashes ({listed(exceptions)}) if {listed(clauses, 'or', most=MOST_NAMED)}"


def _stated(causes: Sequence[Cause]) -> Sequence[Cause]:
    """Begins with the cause of most failures. If the values of a property have nothing in common, or very many things,
    the sentence gives one of them as an example, or those few that the target accepts.
    """
    unclear = [cause for cause in causes if not cause.attributes and not cause.line]
    in_order = sorted(causes, key=lambda cause: -cause.covered.bit_count())
    explained = union(cause.covered for cause in causes if cause.attributes)
    unexplained = union(cause.covered for cause in unclear) & ~explained
    if MOST_EXPLAINED * unexplained.bit_count() < explained.bit_count():
        unclear = []
    most = MOST_NAMED if in_order[0].usual else MOST_CONDITIONS
    if not unclear and len(causes) > most and len({cause.sites for cause in causes}) == 1:
        unclear = [replace(in_order[0], attributes=())]
    return unclear[:1] or in_order


def _place(causes: Sequence[Cause]) -> str:
    places = list(dict.fromkeys(place for cause in causes for place in cause.places_in_words))
    is_unclear = len(causes) == 1 and not causes[0].attributes and len(places) > 1
    return "message" if is_unclear else listed(places, most=MOST_NAMED)


def _without_examples_of_unusual(causes: Sequence[Cause]) -> list[Cause]:
    """If some values of a property have nothing in common, leaves out what others of this property have in common. That
    some are missing, null or empty is said, because this is no chance.
    """
    unusual = {cause.sites for cause in causes if not cause.attributes}
    return [cause for cause in causes if not cause.attributes or cause.sites not in unusual or _is_empty(cause)]


def _is_empty(cause: Cause) -> bool:
    return all(isinstance(attribute, Attribute) and attribute.condition in _EMPTY for attribute in cause.attributes)
