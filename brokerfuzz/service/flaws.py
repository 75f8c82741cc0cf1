"""The ways in which a service goes wrong: what bugs are made of.

A flaw stands before the judge. It is called with the offer and the judge, and answers in the judge's place: with fewer
complaints, with more, with those about another offer than was sent, or not at all.
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
"""A question about a value of any type."""

RULES = "offer-creation-request/"
"""What the ids of the rules in question begin with."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug that can be seeded: its name, its kind, one sentence, and the id of the rule that it is about, where it is about one."""

    name: str
    kind: Kind
    text: str
    flaw: Flaw = field(repr=False)
    rule: str | None = None


def rule_id(*rules: str) -> str | None:
    """The id of the rule, where only one is named and without a star."""
    return RULES + rules[0] if len(rules) == 1 and "*" not in rules[0] else None


# ------------------------------------------------------------------------------------------------------ questions


def anything(value: Any) -> bool:
    """Asks nothing."""
    return True


def null(value: Any) -> bool:
    """Asks for null."""
    return value is None


def a_text(test: Test) -> Test:
    """Asks for a string that passes the test."""
    return lambda value: isinstance(value, str) and test(value)


def a_number(test: Test) -> Test:
    """Asks for a number that passes the test."""
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and test(value)


def an_array(test: Test) -> Test:
    """Asks for an array that passes the test."""
    return lambda value: isinstance(value, list) and test(value)


def an_object(test: Test) -> Test:
    """Asks for an object that passes the test."""
    return lambda value: isinstance(value, dict) and test(value)


def lacks(name: str) -> Test:
    """Asks for an object without a property of this name."""
    return an_object(lambda props: name not in props)


def puts(later: str, behind: str) -> Test:
    """Asks for an object in whose text one property comes behind another."""
    return an_object(lambda props: later in props and behind in props and list(props).index(later) > list(props).index(behind))


# ------------------------------------------------------------------------------------------------------ flaws


def forgives(*rules: str, at: str = "", value: Test = anything, when: Callable[[Offer], bool] = anything) -> Flaw:
    """Passes over broken rules: `SITE:KEYWORD`, `*` for any run of characters.

    `at` is a regular expression that the JSON Pointer has to match, `value` a question about what stands there (asked
    only where something does), `when` one about the whole offer.
    """
    forgiven = re.compile("|".join(re.escape(RULES + rule).replace(r"\*", ".*") for rule in rules))

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        answer = sound(offer)

        def stands(complaint: Complaint) -> bool:
            hit = complaint.rule is not None and forgiven.fullmatch(complaint.rule) and re.search(at, complaint.at)
            return not (hit and all(value(found) for found in offer.at(complaint.at)))

        return replace(answer, complaints=tuple(filter(stands, answer.complaints))) if answer.complaints and when(offer) else answer

    return flaw


def rejects(site: str, test: Test, demanded: str) -> Flaw:
    """Rejects an offer that would be accepted, where a value at the site passes the test."""

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        answer = sound(offer)
        if answer.accepts and any(test(value) for value in offer.values(site)):
            return ServiceAnswer((Complaint(None, "", "something else", demanded),))
        return answer

    return flaw


def rejects_text(pattern: bytes, demanded: str) -> Flaw:
    """Rejects an offer that would be accepted, where the pattern occurs in its JSON text."""

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        answer = sound(offer)
        return ServiceAnswer((Complaint(None, "", "something else", demanded),)) if answer.accepts and re.search(pattern, offer.body) else answer

    return flaw


def sees(change: Callable[[Any], Any], *, when: Callable[[Offer], bool] = anything) -> Flaw:
    """Judges another value in place of the one that was sent; `change` gives its argument back where it sees no other."""

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        if not offer.readable or not when(offer):
            return sound(offer)
        seen = change(offer.value)
        return sound(offer) if seen is offer.value else sound(offer.having(seen))

    return flaw


def reads(rewrite: Callable[[bytes], bytes | None]) -> Flaw:
    """Reads a text that is no JSON as if it were another one; `rewrite` gives None, or raises ValueError, where it cannot."""

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        answer = sound(offer)
        if not any(complaint.rule == f"{RULES}:json" for complaint in answer.complaints):
            return answer
        try:
            body = rewrite(offer.body)
        except (ValueError, RecursionError):
            return answer
        return answer if body is None else sound(Offer(body, offer.now))

    return flaw


def coerces(demanded: str, convert: Callable[[Any], Any]) -> Flaw:
    """Converts values of which something is demanded (a regular expression for its words) that they are not, then judges again.

    `convert` gives a value back as it is where it makes nothing else of it.
    """

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        answer = sound(offer)
        at = [complaint.at for complaint in answer.complaints if re.search(demanded, complaint.demanded)]
        found = [(pointer, value, convert(value)) for pointer in at for value in offer.at(pointer)]
        changed = {pointer: converted for pointer, value, converted in found if converted is not value}
        return sound(offer.replacing(changed)) if changed else answer

    return flaw


def fails(manner: Manner, site: str, test: Test) -> Flaw:
    """Crashes, cuts the connection or hangs, where a value at the site passes the test."""
    return fails_when(manner, lambda offer: any(test(value) for value in offer.values(site)))


def fails_when(manner: Manner, when: Callable[[Offer], bool]) -> Flaw:
    """Crashes, cuts the connection or hangs on offers of a kind."""
    return lambda offer, sound: ServiceAnswer(manner=manner) if when(offer) else sound(offer)


def claims(success: bool, *, of_accepted: bool) -> Flaw:
    """Says the wrong thing in `operationWasSuccessful`, of offers that were accepted or of those that were rejected."""

    def flaw(offer: Offer, sound: Judge) -> ServiceAnswer:
        answer = sound(offer)
        return replace(answer, success=success) if answer.accepts == of_accepted else answer

    return flaw
