from datetime import UTC, datetime

import pytest

import brokerfuzz
from brokerfuzz.service.app import reference_app
from brokerfuzz.service.bugs import BUGS

NOW = datetime(2025, 6, 15, 12, 0, tzinfo=UTC)
NOT_SHOWN = {"aborts-on-percent-signs", "hangs-on-blanks", "claims-success-of-rejected"}
"""Bugs that need a socket, or that only a person would notice."""
KINDS = {"crashes-on-other-roots": "crashed"}
KINDS |= dict.fromkeys(("rejects-apostrophes", "rejects-fractions-of-cents"), "valid-rejected")
SITES = {
    "checks-first-items-only": ["categoryIds*"],
    "coerces-string-to-number": ["weightInPounds"],
    "ignores-unknown-properties": ["omniChannel*"],
}


def test_there_is_one_bug_of_each_kind() -> None:
    assert len({bug.kind for bug in BUGS.values()}) == len(BUGS) == 16


@pytest.mark.parametrize("name", sorted(BUGS.keys() - NOT_SHOWN))
def test_a_campaign_finds_the_bug(name: str) -> None:
    rule = BUGS[name].rule
    app = reference_app(bugs=[name], now=NOW)
    report = brokerfuzz.fire(
        app,
        path="/offers",
        now=NOW,
        shrink=0,
        verdicts=["valid"] if KINDS.get(name) == "valid-rejected" else ["valid", "invalid"],
        rules=[rule] if rule else ["*/:type"] if name == "crashes-on-other-roots" else [],
        sites=SITES.get(name, []),
    )
    assert {finding.kind for finding in report.findings} == {KINDS.get(name, "invalid-accepted")}
    if rule is not None:
        assert {reason.rule for finding in report.findings for reason in finding.reasons} == {rule}
