"""Defines the bugs that can be seeded in the reference service, one for each way in which a service can fail.

A judge is a function that returns the answer to an offer. A flaw is a function that gets the offer and the judge, and
returns an answer that may be wrong.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from brokerfuzz.errors import UnknownNameError
from brokerfuzz.service.answers import Complaint, Manner, Offer, ServiceAnswer

Judge = Callable[[Offer], ServiceAnswer]
Flaw = Callable[[Offer, Judge], ServiceAnswer]

RULES: Final = "offer-creation-request/"
"""The beginning of the IDs of all rules for offers."""
_PAGE_COUNT: Final = f"{RULES}productClusters[].products[].pageCount:minimum"
_PRODUCT_LIST: Final = f"{RULES}productClusters:required@offerType=Product-List"
_LATER_ITEM: Final = re.compile("/[1-9][0-9]*(?:/|$)")
_STRING_OR_TRAILING_COMMA: Final = re.compile(rb'("(?:[^"\\]|\\.)*")|,(\s*[\]}])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug that the user can add to the service (a seeded bug). `text` describes the bug in one sentence, and `rule`
    is the ID of the rule that the bug affects.

    If the bug affects no rule or several rules, `rule` is None.
    """

    name: str
    kind: str
    text: str
    flaw: Flaw = field(repr=False)
    rule: str | None = None


def bug(name: str) -> Bug:
    """Raises `UnknownNameError` if no bug has this name."""
    if name not in BUGS:
        raise UnknownNameError("bug", name, BUGS, "`brokerfuzz serve --list-bugs` lists all bugs")
    return BUGS[name]


# ----------------------------------------------------------------------------------------------------------- flaws


def _ignores(is_ignored: Callable[[Complaint], bool]) -> Flaw:
    """Ignores some violations of rules."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        return replace(answer, complaints=tuple(one for one in answer.complaints if not is_ignored(one)))

    return flaw


def _ignores_rule(pattern: str, found: str | None = None) -> Flaw:
    """Ignores a rule, or only the invalid value `found`. The pattern can contain `*`."""
    pattern = pattern.replace("[", "[[]")  # in fnmatch, brackets have a meaning

    def is_ignored(complaint: Complaint) -> bool:
        return fnmatchcase(complaint.rule or "", pattern) and found in (None, complaint.found)

    return _ignores(is_ignored)


def _rejects(demanded: str, when: Callable[[Offer], bool]) -> Flaw:
    """Rejects some valid offers. The `Complaint` contains the text `demanded`."""

    def flaw(offer: Offer, judge: Judge) -> ServiceAnswer:
        answer = judge(offer)
        complaint = Complaint(None, "", "something else", demanded)
        return ServiceAnswer((complaint,)) if answer.accepts and when(offer) else answer

    return flaw


def _fails(manner: Manner, when: Callable[[Offer], bool]) -> Flaw:
    return lambda offer, judge: ServiceAnswer(manner=manner) if when(offer) else judge(offer)


def _contains(part: str) -> Callable[[Offer], bool]:
    """Returns a function that says whether a string in the offer contains `part`."""
    return lambda offer: any(part in text for text in _strings(offer.value))


def _strings(value: Any) -> Iterator[str]:
    """Yields the strings in a value, but not the names of properties. The nesting of an offer is limited."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _is_number_in_string(complaint: Complaint) -> bool:
    return complaint.demanded.startswith("a number") and re.fullmatch(r'"-?[0-9.]+"', complaint.found) is not None


def _has_fraction_of_cent(offer: Offer) -> bool:
    price = offer.value.get("defaultPrice") if isinstance(offer.value, dict) else None
    return isinstance(price, int | float) and round(price, 2) != price


def _accepts_trailing_commas(offer: Offer, judge: Judge) -> ServiceAnswer:
    answer = judge(offer)
    if not any(complaint.rule == f"{RULES}:json" for complaint in answer.complaints):
        return answer
    return judge(Offer(_STRING_OR_TRAILING_COMMA.sub(rb"\1\2", offer.body), offer.now))


def _claims_success(offer: Offer, judge: Judge) -> ServiceAnswer:
    answer = judge(offer)
    return answer if answer.accepts else replace(answer, success=True)


# ------------------------------------------------------------------------------------------------------------ bugs


_BUGS = (
    Bug(
        "aborts-on-percent-signs",
        "abort",
        "The service cuts the connection if a string contains %s.",
        _fails("abort", _contains("%s")),
    ),
    Bug(
        "accepts-any-offer-type",
        "missing enum",
        "Any string is accepted as an offer type.",
        _ignores_rule(f"{RULES}offerType:enum"),
        f"{RULES}offerType:enum",
    ),
    Bug(
        "accepts-missing-number",
        "missing property",
        "An offer without a number is accepted.",
        _ignores_rule(f"{RULES}number:required"),
        f"{RULES}number:required",
    ),
    Bug(
        "accepts-trailing-commas",
        "lenient parser",
        "A comma before a closing bracket is ignored.",
        _accepts_trailing_commas,
        f"{RULES}:json",
    ),
    Bug(
        "accepts-zero-order-minimum",
        "missing bound",
        "An order minimum of 0 is accepted.",
        _ignores_rule(f"{RULES}orderMinimum:minimum", found="0"),
        f"{RULES}orderMinimum:minimum",
    ),
    Bug(
        "accepts-zero-page-count",
        "missing bound of an item",
        "A page count of 0 is accepted.",
        _ignores_rule(_PAGE_COUNT, found="0"),
        _PAGE_COUNT,
    ),
    Bug(
        "checks-first-items-only",
        "unchecked items",
        "Errors in the second and later items of an array are ignored.",
        _ignores(lambda complaint: _LATER_ITEM.search(complaint.at) is not None),
    ),
    Bug(
        "claims-success-of-rejected",
        "wrong answer",
        "The answer to a rejected offer contains `operationWasSuccessful: true`.",
        _claims_success,
    ),
    Bug(
        "coerces-string-to-number",
        "coercion",
        "A string that contains a number is accepted as a number.",
        _ignores(_is_number_in_string),
    ),
    Bug(
        "crashes-on-other-roots",
        "crash",
        "A JSON value other than an object causes a server error.",
        _fails("crash", lambda offer: offer.readable and not isinstance(offer.value, dict)),
    ),
    Bug(
        "hangs-on-blanks",
        "hang",
        "An offer is never answered if a string contains sixteen spaces in a row.",
        _fails("hang", _contains(" " * 16)),
    ),
    Bug(
        "ignores-clock",
        "missing clock",
        "An offer with a last update in the future is accepted.",
        _ignores_rule(f"{RULES}lastUpdatedDateTimeUtc:not-in-future"),
        f"{RULES}lastUpdatedDateTimeUtc:not-in-future",
    ),
    Bug(
        "ignores-unknown-properties",
        "unknown properties",
        "Unknown properties are ignored everywhere.",
        _ignores_rule("*:additionalProperties"),
    ),
    Bug(
        "product-list-rule-off",
        "missing condition",
        "The rule for Product List is not applied at all.",
        _ignores_rule("*@offerType=Product-List"),
        _PRODUCT_LIST,
    ),
    Bug(
        "rejects-apostrophes",
        "rejected characters",
        "A string with an apostrophe is rejected.",
        _rejects("text without apostrophes", _contains("'")),
    ),
    Bug(
        "rejects-fractions-of-cents",
        "rejected numbers",
        "A default price with more than two decimals is rejected.",
        _rejects("a price in cents", _has_fraction_of_cent),
    ),
)

BUGS: Mapping[str, Bug] = {seeded.name: seeded for seeded in _BUGS}
