"""The findings as recorded traffic: HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec), to be opened in a browser's tools or replayed.

An entry a finding: the request with its smallest message, the response as far as it is known. What HAR has no member for begins with `_`, as
it asks for. A body that is no UTF-8 is in base64, which HAR knows for responses alone: `encoding` says so, and a comment.
"""

import json
from base64 import b64encode
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from brokerfuzz.reports.messages import Document, Request, body_of, is_flaky, request_of
from brokerfuzz.schemas.headers import JSON_TYPE

_VERSION = "HTTP/1.1"
_UNTOLD = "x-unknown"  # what browsers write for a body without a content type


def report(document: Document) -> str:
    """The report, in ASCII. Raises `ReportError` where the target is no HTTP endpoint."""
    request = request_of(document, "a HAR file")
    log = {
        "version": "1.2",
        "creator": {"name": "brokerfuzz", "version": document["brokerfuzz"]},
        "entries": [_entry(finding, request, document["started"]) for finding in document["findings"]],
        "comment": f"the smallest message of each finding at {document['target']}; secrets are the names of variables",
    }
    return json.dumps({"log": log}, indent=2)


def _entry(finding: Document, request: Request, started: str) -> dict[str, Any]:
    milliseconds = round(1000 * finding["got"]["seconds"], 3)
    return {
        "startedDateTime": started,
        "time": milliseconds,
        "request": _request(finding["smallest"], request),
        "response": _response(finding["got"]),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "comment": finding["sentence"],
        "_fingerprint": finding["fingerprint"],
        "_kind": finding["kind"],
        "_known": finding["known"],
        "_flaky": is_flaky(finding),
    }


def _request(message: Document, request: Request) -> dict[str, Any]:
    body, headers = body_of(message), request.headers_of(message)
    content_type = next((value for name, value in headers if name.lower() == "content-type"), "")
    return {
        "method": request.method,
        "url": request.url,
        "httpVersion": _VERSION,
        "cookies": [],
        "headers": [{"name": name, "value": value} for name, value in headers],
        "queryString": [{"name": name, "value": value} for name, value in _query(request.url)],
        **({"postData": {"mimeType": content_type, **_text(body)}} if body else {}),
        "headersSize": -1,
        "bodySize": len(body),
    }


def _text(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"text": b64encode(body).decode(), "encoding": "base64", "comment": "the text is base64: the body is no UTF-8"}


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=1000)
    except ValueError:
        return []


def _response(got: Document) -> dict[str, Any]:
    text, status = got["response"], got["status"] or 0
    return {
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        "httpVersion": _VERSION,
        "cookies": [],
        "headers": [],
        "content": {"size": len(text.encode(errors="surrogatepass")), "mimeType": JSON_TYPE if _is_json(text) else _UNTOLD, "text": text},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "comment": f"{got['answer']} ({got['reason']})",
    }


_PHRASES = {int(status): status.phrase for status in HTTPStatus}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
