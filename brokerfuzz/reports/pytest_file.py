"""Writes the findings of an HTTP target as a file of tests. The file needs only pytest and Python's standard library.

Each test sends the smallest message of a finding, and fails until the target answers as the contract requires. Other
tests check that the target accepts the twins (the valid counterparts), because otherwise a rejection proves nothing.
Known findings are marked as expected failures. The file contains texts of others only as ASCII literals.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from brokerfuzz.cases.fresh_values import MARK, marked
from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document, body_of, request_of, unusual_headers_of
from brokerfuzz.reports.rendering import Safe, literal, python_code
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS
from brokerfuzz.targets.answers import AnswerRules
from brokerfuzz.targets.secret_masking import split_at_references

MOST_TIMES = 20
_CHUNK = 100  # the number of bytes of a message per line; larger messages have longer lines
_MOST_CHUNKS = 200
_UNSUITABLE = {
    "malformed-answer": "the answer is malformed, which these tests do not check",
    "stopped-answering": "the target stopped answering, perhaps because of another message",
    "repeated-crash": "the message must be sent twice, and these tests send it once",
    "sporadic-crash": "the message must be sent beside others, and these tests send it alone",
}
"""Maps kinds of findings to the reason why a test cannot show them."""


def report(document: Document) -> str:
    """Returns the file as ASCII text. Raises `ReportError` if the target is not an HTTP endpoint."""
    request, usual = request_of(document, "a pytest file"), AnswerRules()
    answers = document.get("answers") or {"accept": usual.accept, "reject": usual.reject}
    findings = list(zip(_names(document["findings"]), document["findings"], strict=True))
    return python_code(
        "test_findings.py.jinja",
        version=document["brokerfuzz"],
        target=document["target"],
        outcome=facts.outcome_of(document),
        is_complete=document["outcome"]["state"] == "complete",
        fresh=document.get("fresh"),
        url=_joined(split_at_references(request["url"])),
        method=request["method"],
        headers=[(name, _joined(split_at_references(value))) for name, value in request["headers"]],
        accept=tuple(answers["accept"]),
        reject=tuple(answers["reject"]),
        mark=MARK.encode(),
        insecure=bool(request.get("insecure")),
        **{name: request.get(name) for name in ("ca", "cert")},
        findings=[_finding(name, finding) for name, finding in findings],
        twins=[_twin(name, finding) for name, finding in findings if finding["twin"] is not None],
    )


def _finding(name: str, finding: Document) -> dict[str, Any]:
    return {
        **_message(name, finding["smallest"], RIGHT_ANSWERS[finding["verdict"]], facts.sentence_of(finding)),
        "times": min(finding["sent"] + 1, MOST_TIMES) if facts.is_flaky(finding) else 1,
        "skip": _UNSUITABLE.get(finding["kind"]),
        "known": finding["known"],
    }


def _twin(name: str, finding: Document) -> dict[str, Any]:
    return _message(name, finding["twin"], RIGHT_ANSWERS["valid"], "It is valid.")


def _message(name: str, message: Document, allowed: Iterable[str], about: str) -> dict[str, Any]:
    fresh, body = message.get("fresh"), body_of(message)
    body = body if fresh is None else marked(body, fresh)
    size = max(_CHUNK, -(-len(body) // _MOST_CHUNKS))
    return {
        "name": name,
        "chunks": [body[at : at + size] for at in range(0, len(body), size)] or [b""],
        "allowed": tuple(allowed),
        "about": about,
        "headers": tuple(unusual_headers_of(message)),
        "times": 1,
        "skip": None,
        "known": False,
    }


def _names(findings: Iterable[Document]) -> Iterator[str]:
    """Yields a name for each finding. A number distinguishes it from an earlier test with the same name."""
    used: set[str] = set()
    for finding in findings:
        what = [broken["rule"] for broken in finding["rules"]] or finding["ambiguities"] or finding["places"]
        text = f"{finding['kind']}-{'+'.join(what[:3] or [facts.name_of(finding)])}"
        name = unique = re.sub(r"[^A-Za-z0-9_.:/\[\]]+", "-", text).replace("::", ":")[:200]
        number = 1
        while unique in used:
            number += 1
            unique = f"{name}-{number}"
        used.add(unique)
        yield unique


def _joined(parts: Iterable[tuple[str, bool]]) -> Safe:
    """Returns Python code that joins the parts of a string. The flag of a part is True if the part is the name of an
    environment variable.
    """
    code = (f"secret({literal(part[2:-1])})" if secret else literal(part) for part, secret in parts if part)
    return Safe(" + ".join(code) or '""')
