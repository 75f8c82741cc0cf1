"""A campaign against each behaviour names the causes that a developer would name, and no others."""

import pytest
from behaviours import BEHAVIOURS, Behaviour, causes_of

import brokerfuzz

HEADLINES = "A campaign that is understood in a minute: one headline per cause"

SEVERAL_FINDINGS = {
    "does not check number:type",
    "does not check orderMaximum:type",
    "does not check isActive:type",
    "does not check defaultPrice:type",
    "does not check accessGroups[]:type",
    "does not check priceClasses[].priceTiers[].pageCounts[].price:type",
    "does not check omniChannel.offers[].offerId:type",
    "does not check :json",
    "does not check :type",
    "does not check operationWasSuccessful:type of offer-pricing-response",
    "does not check data[].productId:type of product-list-response",
    "does not check data[].weight:type of product-list-response",
    "does not check failureMessages[]:type of product-list-response",
    "ignores unknown properties",
    "checks only the first cluster",
    "checks only ten items",
    "rejects astral characters",
}
"""Mistakes that still have more findings than causes."""

UNEXPLAINED = {"rejects null data"}
"""Mistakes whose cause is not found, because the smallest message of all has it."""


def _later(behaviour: Behaviour, names: set[str]) -> object:
    marks = [pytest.mark.xfail(strict=True, reason=HEADLINES)] if behaviour.name in names else []
    return pytest.param(behaviour, id=behaviour.name, marks=marks)


@pytest.mark.rotated(3)
@pytest.mark.parametrize("behaviour", [_later(one, UNEXPLAINED) for one in BEHAVIOURS])
def test_a_campaign_names_the_causes_and_nothing_else(behaviour: Behaviour) -> None:
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, sites=behaviour.sites)
    assert report.outcome.state == "complete", report
    assert behaviour.is_named_by(causes_of(report)), report
    assert report.outcome.status == (1 if behaviour.causes else 0)
    if behaviour.name not in SEVERAL_FINDINGS:
        assert len(report.findings) == (1 if behaviour.scattered else len(behaviour.causes)), report


@pytest.mark.rotated(5)
@pytest.mark.parametrize(
    "behaviour", [_later(one, SEVERAL_FINDINGS) for one in BEHAVIOURS if one.name in SEVERAL_FINDINGS]
)
def test_each_cause_has_one_finding(behaviour: Behaviour) -> None:
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, sites=behaviour.sites)
    assert len(report.findings) == (1 if behaviour.scattered else len(behaviour.causes))
