"""Defines the building blocks of bugs: the ways in which a service can fail.

A judge is a function that returns the answer to an offer. A flaw is a function that gets the offer and the judge, and
returns an answer that may be wrong. For example, a flaw can remove complaints from the judge's answer, or pass a
changed offer to the judge.
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
"""A function that returns whether a value passes a test."""

RULES = "offer-creation-request/"
"""The beginning of the IDs of all rules for offers."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug that the user can add to the service (a seeded bug). `text` describes the bug in one sentence, and `rule`
    is the ID of the rule that the bug affects.

    If the bug affects no rule or several rules, `rule` is None.
    """

    name: str
    kind: Kind
    text: str
    flaw: Flaw = field(repr=False)
    rule: str | None = None


def rule_id(*rules: str) -> str | None:
    """Returns the ID of a single rule. Returns None for several rules, and for a rule with `*`, which can match several
    rules.
    """
    return RULES + rules[0] if len(rules) == 1 and "*" not in rules[0] else None


# ------------------------------------------------------------------------------------------------------ conditions


def anything(value: Any) -> bool:
    return True


def null(value: Any) -> bool:
    return value is None


def a_string(test: Test) -> Test:
    """Returns a test that accepts only strings that pass `test`."""
    return lambda value: isinstance(value, str) and test(value)


def a_number(test: Test) -> Test:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and test(value)


def an_array(test: Test) -> Test:
    return lambda value: isinstance(value, list) and test(value)


def an_object(test: Test) -> Test:
    return lambda value: isinstance(value, dict) and test(value)


def lacks(name: str) -> Test:
    return an_object(lambda props: name not in props)


def orders_after(later: str, earlier: str) -> Test:
    """Returns a test that accepts only JSON objects in which the property `later` is written after the property
    `earlier`.
    """
    return an_object(
        lambda props: later in props and earlier in props and list(props).index(later) > list(props).index(earlier)
    )


# ------------------------------------------------------------------------------------------------------ flaws


def ignores(*rules: str, at: str = "", value: Test = anything, when: Callable[[Offer], bool] = anything) -> Flaw:
    """Returns a flaw that ignores some violations of rules.

    A rule has the form `SITE:KEYWORD`, in which `*` matches any characters. `at` is a regular expression. A violation
    is ignored if `at` matches its JSON Pointer, `value` accepts the invalid value, and `when` accepts the offer.
    """
    ignored = re.compile("|".join(re.escape(RULES + rule).replace(r"\*", ".*") for rule in rules))

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)

        def remains(complaint: Complaint) -> bool:
            hit = complaint.rule is not None and ignored.fullmatch(complaint.rule) and re.search(at, complaint.at)
            return not (hit and all(value(found) for found in offer.at(complaint.at)))

        return (
            replace(answer, complaints=tuple(filter(remains, answer.complaints)))
            if answer.complaints and when(offer)
            else answer
        )

    return flaw


def rejects(site: str, test: Test, demanded: str) -> Flaw:
    """Returns a flaw that rejects a valid offer if a value at the site passes the test. The `Complaint` contains the
    text `demanded`.
    """
    return rejects_when(lambda offer: any(test(value) for value in offer.values(site)), demanded)


def rejects_when(when: Callable[[Offer], bool], demanded: str) -> Flaw:
    """Returns a flaw that rejects a valid offer if the offer passes the test `when`. The `Complaint` contains the text
    `demanded`.
    """

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        return (
            ServiceAnswer((Complaint(None, "", "something else", demanded),))
            if answer.accepts and when(offer)
            else answer
        )

    return flaw


def changes_offer(change: Callable[[Any], Any], *, when: Callable[[Offer], bool] = anything) -> Flaw:
    """Returns a flaw that passes a changed offer to the judge. If `change` returns the same object, the judge gets the
    original offer.
    """

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        if not offer.readable or not when(offer):
            return judge(offer)
        seen = change(offer.value)
        return judge(offer) if seen is offer.value else judge(offer.having(seen))

    return flaw


def rewrites(rewrite: Callable[[bytes], bytes | None]) -> Flaw:
    """Returns a flaw that rewrites a body that is not JSON, and passes the new body to the judge.

    If `rewrite` returns None or raises `ValueError`, the flaw has no effect.
    """

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
    """Returns a flaw that converts invalid values, and passes the changed offer to the judge. Only values whose
    `Complaint.demanded` matches the regular expression `demanded` are converted. If `convert` does not change a value,
    it must return the same object.
    """

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        at = [complaint.at for complaint in answer.complaints if re.search(demanded, complaint.demanded)]
        found = [(pointer, value, convert(value)) for pointer in at for value in offer.at(pointer)]
        changed = {pointer: converted for pointer, value, converted in found if converted is not value}
        return judge(offer.replacing(changed)) if changed else answer

    return flaw


def fails(manner: Manner, site: str, test: Test) -> Flaw:
    """Returns a flaw that makes the service fail in this `manner` if a value at the site passes the test."""
    return fails_when(manner, lambda offer: any(test(value) for value in offer.values(site)))


def fails_when(manner: Manner, when: Callable[[Offer], bool]) -> Flaw:
    """Returns a flaw that makes the service fail in this `manner` if the offer passes the test `when`."""
    return lambda offer, judge: ServiceAnswer(manner=manner) if when(offer) else judge(offer)


def claims_success(success: bool, *, of_accepted: bool) -> Flaw:
    """Returns a flaw that sets `operationWasSuccessful` to `success`. The flaw affects the answers to accepted offers
    if `of_accepted` is true, and otherwise the answers to rejected offers.
    """

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        return replace(answer, success=success) if answer.accepts == of_accepted else answer

    return flaw
