"""Reads the messages and the HTTP request from the JSON document of a report.

As a precaution, this module replaces the values of headers and URL parameters whose names suggest secrets.
"""

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.errors import ReportError
from brokerfuzz.schemas.headers import JSON_TYPE
from brokerfuzz.targets.secret_masking import NOTHING_SECRET
from brokerfuzz.wording import counted, printable

Document = Mapping[str, Any]
Pairs = list[tuple[str, str]]
_MOST_SITES = 4


@dataclass(frozen=True)
class RequestTemplate:
    """The method, the URL and the usual headers of all requests. References such as `${TOKEN}` replace secrets."""

    url: str
    method: str
    headers: tuple[tuple[str, str], ...]

    def headers_of(self, message: Document) -> Pairs:
        """If a usual header and a header of the message have the same name, the usual header is omitted."""
        instead = unusual_headers_of(message)
        names = {name.lower() for name, _ in instead}
        usual = [(name, value) for name, value in self.headers if name.lower() not in names]
        return [*usual, *((name, value) for name, value in instead if value is not None)]


def body_of(message: Document) -> bytes:
    if "raw" in message:
        try:
            return b64decode(message["raw"])
        except ValueError:  # the value is not base64, although the report's schema requires base64
            return str(message["raw"]).encode(errors="surrogatepass")
    try:
        return compact(message["body"])
    except TypeError:  # the value cannot be compact JSON; such messages are normally written as `raw`
        return json.dumps(message["body"], separators=(",", ":")).encode()


def unusual_headers_of(message: Document) -> list[tuple[str, str | None]]:
    """Returns the headers in which the request of a message differs from the usual request. The value None means that
    the request omits this header.
    """
    return [(name, value) for name, value in message.get("headers") or ()]


def request_of(document: Document, report: str) -> RequestTemplate:
    """Raises `ReportError` if the target is not an HTTP endpoint."""
    target = str(document["target"])
    given = document.get("request", _usual_request(target))
    if given is None:
        raise ReportError(
            f"{report} requires an HTTP target, but {printable(target, 100)} is not an HTTP target: remove this "
            "report, or test a URL"
        )
    headers = tuple((name, NOTHING_SECRET.header(name, value)) for name, value in given["headers"])
    return RequestTemplate(NOTHING_SECRET.url(given["url"]), given["method"], headers)


def outcome_of(document: Document) -> list[str]:
    """Returns one line with the outcome of the campaign, and a further line for each file that could not be written."""
    return [document["outcome"]["headline"], *document["outcome"]["unwritten"]]


def retested_in_words(count: int) -> str:
    """Describes how many cases were sent again."""
    cases = counted(count, "fault was", "faults were")
    return f"{cases} sent again in an ordinary message, because the target rejected the twins"


def sporadic_in_words(answers: Iterable[tuple[str, int]]) -> str:
    """Describes the answers that did not occur again when the messages were sent again alone, and how many messages got
    them.
    """
    found = list(answers)
    shown = ", ".join(f"{printable(reason, 100)}: {count:,}" for reason, count in found[:_MOST_SITES])
    messages = counted(sum(count for _, count in found), "message was", "messages were")
    return f"{messages} answered differently when sent again alone ({shown}); a lower --concurrency may help"


def sporadic_lines(document: Document) -> list[str]:
    answers = [(one["reason"], one["count"]) for one in document.get("sporadic", ())]
    return [sporadic_in_words(answers)] if answers else []


def name_of(finding: Document) -> str:
    """The name of a finding consists of the first eight digits of its fingerprint."""
    return str(finding["fingerprint"])[:8]


def is_flaky(finding: Document) -> bool:
    """Returns True if the finding occurred again in only some of the repetitions, or in none."""
    return bool(finding["shown"] < finding["sent"])


def _usual_request(target: str) -> dict[str, Any] | None:
    """Returns a POST request with the header `content-type`. Returns None if the target is not an HTTP endpoint."""
    http = target.startswith(("http://", "https://"))
    return {"url": target, "method": "POST", "headers": [["content-type", JSON_TYPE]]} if http else None
