"""Headlines of targets that check almost nothing, also if a campaign has sent only a few cases."""

from collections.abc import Callable

import pytest
from behaviours import parsed

import brokerfuzz


def reads_objects(body: bytes) -> bool:
    return parsed(body) != {}


def checks_one_type(body: bytes) -> bool:
    return isinstance(parsed(body).get("offerType"), str)


@pytest.mark.parametrize("accepts", [reads_objects, checks_one_type])
def test_a_target_that_checks_almost_nothing_is_one_headline_after_a_few_cases(
    accepts: Callable[[bytes], bool],
) -> None:
    report = brokerfuzz.fire(accepts, max_findings=20)
    assert report.result.cases < 100
    (headline,) = report.headlines
    assert "accepts almost every invalid message" in headline.sentence()
    assert set(headline.findings) == set(report.findings)


def test_a_target_that_was_tested_with_few_rules_is_not_said_to_accept_everything() -> None:
    report = brokerfuzz.fire(lambda _: True, rules=["*orderMinimum:minimum"], verdicts=["invalid"], shrink=0)
    assert report.findings
    assert not [headline for headline in report.headlines if "every invalid" in headline.sentence()]
