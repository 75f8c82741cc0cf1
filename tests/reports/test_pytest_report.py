"""Runs the tests of `.py` reports against servers. One session of pytest runs the reports of a whole table."""

import os
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from campaign_documents import RULE, document, finding, recorded, rejected

from brokerfuzz.reports import pytest_file
from brokerfuzz.reports.document_messages import body_of

ANSWERS = recorded()["answers"]
CRASHED = finding(kind="crashed", verdict="unspecified", twin=None, rules=[], ambiguities=["cron-syntax"])
EACH = (finding(twin=None), rejected(), CRASHED)
HEADERS = [["Content-Type", None], ["X-Twice", "1"], ["X-Twice", "2"], ["accept", "text/plain"]]
UNTESTED = {**recorded()["outcome"], "state": "untested", "headline": "untested (no case was sent): no findings"}
SENT = [
    finding(smallest={"raw": b64encode(b"\x00\xff").decode(), "headers": HEADERS}, twin=None),
    finding(smallest={**finding()["smallest"], "headers": [["Transfer-Encoding", "chunked"]]}, twin=None),
    finding(smallest={"raw": ""}, twin=None),
]
P, F = "PASSED", "FAILED"

# the path of the server, the findings of the report, other properties of the report, and the outcomes of its tests
TABLE: dict[str, tuple[str, tuple[dict[str, Any], ...], dict[str, Any], list[str]]] = {
    "accepted": ("/200", EACH, {}, [F, P, P]),
    "rejected": ("/404", EACH, {}, [P, F, P]),
    "crashed": ("/500", EACH, {}, [F, F, F]),
    "too many requests": ("/429", EACH, {}, [F, F, F]),
    "a closed connection": ("/200/closed", EACH, {}, [F, F, F]),
    "no answer in time": ("/200/never", (rejected(),), {}, [F]),
    "an envelope": ("/200/envelope", EACH, {}, [P, F, P]),
    "a code before a class": ("/202", EACH, {"answers": {**ANSWERS, "accept": ["201"], "reject": ["2xx"]}}, [P, F, P]),
    "accepted first": ("/201", EACH, {"answers": {**ANSWERS, "accept": ["2xx"], "reject": ["201"]}}, [P, F, P]),
    "a known finding": ("/422/known", (finding(known=True, twin=None),), {}, ["XPASS"]),
    "a flaky finding": ("/422/flaky", (finding(sent=4, shown=1, twin=None),), {}, [P]),
    "a malformed answer": ("/422", (rejected(kind="malformed-answer"),), {}, ["SKIPPED"]),
    "a twin": ("/422", (finding(),), {}, [P, F]),
    "no findings": ("/200", (), {}, [P]),
    "untested": ("/200", (), {"outcome": UNTESTED}, ["SKIPPED"]),
    "special requests": ("/422/a b?token=${TOKEN}", tuple(SENT), {}, [P, P, P]),
    "a secret": ("/422/secret", (rejected(),), {"headers": [["authorization", "${GONE}"]]}, [F]),
}


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


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, list[Any]]]:
    """Runs the tests of all reports in `TABLE`. Yields the folder, the output of pytest, and the recorded requests."""
    requests: list[Any] = []
    folder = tmp_path_factory.mktemp("tests")
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Recording,), {"requests": requests})) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        for number, (path, findings, changes, _) in enumerate(TABLE.values()):
            headers = changes.get("headers", [["content-type", "application/json"], ["x-key", "${X_KEY}"]])
            request = {"url": f"http://127.0.0.1:{server.server_port}{path}", "method": "PUT", "headers": headers}
            text = pytest_file.report(document(*findings, request=request, **changes))
            (folder / f"test_{number}.py").write_text(text.replace("TIMEOUT = 10 ", "TIMEOUT = 0.2 "), encoding="ascii")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BROKERFUZZ_"))}
        clean |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TOKEN": "abc", "X_KEY": "opensesame"}
        options = ["-c", os.devnull, "--confcutdir=.", "-p", "no:cacheprovider", "-vv", "--color=no", "-W", "error"]
        command = [sys.executable, "-m", "pytest", *options, str(folder)]
        done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=60, check=False)
        yield folder, done.stdout, requests
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", TABLE)
def test_the_tests_interpret_answers_like_the_campaign(session: Any, name: str) -> None:
    _, printed, _ = session
    number = list(TABLE).index(name)
    outcome = rf"^test_{number}\.py::\S+ (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b"
    assert re.findall(outcome, printed, re.MULTILINE) == TABLE[name][3], printed


def test_a_failure_says_what_the_target_did_and_what_is_expected(session: Any) -> None:
    _, printed, _ = session
    assert f"test_finding[invalid-accepted-{RULE}]" in printed
    assert "accepted (status 200), expected rejected: orderMinimum: accepted 0; must be at least 1" in printed
    assert "timeout (no answer in 0.2 seconds), expected accepted" in printed
    assert "set GONE in the environment" in printed


def test_the_tests_send_the_same_requests_as_the_campaign(session: Any) -> None:
    _, _, requests = session
    (path, first, body), (_, second, whole), (_, third, empty) = (one for one in requests if "/a%20b" in one[0])
    assert (path, body) == ("/422/a%20b?token=abc", b"\x00\xff")
    assert "content-type" not in first
    assert (first["x-key"], first["accept"], first["content-length"]) == ("opensesame", "text/plain", "2")
    assert (whole, second["content-type"]) == (body_of(SENT[1]["smallest"]), "application/json")
    assert "content-length" not in second
    assert (empty, third["content-length"]) == (b"", "0")
    assert [path for path, _, _ in requests].count("/422/flaky") == 5
    assert not any("/secret" in path for path, _, _ in requests)


def test_the_files_pass_a_linter(session: Any) -> None:
    folder, _, _ = session
    ruff = shutil.which("ruff") or shutil.which("ruff", path=str(Path(sys.executable).parent))
    if ruff is None:
        pytest.skip("ruff is not installed")
    for command in (["check"], ["format", "--diff", "--line-length=320"]):
        done = subprocess.run(
            [ruff, *command, "--isolated", "--no-cache", str(folder)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
