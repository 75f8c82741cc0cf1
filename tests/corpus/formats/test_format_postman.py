import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from exported_cases import about
from ready_suites import RULE, chosen, clocked, offer
from validators import NODE

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats.suite_cases import arranged

OFFER = "offer-creation-request"
CRASHING = offer(b'{"number":"crash","offerType":"Email"}')
COMMENTED = offer(b'/* a */{"number":"1","offerType":"Email"} // b')
NEWMAN = NODE / "node_modules/newman/bin/newman.js"
Request = tuple[bytes, dict[str, str]]


def zero() -> Case:
    return chosen()[1]


def offers() -> list[Case]:
    return [case for case in (*chosen(), CRASHING, COMMENTED) if case.message_type == OFFER]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if shutil.which("node") is None or not NEWMAN.exists():
        pytest.skip("newman is not installed: run `npm ci` in tests/node")
    write(tmp_path / "contract", offers(), fmt="postman", about=about())
    return tmp_path / "contract"


@contextmanager
def service(status_of: Callable[[bytes], int]) -> Iterator[tuple[str, list[Request]]]:
    """Yields the URL of a service, and the bodies and headers that the service receives."""
    seen: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append((body, {name.lower(): value for name, value in self.headers.items()}))
            self.send_response(status_of(body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/offers", seen
        server.shutdown()


def run_of(folder: Path, url: str, expected: str = "") -> dict[str, Any]:
    log = folder.with_name("report.json")
    command = [
        "node",
        str(NEWMAN),
        "run",
        "collection.json",
        "--env-var",
        f"url={url}",
        "--env-var",
        f"expectedFailures={expected}",
    ]
    done = subprocess.run(
        [*command, "--reporters=json", f"--reporter-json-export={log}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert log.exists(), done.stdout + done.stderr
    run: dict[str, Any] = json.loads(log.read_text())["run"]
    return run


def checks_of(run: dict[str, Any]) -> dict[str, dict[str, str | None]]:
    """For each request name, maps the names of the checks to their errors, or to None if there is no error."""
    return {
        one["item"]["name"]: {
            check["assertion"] + (" skipped" if check.get("skipped") else ""): check.get("error", {}).get("message")
            for check in one["assertions"]
        }
        for one in run["executions"]
    }


def sent() -> list[Case]:
    return [case for case in offers() if case.id not in clocked() and b"{{" not in case.body and _is_text(case.body)]


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_newman_sends_the_exact_bytes_and_names_what_fails(folder: Path) -> None:
    invalid = {case.body for case in offers() if case.label == "invalid"}
    names = {one.case.id: one.name for one in arranged(sent(), about())}

    def status_of(body: bytes) -> int:
        return 500 if b"crash" in body else 201 if body == zero().body or body not in invalid else 422

    with service(status_of) as (url, seen):
        checks = checks_of(run_of(folder, url, f"# known:\n{CRASHING.id} # a bug\n*/lastUpdatedDateTimeUtc:*\n"))
    assert {body for body, _ in seen} == {case.body for case in sent()}
    assert len(seen) == len(sent())
    assert checks.keys() == set(names.values())
    failed = {(name, check): error for name, some in checks.items() for check, error in some.items() if error}
    assert [check for _, check in failed] == ["is rejected", "expected-failures"]
    wrong, passing = failed.values()
    assert (names[zero().id], "is rejected") in failed
    assert (
        f"accepted the invalid offer-creation-request {zero().id}\n  Broken: {RULE} at /orderMinimum: expected at "
        "least 1, found 0 (one-below)." in str(wrong)
    )
    assert (
        passing == "these entries pass again, so remove these lines from expected-failures: */lastUpdatedDateTimeUtc:*"
    )
    assert "is accepted (expected failure) skipped" in checks[names[CRASHING.id]]
    assert any(
        headers.get("content-type") == "text/plain; a=b&c%20+d" and "accept" not in headers for _, headers in seen
    )


def test_one_failure_says_why_no_other_test_can_run(folder: Path) -> None:
    with service(lambda _: 500) as (url, seen):
        run = run_of(folder, url)
    assert len(seen) == 1
    (failure,) = run["failures"]
    assert "a plain message fails, so no other test runs" in failure["error"]["message"]


@pytest.mark.long
def test_a_rejection_proves_nothing_and_says_so_if_the_twin_is_an_expected_failure(folder: Path) -> None:
    twin = zero().twin_id
    with service(lambda body: 422) as (url, _):
        checks = checks_of(run_of(folder, url, "*/plain\n*/valid"))
    ((name, error),) = checks[zero_name()].items()
    assert error is None
    assert f"inconclusive: your system does not accept the twin (the valid counterpart) {twin} either" in name
    with service(lambda body: 201 if body == zero().body else 422) as (url, _):
        checks = checks_of(run_of(folder, url, "*/plain\n*/valid"))
    assert f"accepted the invalid offer-creation-request {zero().id}" in str(checks[zero_name()]["is rejected"])


def zero_name() -> str:
    return next(one.name for one in arranged(sent(), about()) if one.case.id == zero().id)
