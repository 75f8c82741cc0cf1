import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from campaign_documents import REQUEST, SMALLEST, document, documents, finding, got, rejected
from fixture_types import Run
from hypothesis import given

from brokerfuzz.errors import ReportError
from brokerfuzz.har_reading import bodies
from brokerfuzz.reports import har
from brokerfuzz.reports.document_messages import body_of

PAIRS: dict[str, type] = {"name": str, "value": str}
REQUIRED: dict[str, dict[str, Any]] = {
    "entry": {"startedDateTime": str, "time": (int, float), "request": dict, "response": dict, "cache": dict,
    "timings": dict},
    "request": {
        "method": str, "url": str, "httpVersion": str, "cookies": list, "headers": list, "queryString": list,
        "headersSize": int, "bodySize": int,
    },
    "response": {
        "status": int, "statusText": str, "httpVersion": str, "cookies": list, "headers": list, "content": dict,
        "redirectURL": str,
        "headersSize": int, "bodySize": int,
    },
    "content": {"size": int, "mimeType": str},
    "timings": {"send": (int, float), "wait": (int, float), "receive": (int, float)},
}  # fmt: skip
"""The properties that HAR 1.2 requires."""


def entries_of(**changes: Any) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(har.report(document(**changes)))["log"]["entries"]
    return entries


def has(value: dict[str, Any], kind: str) -> None:
    for name, types in REQUIRED[kind].items():
        assert isinstance(value[name], types), f"{kind}.{name}"


def check_entry(entry: dict[str, Any]) -> None:
    request, response = entry["request"], entry["response"]
    has(entry, "entry")
    has(request, "request")
    has(response, "response")
    has(response["content"], "content")
    has(entry["timings"], "timings")
    assert entry["time"] == sum(entry["timings"].values())
    for pair in (*request["headers"], *request["queryString"]):
        assert {name: type(value) for name, value in pair.items()} == PAIRS
    if "postData" in request:
        assert isinstance(request["postData"]["mimeType"], str)
        assert isinstance(request["postData"]["text"], str)


@given(documents)
def test_the_report_of_any_document_is_valid_har(hostile: dict[str, Any]) -> None:
    text = har.report(hostile)
    assert text.isascii()
    log = json.loads(text)["log"]
    assert (log["version"], log["creator"]) == ("1.2", {"name": "brokerfuzz", "version": hostile["brokerfuzz"]})
    assert len(log["entries"]) == len(hostile["findings"])
    for entry in log["entries"]:
        check_entry(entry)


@given(documents)
def test_brokerfuzz_reads_the_same_bodies_back(hostile: dict[str, Any]) -> None:
    for found in hostile["findings"]:
        found["smallest"]["headers"] = [["content-type", "application/json"]]
        found["got"]["response"] = ""
    read = bodies(har.report(hostile).encode())
    assert read is not None
    expected = [(number, body_of(found["smallest"])) for number, found in enumerate(hostile["findings"], 1)]
    assert list(read) == [(number, body) for number, body in expected if body]


def test_an_entry_contains_the_request_with_the_smallest_message_and_the_response() -> None:
    (entry,) = entries_of(request={**REQUEST, "url": "http://127.0.0.1:8000/offers?a=1&b=", "method": "PUT"})
    request, response = entry["request"], entry["response"]
    assert (request["method"], request["url"]) == ("PUT", "http://127.0.0.1:8000/offers?a=1&b=")
    assert request["queryString"] == [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]
    assert json.loads(request["postData"]["text"]) == SMALLEST
    assert request["postData"]["mimeType"] == "application/json"
    assert (response["status"], response["statusText"], response["content"]["mimeType"]) == (
        201,
        "Created",
        "application/json",
    )
    assert response["content"]["text"] == '{"operationWasSuccessful":true}'
    assert entry["timings"] == {"send": 0, "wait": 250.0, "receive": 0}
    assert (entry["_kind"], entry["_fingerprint"], entry["_flaky"]) == ("invalid-accepted", "0123456789abcdef", False)


def test_the_headers_of_a_message_replace_the_usual_ones() -> None:
    message = {"body": SMALLEST, "headers": [["Content-Type", "text/plain"], ["Accept", None]]}
    (entry,) = entries_of(
        findings=[finding(smallest=message)],
        request={**REQUEST, "headers": [*REQUEST["headers"], ["accept", "*/*"], ["x", "1"]]},
    )
    assert entry["request"]["headers"] == [{"name": "x", "value": "1"}, {"name": "Content-Type", "value": "text/plain"}]


def test_secrets_are_replaced_by_the_names_of_variables() -> None:
    headers = [["Authorization", "Bearer opensesame"], ["x-api-key", "${X_API_KEY}"]]
    (entry,) = entries_of(request={"url": "http://user:pass@h/?token=opensesame", "method": "POST", "headers": headers})
    assert "opensesame" not in json.dumps(entry)
    assert "pass@" not in json.dumps(entry)
    assert entry["request"]["headers"] == [
        {"name": "Authorization", "value": "${AUTHORIZATION}"},
        {"name": "x-api-key", "value": "${X_API_KEY}"},
    ]
    assert entry["request"]["url"] == "http://h/?token=${TOKEN}"


def test_a_binary_body_is_in_base64_and_marked() -> None:
    (entry,) = entries_of(findings=[finding(smallest={"raw": b64encode(b"\xff").decode()})])
    assert entry["request"]["postData"] == {
        "mimeType": "application/json",
        "text": "/w==",
        "_encoding": "base64",
        "comment": "the text is base64, because the body is not UTF-8",
    }


def test_a_timeout_has_the_status_0() -> None:
    (entry,) = entries_of(
        findings=[finding(got=got(answer="timeout", status=None, reason="no answer in time", response=""))]
    )
    assert (entry["response"]["status"], entry["response"]["statusText"], entry["response"]["comment"]) == (
        0,
        "",
        "timeout (no answer in time)",
    )


def test_a_target_that_is_not_an_http_endpoint_is_rejected() -> None:
    with pytest.raises(
        ReportError, match=r"a HAR file requires an HTTP target, but node validate\.js is not an HTTP target"
    ):
        har.report(document(target="node validate.js", request=None))
    with pytest.raises(ReportError, match="requires an HTTP target"):
        har.report({key: value for key, value in document(target="node validate.js").items() if key != "request"})


def test_a_document_of_an_older_version_gets_the_default_request() -> None:
    older = {key: value for key, value in document().items() if key not in ("request", "answers")}
    assert json.loads(har.report(older)) == json.loads(har.report(document()))


def test_the_check_command_reads_the_report(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "findings.har"
    file.write_text(har.report(document(findings=[finding(), rejected()])), encoding="ascii")
    result = run("check", str(file), "--json")
    verdicts = (
        [json.loads(line) for line in result.stdout.splitlines()]
        if result.stdout.startswith("{")
        else json.loads(result.stdout)
    )
    assert "orderMinimum:minimum" in json.dumps(verdicts)
    assert result.exit_code == 1
    file.write_text(har.report(document(findings=[rejected()])), encoding="ascii")
    assert run("check", str(file)).exit_code == 0
