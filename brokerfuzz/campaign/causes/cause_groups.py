"""Decides which causes of failures are one finding, and which say nothing new."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from brokerfuzz.campaign.causes.attributes import Attribute
from brokerfuzz.campaign.causes.conditions import CONTAINS
from brokerfuzz.campaign.causes.evidence import union
from brokerfuzz.campaign.causes.explanation import Cause, Explanation, explanation_of
from brokerfuzz.campaign.contradictions import FINDING_KINDS

MANY: Final = 3
"""This number of conditions of one property is one finding: the target rejects, for example, all but letters."""

_Key = TypeVar("_Key", bound=Hashable)


def explanations_of(causes: Iterable[Cause]) -> list[Explanation]:
    in_order = _with_lines(sorted(causes, key=lambda cause: cause.failure.number))
    at_each_line = _grouped(in_order, lambda cause: cause.line)
    needed = [cause for at_one_line in at_each_line for cause in _without_covered(at_one_line)]
    return [explanation_of(belonging_together) for belonging_together in _groups_of(needed)]


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
    answer = cause.failure.answer
    return cause.answer_text if FINDING_KINDS[cause.failure.kind].text_matters else (answer.kind, str(answer.status))


def _groups_of(causes: Sequence[Cause]) -> list[list[Cause]]:
    """Groups causes with one line of code, and then those with one condition at several places, or with many of one
    property: the largest group first, so that few remain.
    """
    groups = _grouped([cause for cause in causes if cause.line], lambda cause: cause.line)
    remaining = [cause for cause in causes if not cause.line]
    while possible := [
        *filter(_is_at_several_places, _grouped(remaining, _condition_anywhere)),
        *_at_one_place(remaining),
    ]:
        largest = max(possible, key=len)
        groups.append(largest)
        remaining = [cause for cause in remaining if cause not in largest]
    return [*groups, *([cause] for cause in remaining)]


def _is_at_several_places(causes: Sequence[Cause]) -> bool:
    return len({cause.sites for cause in causes}) > 1


def _at_one_place(causes: Sequence[Cause]) -> list[list[Cause]]:
    return [group for group in _grouped(causes, _place) if _is_one(group)]


def _place(cause: Cause) -> Hashable:
    is_anywhere = bool(cause.attributes) and cause.attributes[0].site is None
    has_own_place = is_anywhere or len(cause.attributes) > 1 or not cause.sites
    if _is_about_letters_anywhere(cause):
        return _answer(cause), CONTAINS
    return _answer(cause), cause.attributes if has_own_place else cause.sites


def _is_about_letters_anywhere(cause: Cause) -> bool:
    """Returns whether any string with certain letters fails: the same filter probably has several of them."""
    if len(cause.attributes) != 1:
        return False
    (attribute,) = cause.attributes
    return isinstance(attribute, Attribute) and attribute.site is None and attribute.condition.kind is CONTAINS


def _is_one(causes: Sequence[Cause]) -> bool:
    """Returns whether several causes at one site are one: those with one text are, and others if there are many."""
    texts = {cause.answer_text for cause in causes}
    has_one_text = len(causes) > 1 and len(texts) == 1 and len(texts.pop()) > 1
    is_filter = len(causes) > 1 and all(map(_is_about_letters_anywhere, causes))
    return has_one_text or is_filter or len(causes) >= MANY or not all(cause.attributes for cause in causes)


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
