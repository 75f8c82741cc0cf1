"""Writes the findings as recorded traffic in the format HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec), which
browsers can open.

Each finding becomes an entry with its request and with the beginning of the response.
"""

import json
from typing import Any

from brokerfuzz import har_entries
from brokerfuzz.reports.document_messages import Document, RequestTemplate, body_of, request_of
from brokerfuzz.reports.facts import is_flaky, outcome_of
from brokerfuzz.schemas.headers import JSON_TYPE

_SECRETS = "Secrets are replaced by the names of variables."
_NO_TYPE = "x-unknown"  # browsers write this content type if the body has none


def report(document: Document) -> str:
    """Returns the report as ASCII text. Raises `ReportError` if the target is not an HTTP endpoint."""
    request = request_of(document, "a HAR file")
    log = {
        "version": "1.2",
        "creator": {"name": "brokerfuzz", "version": document["brokerfuzz"]},
        "entries": [_entry(finding, request, document["started"]) for finding in document["findings"]],
        "comment": " ".join(
            (
                f"{'; '.join(outcome_of(document))}.",
                f"The smallest message of each finding at {document['target']}.",
                _SECRETS,
            )
        ),
    }
    return json.dumps({"log": log}, indent=2)


def _entry(finding: Document, request: RequestTemplate, started: str) -> dict[str, Any]:
    milliseconds = round(1000 * finding["got"]["seconds"], 3)
    sent, got = _request(finding["smallest"], request), _response(finding["got"])
    return {
        **har_entries.entry(started, milliseconds, sent, got, finding["sentence"]),
        "_fingerprint": finding["fingerprint"],
        "_kind": finding["kind"],
        "_known": finding["known"],
        "_flaky": is_flaky(finding),
    }


def _request(message: Document, request: RequestTemplate) -> dict[str, Any]:
    return har_entries.request(request.method, request.url, request.headers_of(message), body_of(message))


def _response(got: Document) -> dict[str, Any]:
    text = got["response"]
    content = {
        "size": len(text.encode(errors="surrogatepass")),
        "mimeType": JSON_TYPE if _is_json(text) else _NO_TYPE,
        "text": text,
    }
    return har_entries.response(got["status"] or 0, content, f"{got['answer']} ({got['reason']})")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
