"""A campaign against each behaviour names the causes that a developer would name, and no others."""

from typing import Any

import pytest
from behaviours import BEHAVIOURS, Behaviour, causes_of

import brokerfuzz


@pytest.mark.every(6)
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
@pytest.mark.parametrize("scope", ["some cases", pytest.param("all cases", marks=pytest.mark.long)])
def test_a_campaign_names_the_causes_and_nothing_else(scope: str, behaviour: Behaviour) -> None:
    filters: Any = behaviour.filters() if scope == "some cases" else {"sites": behaviour.sites}
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, **filters)
    assert report.outcome.state == "complete", report
    assert behaviour.is_named_by(causes_of(report)), report
    assert report.outcome.status == (1 if behaviour.causes else 0)
    assert len(report.headlines) == (1 if behaviour.scattered else len(behaviour.causes)), report
    assert {finding for headline in report.headlines for finding in headline.findings} == set(report.findings)
