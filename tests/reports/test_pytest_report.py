import os
import py_compile
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from campaign_documents import (
    ANSWERS,
    REQUEST,
    RULE,
    SMALLEST,
    document,
    finding,
    got,
    outcome,
    rejected,
)

from brokerfuzz.errors import ReportError
from brokerfuzz.reports import pytest_file
from brokerfuzz.reports.document_messages import body_of
from brokerfuzz.service.running import running

SECONDS = 60
BUG = "accepts-zero-order-minimum"
Outcomes = tuple[dict[str, str], str]


@pytest.fixture
def run_tests(tmp_path: Path) -> Callable[..., Outcomes]:
    """The returned function writes reports, runs their tests, and returns the outcomes by test name and the output.

    If there are several reports, the name of each test begins with the number of its report.
    """

    def run(*reported: dict[str, Any], edit: tuple[str, str] = ("", ""), **environment: str) -> Outcomes:
        for number, one in enumerate(reported):
            name = "test_findings.py" if len(reported) == 1 else f"test_findings_{number}.py"
            (tmp_path / name).write_text(pytest_file.report(one).replace(*edit), encoding="ascii")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            os.devnull,
            "-p",
            "no:cacheprovider",
            "-vv",
            "--color=no",
            "-W",
            "error",
            str(tmp_path),
        ]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BROKERFUZZ_"))}
        clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the report needs only pytest, and starts faster without plugins
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**clean, **environment},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        outcome = r"^test_findings(?:_(\d))?\.py::(\S+) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b"
        return {
            number + name: result for number, name, result in re.findall(outcome, done.stdout, re.MULTILINE)
        }, done.stdout

    return run


EVERYTHING = document(
    request={
        "url": "http://127.0.0.1:1/offers?token=${TOKEN}&a=1",
        "method": "PUT",
        "headers": [["content-type", "application/json"], ["Authorization", "${AUTHORIZATION}"]],
    },
    findings=[
        finding(smallest={"raw": b64encode(bytes(range(256)) * 100).decode()}),
        finding(known=True, sent=3, shown=1, smallest={"body": 1, "headers": [["accept", None], ["x", "'\"\\"]]}),
        rejected(kind="malformed-answer"),
    ],
)


@pytest.mark.parametrize(
    "reported", [EVERYTHING, document(), document(findings=[])], ids=["everything", "one", "nothing"]
)
def test_the_file_compiles_and_passes_a_linter(reported: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "test_findings.py"
    file.write_text(pytest_file.report(reported), encoding="ascii")
    py_compile.compile(str(file), doraise=True)
    ruff = shutil.which("ruff") or shutil.which("ruff", path=str(Path(sys.executable).parent))
    if ruff is None:
        pytest.skip("ruff is not installed")
    done = subprocess.run(
        [ruff, "check", "--isolated", "--no-cache", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    if reported is not EVERYTHING:  # a text with both kinds of quotes can be written in two ways
        command = [ruff, "format", "--isolated", "--no-cache", "--diff", "--line-length=320", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_file_reads_secrets_from_the_environment() -> None:
    headers = [["Authorization", "Bearer opensesame"], ["x-api-key", "${X_API_KEY}"]]
    source = pytest_file.report(
        document(
            request={"url": "http://user:opensesame@h/?token=opensesame&a=1", "method": "POST", "headers": headers}
        )
    )
    assert "opensesame" not in source
    assert 'TARGET_URL = os.environ.get("BROKERFUZZ_TARGET") or "http://h/?token=" + secret("TOKEN") + "&a=1"' in source
    assert '("Authorization", secret("AUTHORIZATION")),' in source
    assert '("x-api-key", secret("X_API_KEY")),' in source


def test_a_target_that_is_not_an_http_endpoint_is_rejected() -> None:
    with pytest.raises(ReportError, match="a pytest file requires an HTTP target"):
        pytest_file.report(document(target="node validate.js", request=None, answers=None))


# -------------------------------------------------------------------------------------------------- run against servers


FOUND = document(findings=[finding()])
NAME = f"invalid-accepted-{RULE}"


def test_the_tests_fail_with_the_bug_and_pass_without_it(run_tests: Callable[..., Outcomes]) -> None:
    with running(bugs=[BUG]) as url:
        outcomes, printed = run_tests(FOUND, BROKERFUZZ_TARGET=f"{url}/offers")
    assert outcomes == {f"test_finding[{NAME}]": "FAILED", f"test_valid_twin[{NAME}]": "PASSED"}
    assert "accepted (status 201), expected rejected: orderMinimum: accepted 0; must be at least 1" in printed
    with running() as url:
        outcomes, printed = run_tests(document(request={**REQUEST, "url": f"{url}/offers"}))
    assert set(outcomes.values()) == {"PASSED"}, printed


def test_a_report_without_findings_has_one_passing_test(run_tests: Callable[..., Outcomes]) -> None:
    assert run_tests(document(findings=[]))[0] == {"test_there_are_no_findings": "PASSED"}
    untested = outcome("untested", "no case was sent", 2, "untested (no case was sent): no findings")
    assert run_tests(document(findings=[], outcome=untested))[0] == {"test_the_campaign_is_complete": "SKIPPED"}


class _Recording(BaseHTTPRequestHandler):
    """Records requests. The path of a request selects the answer: for example, `/201` selects the status 201."""

    protocol_version = "HTTP/1.1"
    requests: list[tuple[str, dict[str, str], bytes]]

    def do_PUT(self) -> None:
        chunked = self.headers.get("transfer-encoding") == "chunked"
        body = self._chunk() if chunked else self.rfile.read(int(self.headers.get("content-length", 0)))
        self.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        if "/never" in self.path:
            sleep(1)
        if "/never" in self.path or "/closed" in self.path:
            self.close_connection = True
            return
        said = b'{"operationWasSuccessful":false}' if "envelope" in self.path else b"{}"
        self.send_response(int(self.path[1:4]))
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def _chunk(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size + 2)[:-2]
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (its name in the standard library)
        pass


@pytest.fixture
def served() -> Any:
    """Yields the URL of a recording server, and the list of its requests."""
    requests: list[tuple[str, dict[str, str], bytes]] = []
    handler = type("Handler", (_Recording,), {"requests": requests})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", requests
        server.shutdown()
        thread.join()


def test_the_tests_send_the_same_requests_as_the_campaign(run_tests: Callable[..., Outcomes], served: Any) -> None:
    url, requests = served
    headers = [["Content-Type", None], ["X-Twice", "1"], ["X-Twice", "2"], ["accept", "text/plain"]]
    chunked = [["Transfer-Encoding", "chunked"]]
    reported = document(
        request={
            "url": f"{url}/422/a b?token=${{TOKEN}}",
            "method": "PUT",
            "headers": [["content-type", "application/json"], ["x-key", "${X_KEY}"]],
        },
        findings=[
            finding(smallest={"raw": b64encode(b"\x00\xff").decode(), "headers": headers}, twin=None),
            finding(smallest={"body": SMALLEST, "headers": chunked}, twin=None),
            finding(smallest={"raw": ""}, twin=None),
        ],
    )
    outcomes, printed = run_tests(reported, TOKEN="abc", X_KEY="opensesame")
    assert list(outcomes.values()) == ["PASSED"] * 3, printed
    (path, first, body), (_, second, whole), (_, third, empty) = requests
    assert (path, body) == ("/422/a%20b?token=abc", b"\x00\xff")
    assert "content-type" not in first
    assert (first["x-key"], first["accept"], first["content-length"]) == ("opensesame", "text/plain", "2")
    assert (whole, second["content-type"], second.get("content-length")) == (
        body_of({"body": SMALLEST}),
        "application/json",
        None,
    )
    assert (empty, third["content-length"]) == (b"", "0")


def test_a_missing_secret_is_named(run_tests: Callable[..., Outcomes], served: Any) -> None:
    url, requests = served
    headers = [["authorization", "${AUTHORIZATION}"]]
    outcomes, printed = run_tests(document(request={"url": f"{url}/422", "method": "PUT", "headers": headers}))
    assert set(outcomes.values()) == {"FAILED"}
    assert "set AUTHORIZATION in the environment" in printed
    assert requests == []


def test_the_tests_interpret_answers_like_the_campaign(run_tests: Callable[..., Outcomes], served: Any) -> None:
    table: list[tuple[str, dict[str, Any], str, str]] = [
        ("/200", ANSWERS, "PASSED", "FAILED"),
        ("/404", ANSWERS, "FAILED", "PASSED"),
        ("/500", ANSWERS, "FAILED", "FAILED"),
        ("/429", ANSWERS, "FAILED", "FAILED"),
        ("/200/closed", ANSWERS, "FAILED", "FAILED"),
        ("/200/envelope", ANSWERS, "FAILED", "PASSED"),
        ("/200/envelope", {**ANSWERS, "envelope": False}, "PASSED", "FAILED"),
        ("/202", {"accept": ["201"], "reject": ["2XX"], "envelope": True}, "FAILED", "PASSED"),
        ("/201", {"accept": ["2XX"], "reject": ["201"], "envelope": True}, "FAILED", "PASSED"),
    ]
    found = [
        finding(twin=None),
        rejected(),
        finding(kind="crashed", verdict="unspecified", twin=None, rules=[], ambiguities=["cron-syntax"]),
    ]
    requests = [{"url": f"{served[0]}{path}", "method": "PUT", "headers": []} for path, *_ in table]
    documents = [
        document(findings=found, request=request, answers=row[1]) for row, request in zip(table, requests, strict=True)
    ]
    outcomes, printed = run_tests(*documents)
    for number, (path, _, valid, invalid) in enumerate(table):
        either = "PASSED" if "PASSED" in (valid, invalid) else "FAILED"
        assert [outcome for name, outcome in outcomes.items() if name.startswith(str(number))] == [
            invalid,
            valid,
            either,
        ], path + printed


def test_known_flaky_and_malformed_findings(run_tests: Callable[..., Outcomes], served: Any) -> None:
    url, requests = served
    found = [
        finding(known=True, twin=None),
        finding(sent=4, shown=1, twin=None),
        rejected(kind="malformed-answer", got=got()),
    ]
    outcomes, printed = run_tests(
        document(findings=found, request={"url": f"{url}/422", "method": "PUT", "headers": []})
    )
    assert list(outcomes.values()) == ["XPASS", "PASSED", "SKIPPED"], printed
    assert len(requests) == 1 + 5


def test_no_answer_in_time_is_a_timeout(tmp_path: Path, run_tests: Callable[..., Outcomes], served: Any) -> None:
    reported = document(
        findings=[rejected()], request={"url": f"{served[0]}/200/never", "method": "PUT", "headers": []}
    )
    outcomes, printed = run_tests(reported, edit=("TIMEOUT = 10 ", "TIMEOUT = 0.2 "))
    assert set(outcomes.values()) == {"FAILED"}
    assert "timeout (no answer in 0.2 seconds), expected accepted" in printed


def test_a_target_that_cannot_be_reached_is_an_error_and_not_an_answer(run_tests: Callable[..., Outcomes]) -> None:
    outcomes, printed = run_tests(FOUND, BROKERFUZZ_TARGET="http://127.0.0.1:1/offers")
    assert set(outcomes.values()) == {"FAILED"}
    assert "ConnectionRefusedError" in printed
