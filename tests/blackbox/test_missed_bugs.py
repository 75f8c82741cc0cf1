"""Bugs that a campaign once missed: each reader crashes at one place of a message, and one campaign must find it."""

import re
from collections.abc import Callable
from typing import Any, Literal

import pytest
from behaviours import OFFER, conforming, objects, parsed

import brokerfuzz


def tiers(body: bytes) -> list[list[dict[str, Any]]]:
    return [one["priceTiers"] for one in objects(parsed(body), "priceClasses") if one.get("priceTiers")]


CRASHES: dict[str, tuple[Callable[[bytes], bool], Literal["valid", "unspecified"]]] = {
    "a third price tier": (lambda body: any(len(found) == 3 for found in tiers(body)), "valid"),
    "an allowed null in the third price tier": (
        lambda body: any(found[2].get("maximumQuantity", "") is None for found in tiers(body) if len(found) > 2),
        "valid",
    ),
    "a number of more than 4,300 digits": (
        lambda body: re.search(rb"(?<![\d.])\d{4301,}(?![\d.eE])", body) is not None,
        "unspecified",
    ),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_campaign_finds_a_reader_that_crashes_at_one_place(name: str) -> None:
    crashes, verdict = CRASHES[name]
    conforms = conforming()

    def reader(body: bytes) -> bool:
        if crashes(body):
            raise RuntimeError("a bug")
        return conforms(body)

    result = brokerfuzz.fire(reader, OFFER, verdicts=[verdict], count=0, shrink=0)
    assert [finding.kind for finding in result.findings] == ["crashed"]
