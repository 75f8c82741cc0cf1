"""Generated services: each has one mistake at one rule, and its findings name this rule, and no other."""

from typing import Any

import pytest
from behaviours import causes_of, conforming, lenient, strict, values_at
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz

RULES = [rule for message_type in brokerfuzz.MESSAGE_TYPES for rule in brokerfuzz.rules(message_type)]
LENGTHS = ("minLength", "minItems")
STRICTER = [
    rule
    for rule in RULES
    if rule.condition is None
    and (rule.keyword in ("minimum", "maximum", *LENGTHS) or "null" in rule.demand)
    and "xtendedPrice" not in rule.site  # no sum can be changed alone, so no single site is the cause
    and rule.site != "data"  # the smallest message of all has this cause: see test_behaviours
]
"""The rules that a service can wrongly extend: to a bound itself, or to null."""


@given(rule=st.sampled_from(RULES))
def test_findings_of_a_lenient_service_name_its_rule(rule: brokerfuzz.Rule) -> None:
    report = brokerfuzz.fire(lenient(_name(rule), message_type=rule.message_type), rule.message_type, **_about(rule))
    assert causes_of(report) == {f"accepts {_name(rule)}"}, report
    assert report.outcome.state == "complete"


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


@pytest.mark.long
@given(rule=st.sampled_from(STRICTER))
def test_findings_of_a_strict_service_name_the_site_of_its_rule(rule: brokerfuzz.Rule) -> None:
    def is_refused(value: Any) -> bool:
        if rule.keyword == "type":
            return value is None
        return value is not None and (len(value) if rule.keyword in LENGTHS else value) == rule.value

    def refuses(message: dict[str, Any]) -> bool:
        return any(map(is_refused, values_at(rule.site, message)))

    report = brokerfuzz.fire(strict(refuses, conforming(rule.message_type)), rule.message_type)
    assert causes_of(report) == {f"rejects {rule.site}"}, report


def _name(rule: brokerfuzz.Rule) -> str:
    """The ID without the message type."""
    return rule.id.partition("/")[2]


def _about(rule: brokerfuzz.Rule) -> dict[str, Any]:
    """Selects the cases at the site of the rule, which are enough to name the rule."""
    return {"sites": [rule.site]} if rule.site else {"rules": [rule.id]}
