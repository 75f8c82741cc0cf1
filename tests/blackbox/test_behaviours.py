"""A campaign against each behaviour names the causes that a developer would name, and no others."""

import pytest
from behaviours import BEHAVIOURS, Behaviour, causes_of

import brokerfuzz


@pytest.mark.rotated(8)
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
def test_a_campaign_names_the_causes_and_nothing_else(behaviour: Behaviour) -> None:
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, sites=behaviour.sites)
    assert report.outcome.state == "complete", report
    assert behaviour.is_named_by(causes_of(report)), report
    assert report.outcome.status == (1 if behaviour.causes else 0)
    assert len(report.headlines) == (1 if behaviour.scattered else len(behaviour.causes)), report
    assert {finding for headline in report.headlines for finding in headline.findings} == set(report.findings)
