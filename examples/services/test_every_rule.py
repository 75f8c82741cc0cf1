"""One test per rule. The lax service fails many of these tests, so one run of pytest shows all its mistakes."""

import lax_fastapi
import pytest

import brokerfuzz

STATED = ("required", "minLength", "minimum", "minItems", "enum", "additionalProperties", "not-in-future")
RULES = [
    rule for rule in brokerfuzz.rules("offer-creation-request") if rule.keyword in STATED and rule.value != -(2**31)
]


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.id) for rule in RULES])
def test_rule(rule: brokerfuzz.Rule) -> None:
    report = brokerfuzz.fire(lax_fastapi.app, path="/offers", rules=[rule.id], verdicts=["valid", "invalid"], shrink=0)
    assert not report.findings, report
