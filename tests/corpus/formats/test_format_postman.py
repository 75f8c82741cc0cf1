import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from exported_cases import RULE, chosen, clocked, corpus_info, offer
from hand_made_servers import response, serving_requests
from validators import NODE

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats.suite_cases import arranged

OFFER = "offer-creation-request"
CRASHING = offer(b'{"number":"crash","offerType":"Email"}')
CRASHING_ENTRY = f"{OFFER}/valid {CRASHING.id}"
COMMENTED = offer(b'/* a */{"number":"1","offerType":"Email"} // b')
NEWMAN = NODE / "node_modules/newman/bin/newman.js"


def zero() -> Case:
    return chosen()[1]


def offers() -> list[Case]:
    return [case for case in (*chosen(), CRASHING, COMMENTED) if case.message_type == OFFER]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if shutil.which("node") is None or not NEWMAN.exists():
        pytest.skip("newman is not installed: run `npm ci` in tests/node")
    write(tmp_path / "contract", offers(), fmt="postman", info=corpus_info())
    return tmp_path / "contract"


@contextmanager
def service(status_of: Callable[[bytes], int]) -> Iterator[tuple[str, list[tuple[bytes, bytes]]]]:
    """Yields the URL of a service, and the heads and bodies of the requests that the service receives."""
    seen = []

    def answer(head: bytes, body: bytes) -> bytes:
        seen.append((head.lower(), body))
        return response(status_of(body))

    with serving_requests(answer) as url:
        yield url, seen


def run_of(folder: Path, url: str, expected: str = "") -> dict[str, Any]:
    log = folder.with_name("report.json")
    variables = ["--env-var", f"url={url}", "--env-var", f"expectedFailures={expected}"]
    command = ["node", str(NEWMAN), "run", "collection.json", *variables, "--reporters=json"]
    command.append(f"--reporter-json-export={log}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
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
    return [case for case in offers() if case.id not in clocked() and b"{{" not in case.body and is_text(case.body)]


def is_text(body: bytes) -> bool:
    return body.decode(errors="replace").encode() == body


def test_newman_sends_the_exact_bytes_and_names_what_fails(folder: Path) -> None:
    invalid = {case.body for case in offers() if case.label == "invalid"}
    names = request_names()

    def status_of(body: bytes) -> int:
        return 500 if b"crash" in body else 201 if body == zero().body or body not in invalid else 422

    with service(status_of) as (url, seen):
        checks = checks_of(run_of(folder, url, f"# known:\n{CRASHING_ENTRY} # a bug\n*/lastUpdatedDateTimeUtc:*\n"))
    assert sorted(body for _, body in seen) == sorted(case.body for case in sent())
    assert checks.keys() == set(names.values())
    failed = {(name, check): error for name, some in checks.items() for check, error in some.items() if error}
    assert [check for _, check in failed] == ["is rejected", "expected-failures"]
    wrong, passing = failed.values()
    assert (names[zero().id], "is rejected") in failed
    said = f"accepted the invalid offer-creation-request {zero().id}\n  Broken: {RULE} at /orderMinimum: expected"
    assert f"{said} at least 1, found 0 (one-below)." in str(wrong)
    assert f"expected-failures entry: {RULE} one-below" in str(wrong)
    assert str(passing).endswith("pass again, so remove these lines from expected-failures: */lastUpdatedDateTimeUtc:*")
    assert "is accepted (expected failure) skipped" in checks[names[CRASHING.id]]
    assert all(b"\r\ncontent-type: application/json\r\n" in head for head, _ in seen)


@pytest.mark.long
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
        checks = checks_of(run_of(folder, url, "*/plain *\n*/valid *"))
    ((name, error),) = checks[zero_name()].items()
    assert error is None
    assert f"inconclusive: your system does not accept the twin (the valid counterpart) {twin} either" in name
    with service(lambda body: 201 if body == zero().body else 422) as (url, _):
        checks = checks_of(run_of(folder, url, "*/plain *\n*/valid *"))
    assert f"accepted the invalid offer-creation-request {zero().id}" in str(checks[zero_name()]["is rejected"])


def zero_name() -> str:
    return request_names()[zero().id]


def request_names() -> dict[str, str]:
    """Maps the ID of each case to the name of its request, which the name of its folder precedes."""
    return {one.case.id: one.name.removeprefix(f"{one.group} ") for one in arranged(sent(), corpus_info())}
