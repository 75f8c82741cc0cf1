"""The building blocks of bugs: the ways in which a service can go wrong.

A flaw wraps the judge. It is called with the offer and the judge, and returns the answer: with fewer complaints, with more, with
those about a changed offer, or no answer at all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from brokerfuzz.service.answers import Complaint, Manner, Offer, ServiceAnswer

Kind = Literal["missing-check", "too-strict", "coercion", "crash", "hang", "condition", "wrong-answer"]
Judge = Callable[[Offer], ServiceAnswer]
Flaw = Callable[[Offer, Judge], ServiceAnswer]
Test = Callable[[Any], bool]
"""A condition on a value of any type."""

RULES = "offer-creation-request/"
"""The common beginning of the rule ids."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug that can be seeded: its name, its kind, a description in one sentence, and the id of the rule that it affects, if there is one."""

    name: str
    kind: Kind
    text: str
    flaw: Flaw = field(repr=False)
    rule: str | None = None


def rule_id(*rules: str) -> str | None:
    """Returns the id of the rule if there is exactly one, without a star."""
    return RULES + rules[0] if len(rules) == 1 and "*" not in rules[0] else None


# ------------------------------------------------------------------------------------------------------ conditions


def anything(value: Any) -> bool:
    """Is true for any value."""
    return True


def null(value: Any) -> bool:
    """Is true for null."""
    return value is None


def a_string(test: Test) -> Test:
    """Returns a condition: a string that passes the test."""
    return lambda value: isinstance(value, str) and test(value)


def a_number(test: Test) -> Test:
    """Returns a condition: a number that passes the test."""
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and test(value)


def an_array(test: Test) -> Test:
    """Returns a condition: an array that passes the test."""
    return lambda value: isinstance(value, list) and test(value)


def an_object(test: Test) -> Test:
    """Returns a condition: an object that passes the test."""
    return lambda value: isinstance(value, dict) and test(value)


def lacks(name: str) -> Test:
    """Returns a condition: an object without this property."""
    return an_object(lambda props: name not in props)


def orders_after(later: str, earlier: str) -> Test:
    """Returns a condition: an object in which the property `later` comes after the property `earlier`."""
    return an_object(lambda props: later in props and earlier in props and list(props).index(later) > list(props).index(earlier))


# ------------------------------------------------------------------------------------------------------ flaws


def ignores(*rules: str, at: str = "", value: Test = anything, when: Callable[[Offer], bool] = anything) -> Flaw:
    """Ignores violations of rules: `SITE:KEYWORD`, where `*` matches any characters.

    `at` is a regular expression for the JSON Pointer. `value` is a condition on the value at this place, if there is one. `when`
    is a condition on the whole offer.
    """
    ignored = re.compile("|".join(re.escape(RULES + rule).replace(r"\*", ".*") for rule in rules))

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)

        def remains(complaint: Complaint) -> bool:
            hit = complaint.rule is not None and ignored.fullmatch(complaint.rule) and re.search(at, complaint.at)
            return not (hit and all(value(found) for found in offer.at(complaint.at)))

        return replace(answer, complaints=tuple(filter(remains, answer.complaints))) if answer.complaints and when(offer) else answer

    return flaw


def rejects(site: str, test: Test, demanded: str) -> Flaw:
    """Rejects an offer that would be accepted if a value at the site passes the test."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        if answer.accepts and any(test(value) for value in offer.values(site)):
            return ServiceAnswer((Complaint(None, "", "something else", demanded),))
        return answer

    return flaw


def rejects_text(pattern: bytes, demanded: str) -> Flaw:
    """Rejects an offer that would be accepted if the pattern occurs in its JSON."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        return ServiceAnswer((Complaint(None, "", "something else", demanded),)) if answer.accepts and re.search(pattern, offer.body) else answer

    return flaw


def changes_offer(change: Callable[[Any], Any], *, when: Callable[[Offer], bool] = anything) -> Flaw:
    """Judges a changed value instead of the one that was sent; `change` returns its argument if it changes nothing."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        if not offer.readable or not when(offer):
            return judge(offer)
        seen = change(offer.value)
        return judge(offer) if seen is offer.value else judge(offer.having(seen))

    return flaw


def rewrites(rewrite: Callable[[bytes], bytes | None]) -> Flaw:
    """Parses a body that is not JSON after rewriting it; `rewrite` returns None or raises ValueError if it cannot."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        if not any(complaint.rule == f"{RULES}:json" for complaint in answer.complaints):
            return answer
        try:
            body = rewrite(offer.body)
        except (ValueError, RecursionError):
            return answer
        return answer if body is None else judge(Offer(body, offer.now))

    return flaw


def coerces(demanded: str, convert: Callable[[Any], Any]) -> Flaw:
    """Converts values at which something else was expected (`demanded` is a regular expression for it), then judges again.

    `convert` returns the value itself if it cannot convert it.
    """

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        at = [complaint.at for complaint in answer.complaints if re.search(demanded, complaint.demanded)]
        found = [(pointer, value, convert(value)) for pointer in at for value in offer.at(pointer)]
        changed = {pointer: converted for pointer, value, converted in found if converted is not value}
        return judge(offer.replacing(changed)) if changed else answer

    return flaw


def fails(manner: Manner, site: str, test: Test) -> Flaw:
    """Crashes, cuts the connection or hangs if a value at the site passes the test."""
    return fails_when(manner, lambda offer: any(test(value) for value in offer.values(site)))


def fails_when(manner: Manner, when: Callable[[Offer], bool]) -> Flaw:
    """Crashes, cuts the connection or hangs if the condition holds for the offer."""
    return lambda offer, judge: ServiceAnswer(manner=manner) if when(offer) else judge(offer)


def claims_success(success: bool, *, of_accepted: bool) -> Flaw:
    """Returns a wrong `operationWasSuccessful`, either for accepted or for rejected offers."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        return replace(answer, success=success) if answer.accepts == of_accepted else answer

    return flaw
