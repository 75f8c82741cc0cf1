"""A campaign against each behaviour names the causes that a developer would name, and no others."""

import pytest
from behaviours import BEHAVIOURS, Behaviour, causes_of

import brokerfuzz

HEADLINES = "A campaign that is understood in a minute: one headline per cause"

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
    assert len(report.headlines) == (1 if behaviour.scattered else len(behaviour.causes)), report
    assert {finding for headline in report.headlines for finding in headline.findings} == set(report.findings)
