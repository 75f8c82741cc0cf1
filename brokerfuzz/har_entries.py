"""Creates entries of HAR files (http://www.softwareishard.com/blog/har-12-spec).

A body that is not UTF-8 is encoded in base64. HAR marks base64 with the property `encoding`, but only in responses. For
requests, brokerfuzz uses the additional property `_encoding`.
"""

from base64 import b64encode
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_VERSION = "HTTP/1.1"
_PHRASES = {int(status): status.phrase for status in HTTPStatus}
Entry = dict[str, Any]


def entry(started: str, milliseconds: float, request: Entry, response: Entry, comment: str) -> Entry:
    """The caller may add properties whose names begin with `_` to the entry."""
    timings = {"send": 0, "wait": milliseconds, "receive": 0}
    return {
        "startedDateTime": started, "time": milliseconds, "request": request, "response": response, "cache": {},
        "timings": timings,
        "comment": comment,
    }  # fmt: skip


def request(method: str, url: str, headers: Iterable[tuple[str, str]], body: bytes) -> Entry:
    """If the body is empty, the request has no property `postData`."""
    sent = list(headers)
    content_type = next((value for name, value in sent if name.lower() == "content-type"), "")
    return {
        "method": method,
        "url": url,
        "httpVersion": _VERSION,
        "cookies": [],
        "headers": [{"name": name, "value": value} for name, value in sent],
        "queryString": [{"name": name, "value": value} for name, value in _query(url)],
        **({"postData": {"mimeType": content_type, **_posted(body)}} if body else {}),
        "headersSize": -1,
        "bodySize": len(body),
    }


def response(status: int, content: Entry, comment: str, headers: Iterable[tuple[str, str]] = ()) -> Entry:
    """The status 0 means that there is no response, as in HAR files of browsers."""
    return {
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        "httpVersion": _VERSION,
        "cookies": [],
        "headers": [{"name": name, "value": value} for name, value in headers],
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "comment": comment,
    }


def content(body: bytes, mime_type: str) -> Entry:
    return {"size": len(body), "mimeType": mime_type, **_text(body)}


def _text(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"text": b64encode(body).decode(), "encoding": "base64"}


def _posted(body: bytes) -> dict[str, str]:
    text = _text(body)
    if "encoding" not in text:
        return text
    return {
        "text": text["text"],
        "_encoding": text["encoding"],
        "comment": "the text is base64, because the body is not UTF-8",
    }


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=1000)
    except ValueError:
        return []
