"""Completes the findings at the end of a campaign: their names, their sources, and how to reproduce them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from brokerfuzz.campaign.baseline import failing
from brokerfuzz.campaign.causes.evidence import Evidence
from brokerfuzz.campaign.causes.explanation import Explanation
from brokerfuzz.campaign.contradictions import FINDING_KINDS
from brokerfuzz.campaign.finding import Finding, finding_name
from brokerfuzz.campaign.settings import Settings
from brokerfuzz.cases.fresh_values import MARK, FreshValues, marked
from brokerfuzz.schemas.judged_interpretations import source_of
from brokerfuzz.targets.target import Target

_NEW_IN_QUOTES = "-'\"$NEW\"'"
"""In all commands, the message is between single quotes."""


def findings_of(
    explanations: Sequence[Explanation], evidence: Evidence, target: Target, settings: Settings
) -> tuple[Finding, ...]:
    """Returns a finding for each explanation, the most important ones first."""
    findings = [_finding(explanation, evidence, target, settings.fresh_values) for explanation in explanations]
    order = list(FINDING_KINDS)
    findings.sort(key=lambda finding: (order.index(finding.kind), -finding.failed))
    known = failing(settings.known, settings.plan.message_type)
    return tuple(finding.against(known) for finding in _with_names_of_their_own(findings))


def _with_names_of_their_own(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Two lines of code may crash under the same condition."""
    names = Counter[str]()
    for finding in findings:
        number = names[finding.name]
        names[finding.name] += 1
        key = (*finding.failing, str(number))
        yield replace(finding, name=finding_name(finding.kind, finding.message_type, key)) if number else finding


def _finding(explanation: Explanation, evidence: Evidence, target: Target, fresh: FreshValues | None) -> Finding:
    failure = explanation.failure
    cases = [trial.case for trial in evidence.trials_in(explanation.covered)]
    changes = fresh is not None and fresh.changes(failure.case, failure.body)
    name = fresh.name if fresh is not None else None
    rule = failure.verdict.broken[0].rule if failure.verdict.broken else ""
    return Finding(
        name=explanation.name,
        kind=failure.kind,
        text=explanation.text,
        failing=explanation.failing,
        case=failure.case,
        body=failure.body,
        verdict=failure.verdict,
        answer=failure.answer,
        failed=explanation.covered.bit_count(),
        tried=explanation.tried.bit_count(),
        extent=explanation.extent,
        places=explanation.places,
        sites=explanation.sites,
        rules=explanation.rules,
        techniques=tuple(sorted({fault.technique for case in cases for fault in case.faults})),
        tags=tuple(sorted({tag for case in cases for tag in case.tags if ":" in tag})),
        sent=failure.sent,
        shown=failure.shown,
        whole=failure.whole,
        twin=explanation.twin,
        source=(source_of(rule, evidence.contract) or "") if rule else "",
        reproduction=_reproduction(failure.body, target, name if changes else None),
        fresh=name if changes else None,
    )


def _reproduction(body: bytes, target: Target, fresh: str | None) -> str:
    """Returns a command that sends the smallest message. If a property gets a new value each time, the shell
    variable `NEW` contains a part of this value.
    """
    if fresh is not None and target.runs_in_shell:
        line = target.reproduction(marked(body, fresh))
        if MARK in line:
            return f"NEW=$(date +%s%N); {line.replace(MARK, _NEW_IN_QUOTES)}"
    return target.reproduction(body)
