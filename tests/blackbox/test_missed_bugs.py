"""Bugs that a campaign once missed: each reader treats one place of a message wrongly, and one campaign must find
it.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

import brokerfuzz

Label = Literal["valid", "unspecified"]
OFFER: Literal["offer-creation-request"] = "offer-creation-request"
Wrong = Callable[[bytes, Any], bool]
"""Decides from a message, as bytes and as parsed JSON, whether the bug changes the answer."""


def objects(message: Any, *names: str) -> Iterator[list[Any]]:
    """Yields each array at the path `names`."""
    held = [message]
    for name in names[:-1]:
        held = [item for one in held if isinstance(one, dict) and isinstance(one.get(name), list) for item in one[name]]
    yield from (one[names[-1]] for one in held if isinstance(one, dict) and isinstance(one.get(names[-1]), list))


def null_in(index: int, *names: str) -> Wrong:
    """The name of the property comes last. The bug depends on a null in the item with this index."""

    def is_wrong(body: bytes, message: Any) -> bool:
        return any(len(items) > index and isinstance(items[index], dict) and items[index].get(names[-1], "") is None
                   for items in objects(message, *names[:-1]))  # fmt: skip

    return is_wrong


def longer_integer_than(digits: int) -> Wrong:
    return lambda body, message: re.search(rb"(?<![\d.])\d{%d,}(?![\d.eE])" % digits, body) is not None


def parsed(body: bytes) -> Any:
    try:
        return json.loads(body, parse_int=lambda digits: 1 if len(digits) > 300 else int(digits))
    except ValueError:
        return None


TIERS = ("priceClasses", "priceTiers")
ACCEPTED: dict[str, tuple[Wrong, str]] = {
    "a forbidden null in the second price tier": (null_in(1, *TIERS, "price"), "priceTiers[].price:type"),
    "a forbidden null in the third price tier": (null_in(2, *TIERS, "price"), "priceTiers[].price:type"),
    "a forbidden null in the eleventh product": (
        null_in(10, "productClusters", "products", "productId"),
        "products[].productId:type",
    ),
    "a forbidden null in the third product": (
        null_in(2, "productClusters", "products", "productId"),
        "products[].productId:type",
    ),
    "an integer of 400 digits": (longer_integer_than(400), "orderMinimum:maximum"),
    "an integer of more than 4,300 digits": (longer_integer_than(4301), "orderMinimum:maximum"),
}
CRASHES: dict[str, tuple[Wrong, Label]] = {
    "an allowed null in the second price tier": (null_in(1, *TIERS, "minimumQuantity"), "valid"),
    "an allowed null in the third price tier": (null_in(2, *TIERS, "maximumQuantity"), "valid"),
    "an allowed null in the second product": (null_in(1, "productClusters", "products", "associatedFileName"), "valid"),
    "a third price tier": (lambda body, message: any(len(tiers) == 3 for tiers in objects(message, *TIERS)), "valid"),
    "a number of 400 digits": (longer_integer_than(400), "unspecified"),
    "a number of more than 4,300 digits": (longer_integer_than(4301), "unspecified"),
}


def conforms(body: bytes) -> bool:
    return brokerfuzz.check(OFFER, body).label != "invalid"


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ACCEPTED)
def test_a_campaign_finds_a_reader_that_accepts_one_place_too_much(name: str) -> None:
    wrong, rule = ACCEPTED[name]
    result = brokerfuzz.fire(lambda body: conforms(body) or wrong(body, parsed(body)), rules=[f"*{rule}"], shrink=0)
    assert result.findings
    assert {fault.rule.endswith(rule) for finding in result.findings for fault in finding.case.faults} == {True}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", CRASHES)
def test_a_campaign_finds_a_reader_that_crashes_at_one_place(name: str) -> None:
    wrong, verdict = CRASHES[name]

    def reader(body: bytes) -> bool:
        if wrong(body, parsed(body)):
            raise RuntimeError("a bug")
        return conforms(body)

    result = brokerfuzz.fire(reader, verdicts=[verdict], count=0, shrink=0)
    assert [finding.kind for finding in result.findings] == ["crashed"]
