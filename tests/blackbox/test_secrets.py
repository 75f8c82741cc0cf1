"""Secrets appear in no output, and hiding them changes no message and damages no file."""

import base64
import bz2
import gzip
import json
import lzma
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run, Spawn
from hand_made_servers import in_stored_brotli, response, serving_requests

import brokerfuzz
import brokerfuzz.testing.parametrizing  # imported now, because an inner session forgets what it imports

pytest_plugins = ["pytester"]

OFFER: Final = "offer-creation-request"
ONE_BELOW: Final = ("--rule", "*orderMinimum:minimum", "--technique", "one-below")
REPORTS: Final = ("r.html", "r.xml", "r.json", "r.har", "r.md")
REPORT_OPTIONS: Final = tuple(word for name in REPORTS for word in ("--report", name))


@contextmanager
def lenient(answer: Callable[[bytes], bytes] = lambda _: b"") -> Iterator[tuple[str, list[bytes]]]:
    """A service that accepts an `orderMinimum` of zero. `answer` returns the body of its answer to the head of a request."""
    bodies: list[bytes] = []

    def answered(head: bytes, body: bytes) -> bytes:
        bodies.append(body)
        accepted = b'"orderMinimum":0' in body or brokerfuzz.check(OFFER, body).label != "invalid"
        return response(201 if accepted else 400, answer(head))

    with serving_requests(answered) as url:
        yield url, bodies


def test_a_variable_in_a_url_is_sent_and_hidden(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "hunter2%40hunter2")
    heads = list[bytes]()
    with lenient(lambda head: heads.append(head) or b"hunter2@hunter2") as (url, _):  # type: ignore[func-returns-value]
        secret_url = url.replace("://", "://me:${PASSWORD}@")
        done = run("fire", secret_url, *ONE_BELOW, "--journal", "run.ndjson", *REPORT_OPTIONS)
    assert done.exit_code == 1, done.output
    assert b"authorization: basic %b" % base64.b64encode(b"me:hunter2@hunter2").lower() in heads[0].lower()
    written = [done.output, *(path.read_text() for path in folder.iterdir())]
    assert not [text for text in written if "hunter2" in text]
    assert '"response":"${PASSWORD}"' in Path("run.ndjson").read_text()


WORDS: Final = [
    "orderMinimum",
    "offerType",
    "smallest",
    "message",
    "version",
    "finding",
    "testcase",
    "failure",
    "import",
]
"""Passwords that are words of the message, or of the files that brokerfuzz writes."""


UNKNOWN_ENCODINGS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.compress, "zlib": zlib.compress, "bz2": bz2.compress, "xz": lzma.compress, "brotli": in_stored_brotli,
    "utf-16 without a mark": lambda data: b"x\0" + data.decode().encode("utf-16-le"),
}  # fmt: skip


@pytest.mark.parametrize("encoding", UNKNOWN_ENCODINGS)
def test_of_an_answer_in_an_unknown_encoding_only_the_length_is_kept(run: Run, folder: Path, encoding: str) -> None:
    answer = UNKNOWN_ENCODINGS[encoding](b"hunter2-hunter2" * 5)
    with lenient(lambda _: answer) as (url, _):
        done = run("fire", url, *ONE_BELOW, "-H", "X-Key: hunter2-hunter2", "--journal", "run.ndjson", *REPORT_OPTIONS)
    assert done.exit_code == 1, done.output
    responses = {json.loads(line)["response"] for line in Path("run.ndjson").read_text().splitlines()[1:]}
    assert responses == {f"[{len(answer)} bytes that are not text]"}
    assert "hunter2" not in done.output


def test_passwords_that_are_words_of_a_message_or_a_file_change_neither(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, word in enumerate(WORDS):
        monkeypatch.setenv(f"PASSWORD_{number}", word)
    secrets = [word for number in range(len(WORDS)) for word in ("--secret", f"PASSWORD_{number}")]
    headers = ("-H", "Authorization: Bearer orderMinimum", "-H", "X-Api-Key: smallest")
    with lenient() as (url, bodies):
        fire = ("fire", url, *ONE_BELOW, "--shrink", "1s", *headers, *secrets)
        done = run(*fire, *REPORT_OPTIONS)
        assert done.exit_code == 1, done.output
        (found,) = json.loads((folder / "r.json").read_text())["findings"]
        smallest = json.dumps(found["smallest"]["body"], separators=(",", ":"))
        assert '"orderMinimum":0' in smallest
        assert brokerfuzz.check(OFFER, smallest.encode()).label == "invalid"
        assert smallest in done.stdout
        assert len(ET.parse(folder / "r.xml").getroot().findall(".//failure")) == 1
        bodies.clear()
        assert "still there" in run("replay", "r.json", url).stdout
        assert smallest.encode() in bodies
        run(*fire, "--baseline", "known.json", "--baseline-update")
        again = run(*fire, "--baseline", "known.json")
    assert (again.exit_code, "1 known" in again.stdout) == (0, True), again.output


PRINTS: Final = """\
import logging, os, subprocess, sys, time
secret = os.environ["TOKEN"]

def prints():
    print("by print", secret)
    for stream in (sys.stdout, sys.stderr):
        stream.write("in two writes " + secret[:8])
        stream.flush()
        time.sleep(0.05)
        stream.write(secret[8:] + "\\n")
        stream.buffer.write(b"to the buffer " + secret.encode() + b"\\n")
        stream.buffer.flush()
    os.write(1, b"to the descriptor\\n")
    subprocess.run(["echo", "by a program"])
    subprocess.run(["echo", "by a program with a stream"], stdout=sys.stdout)
    logging.warning("to a log %s", secret)
    sys.stdout.write("at the end " + secret[:8])

def before_request(request, seen=set()):
    if not seen:
        seen.add(1)
        prints()
    return request

prints()
"""
PLACES: Final = ("by print", "in two writes", "to the buffer", "to a log")


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [2, 1])
def test_hooks_and_their_programs_print_to_standard_error_and_secrets_of_hooks_are_hidden(
    spawn: Spawn, folder: Path, workers: int
) -> None:
    secret = "s3cr3t-abcdef-16"
    (folder / "hooks.py").write_text(PRINTS)
    with lenient() as (url, _):
        options = ("--hooks", "hooks.py", "--secret", "TOKEN", "--shrink", "off", "--json", "--workers", workers)
        done = spawn("fire", url, *ONE_BELOW, *options, env={"TOKEN": secret})
    assert json.loads(done.stdout)["findings"]
    said = done.stderr.decode()
    assert secret not in said
    assert not [place for place in PLACES if f"{place} ${{TOKEN}}" not in said], said
    assert said.count("at the end ") >= 2
    assert {"to the descriptor", "by a program", "by a program with a stream"} <= {*said.splitlines()}


SUITE: Final = """\
import os, sys
import brokerfuzz, pytest

@pytest.fixture
def session():
    return os.environ["TOKEN"]

@pytest.fixture
def broken(session):
    raise ConnectionError("login " + session)

some = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"], "verdicts": ["invalid"]}

@brokerfuzz.parametrize("offer-creation-request", **some, by="case")
def test_each_case(case, session):
    print("prints", session)
    print("logs", session, file=sys.stderr)
    answer = "rejected: " + session
    assert answer == "accepted", answer

@brokerfuzz.parametrize("offer-creation-request", **some)
def test_each_rule(case, session):
    raise KeyError(session)

@brokerfuzz.parametrize("offer-creation-request", **some)
def test_without_a_session(case, broken):
    pass
"""


def test_a_failing_test_of_a_case_contains_no_secret(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "s3cr3t-abcdef-16"
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("TOKEN", secret)
    pytester.makepyfile(test_suite=SUITE)
    own = "-p brokerfuzz.testing.plugin --brokerfuzz-secret TOKEN --showlocals --junitxml junit.xml"
    done = pytester.runpytest_inprocess(*own.split())
    assert done.ret == pytest.ExitCode.TESTS_FAILED, done.stdout.str()
    written = done.stdout.str() + done.stderr.str() + Path("junit.xml").read_text()
    assert secret not in written
    for said in ("rejected: ${TOKEN}", "KeyError: '${TOKEN}'", "login ${TOKEN}", "prints ${TOKEN}", "logs ${TOKEN}"):
        assert said in written


def test_a_report_that_a_debugger_or_a_failed_test_shows_contains_no_secret() -> None:
    def application(environ: object, start_response: Callable[[str, list[tuple[str, str]]], object]) -> list[bytes]:
        start_response("201 Created", [])
        return [b""]

    headers = [("Authorization", "Bearer hunter2hunter2")]
    report = brokerfuzz.fire(application, rules=["*orderMinimum:minimum"], shrink=0, headers=headers)
    assert report.findings
    assert "hunter2" not in repr(report)
