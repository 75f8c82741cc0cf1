"""Behaviours of targets, each with the causes that a campaign must name.

A behaviour is a function that accepts or rejects the bytes of a message. Most of them are conforming, except for one
mistake.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Final

import brokerfuzz

OFFER: Final = "offer-creation-request"
PRICING: Final = "offer-pricing-response"
PRODUCTS: Final = "product-list-response"

VALID: Final[dict[str, Any]] = {"verdicts": ["valid"], "tags": ["edge:*", "pairs*"]}
"""Selects valid messages with unusual values, and with all pairs of states of their properties."""

Accepts = Callable[[bytes], bool]
Condition = Callable[[dict[str, Any]], bool]
_check = lru_cache(maxsize=20_000)(brokerfuzz.check)
"""Campaigns against different behaviours send mostly the same messages."""
_VERBS = {"valid-rejected": "rejects", "crashed": "crashes at", "timeout": "hangs at"}


@dataclass(frozen=True)
class Behaviour:
    """`causes` are what a developer would say about the mistakes, in the notation of `causes_of`. A pattern stands for one
    mistake with consequences at many places. The cases at `sites` show the mistakes.
    """

    name: str
    accepts: Accepts
    causes: frozenset[str] = frozenset()
    message_type: brokerfuzz.MessageType = OFFER
    sites: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    def filters(self) -> Mapping[str, Sequence[str]]:
        """Selects the cases that show the mistakes, where a part of the catalogue is enough."""
        valid_messages_show_them = self.causes and not any(cause.startswith("accepts") for cause in self.causes)
        return VALID if valid_messages_show_them and not self.sites else {"sites": self.sites}

    def is_named_by(self, found: set[str]) -> bool:
        """Each cause must match a pattern, and each pattern must match a cause."""
        matches = {cause: {pattern for pattern in self.causes if _matches(cause, pattern)} for cause in found}
        return all(matches.values()) and set().union(*matches.values()) == self.causes


def causes_of(report: brokerfuzz.Report) -> set[str]:
    """Returns what the findings blame: `accepts RULE` for invalid messages, and `rejects SITE`, `crashes at SITE` and
    so on for others. The site is `?` if a finding names no cause.
    """
    return {cause for finding in report.findings for cause in _causes(finding.kind, finding.sites, finding.rules)}


def causes_in(document: dict[str, Any]) -> set[str]:
    """Returns the causes of the findings in a JSON report, in the notation of `causes_of`."""
    return {
        cause
        for finding in document["findings"]
        for cause in _causes(finding["kind"], finding["sites"], finding["unchecked"])
    }


def _causes(kind: str, sites: Sequence[str], unchecked: Sequence[str]) -> Iterator[str]:
    if kind == "invalid-accepted":
        yield from (f"accepts {rule.partition('/')[2]}" for rule in unchecked)
    else:
        yield from (f"{_VERBS[kind]} {site}" for site in sites or ["?"])


def _matches(cause: str, pattern: str) -> bool:
    return fnmatchcase(cause, pattern.replace("[]", "[[][]]"))


# ---------------------------------------------------------------------------------------------------- kinds of mistakes


def conforming(message_type: brokerfuzz.MessageType = OFFER) -> Accepts:
    return lambda body: _check(message_type, body).label != "invalid"


_CONFORMING = conforming()


def lenient(*rules: str, message_type: brokerfuzz.MessageType = OFFER, when: Condition = lambda _: True) -> Accepts:
    """Does not check rules that match one of the patterns, in messages for which `when` is true."""

    def accepts(body: bytes) -> bool:
        verdict = _check(message_type, body)
        if verdict.label != "invalid":
            return True
        unchecked = all(
            any(_matches(broken.rule, f"{message_type}/{rule}") for rule in rules) for broken in verdict.broken
        )
        return unchecked and when(parsed(body))

    return accepts


def overlooking(place: str, message_type: brokerfuzz.MessageType = OFFER) -> Accepts:
    """Checks nothing at places that match the regular expression."""

    def accepts(body: bytes) -> bool:
        verdict = _check(message_type, body)
        return verdict.label != "invalid" or all(re.match(place, broken.at) for broken in verdict.broken)

    return accepts


def strict(refuses: Condition, otherwise: Accepts = _CONFORMING) -> Accepts:
    """Also rejects messages for which `refuses` is true."""
    return lambda body: otherwise(body) and not refuses(parsed(body))


def crashing(fails: Condition, otherwise: Accepts = _CONFORMING) -> Accepts:
    """Raises an exception for messages for which `fails` is true, before anything is checked."""

    def accepts(body: bytes) -> bool:
        if fails(parsed(body)):
            raise RuntimeError("boom")
        return otherwise(body)

    return accepts


def both(one: Accepts, other: Accepts) -> Accepts:
    """Has the mistakes of two strict or crashing behaviours."""
    return lambda body: one(body) and other(body)


def parsed(body: bytes) -> dict[str, Any]:
    """The message as a dictionary, which is empty if the message is not an object in JSON."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def everything_in(value: Any) -> Iterator[Any]:
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from everything_in(part)


def objects(value: Any, name: str) -> Iterator[dict[str, Any]]:
    """The objects in the arrays that are called `name`, at any depth."""
    for one in everything_in(value):
        array = one.get(name) if isinstance(one, dict) else None
        yield from (item for item in (array if isinstance(array, list) else ()) if isinstance(item, dict))


def is_null(name: str) -> Condition:
    return lambda message: name in message and message[name] is None


# ------------------------------------------------------------------------------------------------------------ the table


def _one(
    name: str,
    accepts: Accepts,
    *causes: str,
    message_type: brokerfuzz.MessageType = OFFER,
    sites: tuple[str, ...] = (),
) -> Behaviour:
    return Behaviour(name, accepts, frozenset(causes), message_type, sites)


_CORRECT = [
    _one("accepts what is open", conforming()),
    _one("rejects what is open", lambda body: _check(OFFER, body).label == "valid"),
    _one("conforms for product lists", conforming(PRODUCTS), message_type=PRODUCTS),
    _one("conforms for prices", conforming(PRICING), message_type=PRICING),
]

_LENIENT = [
    _one("ignores unknown properties", lenient("*:additionalProperties"), "accepts *:additionalProperties"),
    _one("checks only the first cluster", overlooking("/productClusters/[1-9]"), "accepts productClusters[]*"),
    _one(
        "checks only ten items",
        overlooking(r"/categoryIds/\d\d"),
        "accepts categoryIds[]:type",
        sites=("categoryIds*",),
    ),
    _one(
        "checks page counts only without a surcharge",
        lenient(
            "*.pageCount:minimum", when=lambda message: any("surcharge" in one for one in objects(message, "products"))
        ),
        "accepts productClusters[].products[].pageCount:minimum",
        sites=("productClusters[].products[].pageCount",),
    ),
]

_STRICT = [
    _one("rejects null", strict(is_null("comments")), "rejects comments"),
    _one("rejects inactive offers", strict(lambda message: message.get("isActive") is False), "rejects isActive"),
    _one("rejects an empty array", strict(lambda message: message.get("accessGroups") == []), "rejects accessGroups"),
    _one(
        "rejects null in nested objects",
        strict(lambda message: any(one.get("surcharge", "") is None for one in objects(message, "products"))),
        "rejects productClusters[].products[].surcharge",
    ),
    _one(
        "requires a description of comments",
        strict(lambda message: "description" not in message and "comments" in message),
        "rejects description",
    ),
    _one(
        "rejects apostrophes in comments",
        strict(lambda message: "'" in str(message.get("comments"))),
        "rejects comments",
    ),
    _one(
        "rejects astral characters",
        strict(lambda message: any(max(str(one), default="") > "\uffff" for one in everything_in(message))),
        "rejects *",
    ),
    _one(
        "rejects two properties",
        both(strict(is_null("comments")), strict(lambda message: message.get("description") == "")),
        "rejects comments",
        "rejects description",
    ),
]

_CRASHING = [
    _one(
        "crashes beyond 64 bits",
        crashing(lambda message: isinstance(one := message.get("orderMinimum"), int) and abs(one) >= 1 << 63),
        "crashes at orderMinimum",
        sites=("orderMinimum",),
    ),
    _one(
        "crashes without a name",
        crashing(lambda message: any("name" not in one for one in objects(message, "additionalPropsRequiredOnOrder"))),
        "crashes at additionalPropsRequiredOnOrder[].name",
        sites=("additionalPropsRequiredOnOrder*",),
    ),
    _one(
        "crashes and is lenient",
        crashing(is_null("orderMaximum"), otherwise=lenient("number:minLength")),
        "crashes at orderMaximum",
        "accepts number:minLength",
        sites=("orderMaximum", "number"),
    ),
]

BEHAVIOURS = [*_CORRECT, *_LENIENT, *_STRICT, *_CRASHING]
