"""Defines the bugs that can be seeded in the reference service, one for each way in which a service can fail.

A flaw is a function that returns an answer to an offer, which may be wrong.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Final

from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Violation
from brokerfuzz.service.judging import JudgeBody, Manner, ServiceAnswer

Flaw = Callable[..., ServiceAnswer]
"""The arguments are the offer, and `judge`, which judges it."""
AffectsOffer = Callable[[Any], bool]
"""Says whether a bug affects an offer. The argument is the parsed offer."""

_OFFER: Final = MESSAGE_TYPES[0]
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


def with_bugs(judge: JudgeBody, names: Iterable[str]) -> JudgeBody:
    """Their order can matter, because each bug changes a service that already has the previous bugs. Raises
    `UnknownNameError` if no bug has one of the names.
    """
    for name in names:
        if name not in BUGS:
            raise UnknownNameError("bug", name, BUGS, "`brokerfuzz serve --list-bugs` lists all bugs")
        judge = partial(BUGS[name].flaw, judge=judge)
    return judge


# ----------------------------------------------------------------------------------------------------------- flaws


def _ignores(is_ignored: Callable[[Violation], bool]) -> Flaw:
    def flaw(body: bytes, judge: JudgeBody) -> ServiceAnswer:
        answer = judge(body)
        return replace(
            answer, violations=tuple(violation for violation in answer.violations if not is_ignored(violation))
        )

    return flaw


def _ignores_rule(pattern: str, value: str | None = None) -> Flaw:
    """Ignores a rule, or only the invalid `value`. The pattern can contain `*`."""
    pattern = pattern.replace("[", "[[]")  # in fnmatch, brackets have a meaning
    return _ignores(lambda violation: fnmatchcase(violation.rule, pattern) and value in (None, violation.found))


def _rejects(demanded: str, when: AffectsOffer) -> Flaw:
    """Rejects some valid offers. The answer contains the text `demanded`."""

    def flaw(body: bytes, judge: JudgeBody) -> ServiceAnswer:
        answer = judge(body)
        is_wrong = answer.accepts and _applies(when, body)
        return ServiceAnswer((Violation("", "", "something else", demanded),)) if is_wrong else answer

    return flaw


def _fails(manner: Manner, when: AffectsOffer) -> Flaw:
    return lambda body, judge: ServiceAnswer(manner=manner) if _applies(when, body) else judge(body)


def _applies(when: AffectsOffer, body: bytes) -> bool:
    try:
        return when(json.loads(body))
    except (ValueError, RecursionError):
        return False


def _contains(part: str) -> AffectsOffer:
    return lambda offer: any(part in text for text in _strings(offer))


def _strings(value: Any) -> Iterator[str]:
    """Yields the strings in a value, but not the names of properties."""
    remaining = [value]
    while remaining:
        match remaining.pop():
            case str(text):
                yield text
            case dict(properties):
                remaining += properties.values()
            case list(items):
                remaining += items


def _is_number_in_string(violation: Violation) -> bool:
    return violation.demanded.startswith("a number") and re.fullmatch(r'"-?[0-9.]+"', violation.found) is not None


def _has_fraction_of_cent(offer: Any) -> bool:
    price = offer.get("defaultPrice") if isinstance(offer, dict) else None
    return isinstance(price, int | float) and round(price, 2) != price


def _accepts_trailing_commas(body: bytes, judge: JudgeBody) -> ServiceAnswer:
    answer = judge(body)
    is_json = all(not violation.rule.endswith("/:json") for violation in answer.violations)
    return answer if is_json else judge(_STRING_OR_TRAILING_COMMA.sub(rb"\1\2", body))


def _claims_success(body: bytes, judge: JudgeBody) -> ServiceAnswer:
    answer = judge(body)
    return answer if answer.accepts else replace(answer, success=True)


# ------------------------------------------------------------------------------------------------------------ bugs


def _unchecked(name: str, kind: str, text: str, rule: str, value: str | None = None) -> Bug:
    """Returns a bug that ignores a rule of offers, or only the invalid `value`."""
    return Bug(name, kind, text, _ignores_rule(f"{_OFFER}/{rule}", value), f"{_OFFER}/{rule}")


_BUGS = (
    Bug("aborts-on-percent-signs", "abort", "The service cuts the connection if a string contains %s.",
        _fails("abort", _contains("%s"))),
    _unchecked("accepts-any-offer-type", "missing enum", "Any string is accepted as an offer type.", "offerType:enum"),
    _unchecked("accepts-missing-number", "missing property", "An offer without a number is accepted.",
               "number:required"),
    Bug("accepts-trailing-commas", "lenient parser", "A comma before a closing bracket is ignored.",
        _accepts_trailing_commas, f"{_OFFER}/:json"),
    _unchecked("accepts-zero-order-minimum", "missing bound", "An order minimum of 0 is accepted.",
               "orderMinimum:minimum", "0"),
    _unchecked("accepts-zero-page-count", "missing bound of an item", "A page count of 0 is accepted.",
               "productClusters[].products[].pageCount:minimum", "0"),
    Bug("checks-first-items-only", "unchecked items", "Errors in the second and later items of an array are ignored.",
        _ignores(lambda violation: _LATER_ITEM.search(violation.at) is not None)),
    Bug("claims-success-of-rejected", "wrong answer",
        "The answer to a rejected offer contains `operationWasSuccessful: true`.", _claims_success),
    Bug("coerces-string-to-number", "coercion", "A string that contains a number is accepted as a number.",
        _ignores(_is_number_in_string)),
    Bug("crashes-on-other-roots", "crash", "A JSON value other than an object causes a server error.",
        _fails("crash", lambda offer: not isinstance(offer, dict))),
    Bug("hangs-on-blanks", "hang", "An offer is never answered if a string contains sixteen spaces in a row.",
        _fails("hang", _contains(" " * 16))),
    _unchecked("ignores-clock", "missing clock", "An offer with a last update in the future is accepted.",
               "lastUpdatedDateTimeUtc:not-in-future"),
    Bug("ignores-unknown-properties", "unknown properties", "Unknown properties are ignored everywhere.",
        _ignores_rule("*:additionalProperties")),
    Bug("product-list-rule-off", "missing condition", "The rule for Product List is not applied at all.",
        _ignores_rule("*@offerType=Product-List"), f"{_OFFER}/productClusters:required@offerType=Product-List"),
    Bug("rejects-apostrophes", "rejected characters", "A string with an apostrophe is rejected.",
        _rejects("text without apostrophes", _contains("'"))),
    Bug("rejects-fractions-of-cents", "rejected numbers", "A default price with more than two decimals is rejected.",
        _rejects("a price in cents", _has_fraction_of_cent)),
)  # fmt: skip

BUGS: Mapping[str, Bug] = {seeded.name: seeded for seeded in _BUGS}
