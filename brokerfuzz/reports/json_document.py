"""Creates the report for programs: a JSON document. `report.schema.json` describes the document. All other reports in
files are created from the document.

The properties `rules`, `places`, `got` and `twin` of a finding describe its smallest message.
"""

import json
from collections.abc import Mapping
from typing import Any

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.proof import UnprovenExample
from brokerfuzz.campaign.results import Result
from brokerfuzz.cases.case import Case, message_id
from brokerfuzz.cases.records import message_json
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.judged_interpretations import source_of
from brokerfuzz.targets import ANSWER_KINDS, Answer
from brokerfuzz.version import __version__

Document = Mapping[str, Any]


def document(result: Result) -> dict[str, Any]:
    settings = result.settings
    return {
        "brokerfuzz": __version__,
        "target": result.target.name,
        "message": settings.plan.message_type,
        "seed": settings.plan.seed if settings.plan.count != 0 else None,
        "now": settings.now.isoformat().replace("+00:00", "Z") if settings.now else None,
        "campaign": settings.campaign_id,
        "fresh": settings.fresh,
        "request": None,
        **result.target.about,
        "started": settings.started.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "seconds": round(result.seconds, 3),
        "outcome": _outcome(result),
        "stopped": result.stopped,
        "advice": result.advice,
        "cases": result.cases,
        "left_out": result.seen.left_out,
        "old": {"cases": result.old, "asked_again": result.asked_again},
        "requests": result.requests,
        "counts": {label: {kind: result.counts.get((label, kind), 0) for kind in ANSWER_KINDS} for label in LABELS},
        "baseline": [{"finding": name, "outcome": outcome} for name, outcome in result.known_findings.items()],
        "findings": [_finding(finding, result.contract) for finding in result.findings],
        "ambiguities": [_ambiguity(observed) for observed in result.ambiguities],
        "rules": [
            {"rule": rule.id, "site": rule.site, "keyword": rule.keyword, **_counts(result, rule.id)}
            for rule in result.contract.rules_by_id.values()
            if any((rule.id, kind) in result.rules for kind in ANSWER_KINDS)
        ],
        "unproven": {
            "count": result.unproven,
            "rules": result.unproven_rules,
            "examples": [_unproven(example) for example in result.proofs.examples()],
            "rejections": result.proofs.rejected,
            "because": [{"finding": name, "count": count} for name, count in result.masked.items()],
        },
        "known_identifiers": {
            "messages": result.renamed,
            "properties": list(result.known_names),
            "advice": result.fresh_advice,
        },
        "sporadic": [
            {"answer": answer.kind, "reason": answer.reason, "count": count} for answer, count in result.sporadic
        ],
        "away": round(result.seconds_away, 3),
    }


def report(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


def _outcome(result: Result) -> dict[str, Any]:
    stop = result.stop
    details = stop.details.splitlines() if stop is not None and stop.cause == "contact" else []
    return {**_attributes(result.outcome, "state", "reason", "status", "headline"), "details": details}


def _counts(result: Result, rule: str) -> dict[str, Any]:
    counts = {str(kind): result.rules.get((rule, kind), 0) for kind in ANSWER_KINDS}
    unproven = counts["rejected"] - result.proofs.rules[rule]
    return {**counts, "unproven": unproven, "why": result.proofs.why_unproven(rule) if unproven else None}


def _finding(finding: Finding, contract: Contract) -> dict[str, Any]:
    twin = None
    if finding.twin is not None:
        twin = _message(finding.message_type, finding.twin)
    return {
        **_attributes(finding, "name", "state", "kind", "text"),
        "extent": finding.extent_in_words,
        "sentence": finding.sentence(),
        "message": finding.message_type,
        "verdict": finding.label,
        "expected": finding.expected,
        "got": _answer(finding.answer),
        "rules": [
            {
                "source": source_of(violation.rule, contract) or "",
                **_attributes(violation, "rule", "at", "found", "demanded"),
            }
            for violation in finding.reasons
        ],
        "unchecked": list(finding.rules),
        **_attributes(finding, "sites", "ambiguities", "places", "techniques", "tags", "failing", "new"),
        **_attributes(finding, "failed", "tried", "sent", "shown", "whole"),
        "reproduce": finding.reproduction,
        "smallest": _message(finding.message_type, finding.body),
        "twin": twin,
        "case": _case(finding.case),
    }


def _attributes(value: object, *names: str) -> dict[str, Any]:
    """Returns the attributes that have the same names in the document."""
    return {
        name: list(attribute) if isinstance(attribute := getattr(value, name), tuple) else attribute for name in names
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.kind,
        "status": answer.status,
        "reason": answer.reason,
        "response": answer.body.decode(errors="backslashreplace"),
        "seconds": round(answer.seconds, 6),
    }


def _ambiguity(observed: Observed) -> dict[str, Any]:
    return {
        "ambiguity": observed.ambiguity.id,
        "question": observed.ambiguity.question,
        **{str(kind): number for kind, number in observed.counts.items()},
        "unproven": observed.unproven,
        "behaviour": observed.behaviour,
        "examples": {kind: _case(trial.case) for kind, trial in sorted(observed.examples.items())},
    }


def _unproven(example: UnprovenExample) -> dict[str, Any]:
    rejection = example.rejection
    return {
        "rule": rejection.verdict.broken[0].rule,
        "technique": rejection.case.faults[0].technique if rejection.case.faults else None,
        "why": example.why,
        "case": rejection.case.id,
        "twin": None if rejection.twin is None else _case(rejection.twin),
        "got": _answer(rejection.twin_answer or rejection.answer),
        "count": example.count,
    }


def _message(message_type: MessageType, body: bytes) -> dict[str, Any]:
    return {"id": message_id(message_type, body), **message_json(body)}


def _case(case: Case) -> dict[str, Any]:
    return {"id": case.id, **message_json(case.body)}
