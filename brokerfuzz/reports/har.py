"""Writes the findings as recorded traffic in the format HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec), which
browsers can open.

Each finding becomes an entry with its request and with the beginning of the response. A body that is not UTF-8 is
encoded in base64. HAR marks base64 with the property `encoding`, but only in responses. For requests, brokerfuzz uses
the additional property `_encoding`.
"""

import json
from base64 import b64encode
from http import HTTPStatus
from typing import Any

from brokerfuzz.cases.records import body_of
from brokerfuzz.errors import ReportError
from brokerfuzz.reports.facts import is_flaky
from brokerfuzz.reports.json_document import Document
from brokerfuzz.targets.http_messages import JSON_TYPE
from brokerfuzz.wording import printable

_PHRASES = {int(status): status.phrase for status in HTTPStatus}
_COMMON: dict[str, Any] = {"httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1}
_NO_TYPE = "x-unknown"  # browsers write this content type if the body has none


def report(document: Document) -> str:
    """Returns the report as ASCII text. Raises `ReportError` if the target is not an HTTP endpoint."""
    request: Document | None = document.get("request")
    if request is None:
        target = printable(str(document["target"]), 100)
        raise ReportError(
            f"a HAR file requires an HTTP target, but {target} is not an HTTP target: remove this report, or test a URL"
        )
    about = f"The smallest message of each finding at {document['target']}."
    log = {
        "version": "1.2",
        "creator": {"name": "brokerfuzz", "version": document["brokerfuzz"]},
        "entries": [_entry(finding, request, document["started"]) for finding in document["findings"]],
        "comment": f"{document['outcome']['headline']}. {about} Secrets are replaced by the names of variables.",
    }
    return json.dumps({"log": log}, indent=2)


def _entry(finding: Document, request: Document, started: str) -> dict[str, Any]:
    milliseconds = round(1000 * finding["got"]["seconds"], 3)
    return {
        "startedDateTime": started,
        "time": milliseconds,
        "request": _request(finding["smallest"], request),
        "response": _response(finding["got"]),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "comment": finding["sentence"],
        "_finding": finding["name"],
        "_kind": finding["kind"],
        "_state": finding["state"],
        "_flaky": is_flaky(finding),
    }


def _request(message: Document, request: Document) -> dict[str, Any]:
    """If the body is empty, the request has no property `postData`."""
    headers = request["headers"]
    body = body_of(message)
    entry = {
        **_COMMON,
        "method": request["method"],
        "url": request["url"],
        "headers": [{"name": name, "value": value} for name, value in headers],
        "queryString": [],
        "bodySize": len(body),
    }
    if not body:
        return entry
    try:
        posted = {"text": body.decode()}
    except UnicodeDecodeError:
        posted = {"text": b64encode(body).decode(), "_encoding": "base64"}
    content_type = next((value for name, value in headers if name.lower() == "content-type"), "")
    return {**entry, "postData": {"mimeType": content_type, **posted}}


def _response(got: Document) -> dict[str, Any]:
    """The status 0 means that there is no response, as in HAR files of browsers."""
    text, status = got["response"], got["status"] or 0
    mime_type = JSON_TYPE if text.startswith(("{", "[")) else _NO_TYPE
    return {
        **_COMMON,
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        "headers": [],
        "content": {"size": len(text.encode(errors="surrogatepass")), "mimeType": mime_type, "text": text},
        "redirectURL": "",
        "bodySize": -1,
        "comment": f"{got['answer']} ({got['reason']})",
    }
