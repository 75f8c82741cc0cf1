"""A campaign against a target with mistakes says what a developer would say about each of them, and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from behaviour_table import BEHAVIOURS, PAGE_COUNT, VARIANTS, Behaviour
from behaviours import LINE_OF_CODE, OFFER, lenient, parsed, strict
from fixture_types import Run
from hand_made_servers import answers, serving, status_by
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz

OFFER_PROPERTIES = brokerfuzz.load_contract().schemas[OFFER]["properties"]


LONG = [pytest.param(behaviour, marks=pytest.mark.long) for behaviour in VARIANTS]


@pytest.mark.parametrize("behaviour", [*BEHAVIOURS, *LONG], ids=str)
def test_a_campaign_states_each_mistake_once_and_nothing_else(behaviour: Behaviour) -> None:
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, **behaviour.chosen)
    texts = sorted(LINE_OF_CODE.sub("", finding.text) for finding in report.findings)
    assert len(texts) == len(behaviour.texts), report
    for text, expected in zip(texts, sorted(behaviour.texts), strict=True):
        beginning, ellipsis, _ = expected.partition("…")
        assert text == expected or (ellipsis and text.startswith(beginning)), report
    assert (report.outcome.state, report.outcome.status) == ("complete", 1 if texts else 0)
    assert "prove nothing" not in report.outcome.headline
    for finding in report.findings:
        if finding.text.startswith(tuple(OFFER_PROPERTIES)) and "has more than" not in finding.text:
            unnecessary = parsed(finding.body).keys() - {"number", "offerType", *re.findall(r"\w+", finding.text)}
            assert (finding.whole, unnecessary, len(finding.body) < 300) == (True, set(), True)


# ---------------------------------------------------------------------------------------------------- any rule

RULES = [rule for message_type in brokerfuzz.MESSAGE_TYPES for rule in brokerfuzz.rules(message_type)]


def _about(rule: brokerfuzz.Rule) -> dict[str, Any]:
    """Selects the cases at the site of the rule, which are enough to name the rule."""
    return {"rules": [rule.site or rule.id]}


@given(rule=st.sampled_from(RULES))
def test_the_finding_of_a_lenient_service_names_its_rule(rule: brokerfuzz.Rule) -> None:
    name = rule.id.partition("/")[2]
    report = brokerfuzz.fire(lenient(name, message_type=rule.message_type), rule.message_type, **_about(rule))
    (finding,) = report.findings
    assert finding.rules == (rule.id,), report
    assert (report.outcome.state, report.outcome.status) == ("complete", 1), report


@pytest.mark.long
@given(rule=st.sampled_from(RULES))
def test_findings_of_a_service_that_crashes_name_its_rule(rule: brokerfuzz.Rule) -> None:
    def accepts(body: bytes) -> bool:
        verdict = brokerfuzz.check(rule.message_type, body)
        if any(broken.rule == rule.id for broken in verdict.broken):
            raise RuntimeError("the rule is broken")
        return verdict.label == "valid"

    report = brokerfuzz.fire(accepts, rule.message_type, **_about(rule))
    assert {finding.kind for finding in report.findings} == {"crashed"}
    assert all(rule.id in {reason.rule for reason in finding.reasons} for finding in report.findings), report


# ------------------------------------------------------------------------------------ behind other mistakes


def test_a_fault_is_found_behind_values_that_the_service_rejects_and_is_not_sent_again_on_resume(
    run: Run, tmp_path: Path
) -> None:
    picky = strict(
        lambda message: message.get("isActive") is False or message.get("comments", "") is None,
        lenient(f"{PAGE_COUNT}:minimum"),
    )
    journal, sites = tmp_path / "run.ndjson", (PAGE_COUNT, "isActive", "comments", "orderMinimum")
    options = [option for site in sites for option in ("--rule", site)]
    with serving(answers(status_by(picky))) as url:
        before = json.loads(run("fire", url, "--journal", journal, *options, "--json").stdout)
        after = json.loads(run("fire", url, "--resume", journal, "--json").stdout)
    assert {finding["text"] for finding in before["findings"]} == {
        f"{PAGE_COUNT}: accepted 0; must be at least 1",
        "isActive: rejected if it is false",
        "comments: rejected if it is null",
    }
    assert before["unproven"]["count"] == 0
    assert (after["unproven"], after["findings"]) == (before["unproven"], before["findings"])
