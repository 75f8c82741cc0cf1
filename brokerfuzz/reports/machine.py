"""The report that a program reads: one JSON document. Its keys stay as they are; new ones may join them.

```
{"target": str, "cases": int, "requests": int, "seconds": number, "stopped": str | null,
 "counts": {VERDICT: {ANSWER: int}},                  every verdict and every answer, zeros included
 "findings": [{
    "kind": "valid-rejected" | "invalid-accepted" | "crashed" | "silent",
    "sentence": str, "message": MESSAGE TYPE, "verdict": VERDICT,
    "expected": "accepted" | "rejected" | "accepted or rejected",
    "got": {"answer": ANSWER, "status": int | null, "reason": str, "response": str (its first bytes), "seconds": number},
    "rules": [{"rule": ID, "source": str, "at": JSON POINTER, "found": str, "demanded": str}],
    "silences": [ID], "places": [JSON POINTER], "techniques": [str], "tags": [str],
    "count": int, "reproduced": bool | null, "reproduce": str (a line for a POSIX shell),
    "smallest": MESSAGE, "case": {"id": str, ...MESSAGE}}],
 "silences": [{"silence": ID, "question": str, "accepted": int, "rejected": int, "crashed": int, "silent": int,
    "leaning": "accepts" | "rejects" | "mixed" | "unclear", "examples": {ANSWER: {"id": str, ...MESSAGE}}}]}
```

A MESSAGE is `{"body": JSON}` where its bytes are the compact form of that value, else `{"raw": BASE64}`, as in a corpus; where the request is
to have other headers than the usual ones, with `"headers": [[NAME, VALUE or null]]` besides.
What speaks of the message (`rules`, `places`, `got`) speaks of the smallest one.
"""

import json
from base64 import b64encode
from typing import Any

from brokerfuzz.campaign.contradictions import LABELS
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.results import Result
from brokerfuzz.cases.case import Case, compact
from brokerfuzz.targets.answers import ANSWER_KINDS, Answer


def report(result: Result) -> str:
    """The document as JSON, in ASCII: whatever a message holds, it is text for any reader."""
    return json.dumps(document(result), indent=2)


def document(result: Result) -> dict[str, Any]:
    """The document as Python values."""
    return {
        "target": result.target,
        "cases": result.cases,
        "requests": result.requests,
        "seconds": round(result.seconds, 3),
        "stopped": result.stopped,
        "counts": {label: {kind: result.counts.get((label, kind), 0) for kind in ANSWER_KINDS} for label in LABELS},
        "findings": [_finding(finding) for finding in result.findings],
        "silences": [_silence(observed) for observed in result.silences],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "sentence": finding.sentence(),
        "message": finding.message_type,
        "verdict": finding.label,
        "expected": finding.expected,
        "got": _answer(finding.answer),
        "rules": [{"rule": r.rule, "source": r.source, "at": r.at, "found": r.found, "demanded": r.demanded} for r in finding.reasons],
        "silences": list(finding.silences),
        "places": list(finding.places),
        "techniques": list(finding.techniques),
        "tags": list(finding.tags),
        "count": finding.count,
        "reproduced": finding.reproduced,
        "reproduce": finding.reproduction,
        "smallest": _message(finding.body, finding.case),
        "case": _case(finding.case),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.kind,
        "status": answer.status,
        "reason": answer.reason,
        "response": answer.body.decode(errors="backslashreplace"),
        "seconds": round(answer.seconds, 6),
    }


def _silence(observed: Observed) -> dict[str, Any]:
    return {
        "silence": observed.silence.id,
        "question": observed.silence.question,
        **{str(kind): number for kind, number in observed.counts.items()},
        "leaning": observed.leaning,
        "examples": {kind: _case(case) for kind, case in sorted(observed.examples.items())},
    }


def _case(case: Case) -> dict[str, Any]:
    return {"id": case.id, **_message(case.body, case)}


def _message(body: bytes, case: Case) -> dict[str, Any]:
    headers = {"headers": [list(header) for header in case.headers]} if case.headers else {}
    try:
        value = json.loads(body)
        if compact(value) == body:
            return {**headers, "body": value}
    except (ValueError, TypeError, RecursionError):
        pass
    return {**headers, "raw": b64encode(body).decode()}
