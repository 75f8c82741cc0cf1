"""Writes headlines: what the target does wrong, in a few words."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from brokerfuzz.campaign.case_attributes import Attribute
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.conversions import Leniency
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.wording import listed, with_article

_LONGEST_REASON: Final = 40
FEW_TECHNIQUES: Final = 0.2
"""The share of the techniques of a leniency that must be accepted. With fewer, an example says more."""
MOST_NAMED: Final = 2
"""The number of properties or conversions that a headline names."""
_CONDITIONS: Final[Mapping[str, Callable[[str, str], str]]] = {
    "null": lambda site, _: f"{site or 'a value'} is null",
    "missing": lambda site, _: f"{site} is missing",
    "present": lambda site, _: f"{site} is present",
    "value": lambda site, value: f"{site or 'a value'} is {value}",
    "other value": lambda site, value: f"{site} is not {value}",
    "empty": lambda site, what: f"{site or with_article(what)} is empty",
    "negative": lambda site, _: f"{site or 'a number'} is negative",
    "fraction": lambda site, _: f"{site or 'a number'} has decimal places",
    "size": lambda site, size: f"{site or 'a number'} is {size}",
    "text": lambda site, what: f"{site or 'a string'} contains {what}",
    "notation": lambda _, what: f"there is {what}",
    "several items": lambda site, _: f"{site} has several items",
    "more than ten items": lambda site, _: f"{site or 'an array'} has more than ten items",
    "rule": lambda rule, _: f"the message breaks {rule}",
    "condition": lambda condition, _: f"{condition} and a rule for this case is broken",
    "below": lambda site, _: f"{site} is wrong",
    "nothing": lambda site, _: f"{site} is wrongly missing, null or empty",
    "later item": lambda site, _: f"a later item of {site or 'an array'} is wrong",
    "item beyond ten": lambda site, _: f"an item after the tenth of {site or 'an array'} is wrong",
}
"""Maps the kind of an attribute to a function that describes the attribute. The arguments are its site and its
detail.
"""
_UNCHECKED: Final[Mapping[str, Callable[[str], str]]] = {
    "rule": lambda rule: f"does not check {rule.partition('/')[2]}",
    "condition": lambda condition: f"ignores the rules for {condition}",
    "below": lambda site: f"checks nothing in {site}",
    "nothing": lambda site: f"accepts {site} that is missing, null or empty",
    "later item": lambda site: f"checks only the first item of {site or 'arrays'}",
    "item beyond ten": lambda site: f"checks only the first ten items of {site or 'arrays'}",
}
"""Maps attributes of faults to functions that say what a target does not check."""
_VERBS: Final[Mapping[FindingKind, str]] = {
    "valid-rejected": "rejects every message in which",
    "invalid-accepted": "accepts invalid messages in which",
    "timeout": "does not answer if",
    "malformed-answer": "gives an answer that is not a valid envelope if",
}


def in_words(kind: FindingKind, attributes: tuple[Attribute, ...], reasons: Sequence[str]) -> str:
    """Describes what a target does with all messages that have the attributes. `reasons` are its answers, such as
    `status 500`.
    """
    if line := next((one.detail for one in attributes if one.kind == "line"), ""):
        exceptions = {reason.partition(":")[0].partition(" (")[0] for reason in reasons}
        return f"crashes at {line} ({listed(sorted(exceptions))})"
    first, *others = sorted(attributes, key=lambda one: one.kind not in _UNCHECKED)
    if kind == "invalid-accepted" and first.kind in _UNCHECKED:
        condition = f" if {listed(map(_condition, others))}" if others else ""
        return _UNCHECKED[first.kind](first.site) + condition
    reason = reasons[0]
    shown = reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"
    verb = _VERBS.get(kind, f"crashes ({shown}) if")
    return f"{verb} {listed(map(_condition, attributes))}"


def nothing_checked_in(sites: Sequence[str]) -> str:
    """Names only the first properties. The places of the findings show all of them."""
    return f"checks nothing in {_some_of(sites, 'more properties')}"


def converts(some: Sequence[Leniency]) -> str:
    """Writes, for example, `accepts null for objects, strings and numbers`, if all conversions have one side."""
    found = list(dict.fromkeys(one.found for one in some))
    wanted = list(dict.fromkeys(one.wanted for one in some))
    if 1 in (len(found), len(wanted)):
        return f"accepts {_some_of(found)} for {_some_of(wanted)}"
    return f"converts values of wrong types: {_some_of([f'{one.found} for {one.wanted}' for one in some])}"


def _some_of(words: Sequence[str], more: str = "more") -> str:
    first, others = words[:MOST_NAMED], len(words) - MOST_NAMED
    return listed([*first, f"{others:,} {more}"] if others > 1 else words)


def narrowed(accepted: Counter[str], every: Collection[str]) -> str:
    """Returns an example of what is accepted, if a target accepts only what very few techniques generate: one that
    reads names in any case rejects all other unknown properties. The arguments are the names of the techniques.
    """
    technique = max(accepted, key=accepted.__getitem__, default="")
    if len(accepted) > FEW_TECHNIQUES * len(every) or technique not in TECHNIQUES:  # a corpus may name others
        return ""
    text = TECHNIQUES[technique].text
    return f", only such as: {text[0].lower()}{text[1:].rstrip('.')}"


def sometimes_unchecked(rule: str) -> str:
    return f"does not always check {rule.partition('/')[2]}"


def _condition(attribute: Attribute) -> str:
    return _CONDITIONS[attribute.kind](attribute.site, attribute.detail)
