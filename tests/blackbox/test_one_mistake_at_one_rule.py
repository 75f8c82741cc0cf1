"""Generated services: each has one mistake at one rule, and its findings name this rule, and no other."""

from typing import Any

import pytest
from behaviours import causes_of, lenient
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz

RULES = [rule for message_type in brokerfuzz.MESSAGE_TYPES for rule in brokerfuzz.rules(message_type)]


@given(rule=st.sampled_from(RULES))
def test_findings_of_a_lenient_service_name_its_rule(rule: brokerfuzz.Rule) -> None:
    report = brokerfuzz.fire(lenient(_name(rule), message_type=rule.message_type), rule.message_type, **_about(rule))
    assert causes_of(report) == {f"accepts {_name(rule)}"}, report
    assert (report.outcome.state, report.outcome.status, len(report.headlines)) == ("complete", 1, 1), report


@pytest.mark.long
@given(rule=st.sampled_from(RULES))
def test_findings_of_a_service_that_crashes_name_its_rule(rule: brokerfuzz.Rule) -> None:
    def accepts(body: bytes) -> bool:
        verdict = brokerfuzz.check(rule.message_type, body)
        if any(broken.rule == rule.id for broken in verdict.broken):
            raise RuntimeError("the rule is broken")
        return verdict.label == "valid"

    report = brokerfuzz.fire(accepts, rule.message_type, **_about(rule))
    assert report.findings, report
    assert {finding.kind for finding in report.findings} == {"crashed"}
    assert all(rule.id in {reason.rule for reason in finding.reasons} for finding in report.findings), report


def _name(rule: brokerfuzz.Rule) -> str:
    """The ID without the message type."""
    return rule.id.partition("/")[2]


def _about(rule: brokerfuzz.Rule) -> dict[str, Any]:
    """Selects the cases at the site of the rule, which are enough to name the rule."""
    return {"sites": [rule.site]} if rule.site else {"rules": [rule.id]}
