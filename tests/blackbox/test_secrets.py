"""Secrets appear in no output, and hiding them changes no message and damages no file."""

import ast
import asyncio
import base64
import html
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, quote_plus

import pytest
from fixture_types import Run, Spawn
from hand_made_servers import read_request, response, serving_streams

import brokerfuzz

OFFER: Final = "offer-creation-request"
ONE_BELOW: Final = ("--rule", "*orderMinimum:minimum", "--technique", "one-below")
REPORTS: Final = ("r.html", "r.xml", "r.json", "r.har", "r.md", "r.py")
REPORT_OPTIONS: Final = tuple(word for name in REPORTS for word in ("--report", name))


@contextmanager
def lenient(answer: Callable[[bytes], bytes] = lambda _: b"") -> Iterator[tuple[str, list[bytes]]]:
    """A service that accepts an `orderMinimum` of zero. `answer` returns the body of an answer to the head of a
    request. Yields the URL and the messages that arrive.
    """
    bodies: list[bytes] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            bodies.append(body)
            accepted = b'"orderMinimum":0' in body or brokerfuzz.check(OFFER, body).label != "invalid"
            writer.write(response(201 if accepted else 400, answer(head)))

    with serving_streams(converse) as url:
        yield url, bodies


WORDS: Final = (
    "orderMinimum",
    "offerType",
    "smallest",
    "message",
    "version",
    "finding",
    "findings",
    "testcase",
    "failure",
    "import",
    "pytest",
)
"""Passwords that are words of the message, or of the files that brokerfuzz writes."""


@pytest.mark.parametrize("secret", WORDS)
def test_a_password_that_is_a_word_of_a_message_or_a_file_changes_neither(run: Run, folder: Path, secret: str) -> None:
    with lenient() as (url, bodies):
        headers = ("-H", f"Authorization: Bearer {secret}", "-H", f"X-Api-Key: {secret}")
        fire = ("fire", *ONE_BELOW, "--shrink", "1s", url, *headers)
        done = run(*fire, *REPORT_OPTIONS)
        assert done.exit_code == 1, done.output
        (found,) = json.loads((folder / "r.json").read_text())["findings"]
        smallest = json.dumps(found["smallest"]["body"], separators=(",", ":"))
        assert '"orderMinimum":0' in smallest
        assert brokerfuzz.check(OFFER, smallest.encode()).label == "invalid"
        assert smallest in done.stdout
        assert len(ET.parse(folder / "r.xml").getroot().findall(".//failure")) == 1
        tree = ast.parse((folder / "r.py").read_text())
        assert smallest.encode() in [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        bodies.clear()
        assert "still there" in run("replay", "r.json", url).stdout
        assert smallest.encode() in bodies
        run(*fire, "--baseline", "known.json", "--baseline-update")
        again = run(*fire, "--baseline", "known.json")
    assert (again.exit_code, "1 known" in again.stdout) == (0, True), again.output


SECRET: Final = "s3cr3t/\"&<'é+ -x9"
ENCODINGS: Final[dict[str, Callable[[str], bytes]]] = {
    "plain": str.encode,
    "upper case": lambda text: text.upper().replace("É", "é").encode(),
    "latin-1": lambda text: text.encode("latin-1"),
    "percent": lambda text: quote(text, safe="").encode(),
    "form": lambda text: quote_plus(text).encode(),
    "JSON": lambda text: json.dumps({"got": text}).encode(),
    "readable JSON": lambda text: json.dumps({"got": text}, ensure_ascii=False).encode(),
    "HTML": lambda text: html.escape(text).encode(),
    "repr": lambda text: repr(text).encode(),
    "base64 0": lambda text: base64.b64encode(text.encode()),
    "base64 1": lambda text: base64.b64encode(b"1" + text.encode() + b"2"),
    "base64 2": lambda text: base64.b64encode(b"12" + text.encode() + b"34"),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(b"?>1" + text.encode()),
    "basic credentials": lambda text: base64.b64encode(b"me:" + text.encode()),
    "in an envelope": lambda text: json.dumps({"operationWasSuccessful": False, "failureMessages": [text]}).encode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_secret_that_the_target_repeats_in_a_usual_encoding_is_hidden(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    repeated = ENCODINGS[encoding](SECRET)
    with lenient(lambda _: b"before " + repeated + b" behind") as (url, _):
        done = run(
            "fire", url, *ONE_BELOW, "--secret", "TOKEN", "--shrink", "off", "--journal", "run.ndjson", *REPORT_OPTIONS
        )
    written = {"the terminal": done.output.encode(), **{path.name: path.read_bytes() for path in folder.iterdir()}}
    core = repeated.strip(b'{}"=')[-8:]
    assert not [name for name, content in written.items() if repeated in content or core in content]
    assert "${TOKEN}" in (folder / "run.ndjson").read_text()


PRINTS: Final = """\
import logging, os, subprocess, sys, time
secret = os.environ["TOKEN"]
half = len(secret) // 2

def prints():
    print("by print", secret)
    print("to stderr", secret, file=sys.stderr)
    print("to the original stderr", secret, file=sys.__stderr__)
    for stream in (sys.stdout, sys.stderr):
        stream.write("in two writes " + secret[:half])
        stream.flush()
        time.sleep(0.05)
        stream.write(secret[half:] + "\\n")
        stream.buffer.write(b"to the buffer " + secret.encode() + b"\\n")
        stream.buffer.flush()
    for number in (1, 2):
        os.write(number, b"to the descriptor " + secret.encode() + b"\\n")
        subprocess.run(["sh", "-c", f"printf 'by a program %s' ${{TOKEN%????}}; sleep 0.05; echo ${{TOKEN#????????????}}"], stdout=number)
    logging.warning("to a log %s", secret)
    sys.stdout.write("at the end " + secret[:half])

prints()

def before_request(request, seen=set()):
    if not seen:
        seen.add(1)
        prints()
    return request
"""
PLACES: Final = (
    "by print",
    "to stderr",
    "to the original stderr",
    "in two writes",
    "to the buffer",
    "to the descriptor",
    "by a program",
    "to a log",
)


@pytest.mark.parametrize("workers", [1, 2])
def test_secrets_that_hooks_and_their_programs_print_are_hidden(spawn: Spawn, folder: Path, workers: int) -> None:
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


@pytest.mark.parametrize("place", ["the module", "authenticate", "before_request"])
def test_the_error_of_a_hook_contains_no_secret(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    fails = "raise ValueError(os.environ['TOKEN'])"
    head = "def authenticate():" if place == "authenticate" else "def before_request(request):"
    functions = f"{head}\n    {fails}"
    (folder / "hooks.py").write_text(f"import os\n{fails if place == 'the module' else ''}\n{functions}\n")
    monkeypatch.setenv("TOKEN", "s3cr3t-abcdef-16")
    with lenient() as (url, _):
        done = run("fire", url, *ONE_BELOW, "--hooks", "hooks.py", "--secret", "TOKEN")
    assert done.exit_code == 2
    assert "ValueError: ${TOKEN}" in done.output
    assert "s3cr3t-abcdef-16" not in done.output


@pytest.mark.parametrize(
    "code",
    ["raise ValueError(os.environ['TOKEN'])", "def app(scope, receive, send): raise RuntimeError(os.environ['TOKEN'])"],
)
def test_the_error_of_an_application_contains_no_secret(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    name = f"planted_{abs(hash(code))}"
    (folder / f"{name}.py").write_text(f"import os\n{code}\n")
    monkeypatch.setenv("TOKEN", "s3cr3t-abcdef-16")
    done = run("fire", "--app", f"{name}:app", *ONE_BELOW, "--secret", "TOKEN", "--shrink", "off")
    assert "${TOKEN}" in done.output
    assert "s3cr3t-abcdef-16" not in done.output


def test_a_secret_is_hidden_in_every_part_of_a_request(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The value of `--secret` also occurs in the URL and in a header; the value of X-Api-Key also occurs in another
    header.
    """
    monkeypatch.setenv("TOKEN", "s3cr3t-abcdef-16")
    with lenient() as (url, _):
        values = ("X-Tenant: t-s3cr3t-abcdef-16", "X-Api-Key: k3y-123456", "X-Copy: copy of k3y-123456")
        options = ("--secret", "TOKEN", "--shrink", "off", *(word for value in values for word in ("-H", value)))
        done = run("fire", f"{url}/s3cr3t-abcdef-16?page=2", *ONE_BELOW, *options, *REPORT_OPTIONS)
    written = done.output + "".join(path.read_text() for path in folder.iterdir())
    assert not [secret for secret in ("s3cr3t-abcdef-16", "k3y-123456") if secret in written]
    assert '"X-Copy: copy of ${X_API_KEY}"' in done.stdout
    assert f'"{url}/${{TOKEN}}?page=2"' in done.stdout


def test_a_message_with_the_address_that_stands_for_an_application_is_reproduced_as_it_is() -> None:
    def application(environ: Any, start_response: Any) -> list[bytes]:
        start_response("201 Created", [])
        return []

    report = brokerfuzz.fire(
        application, path="/@me/offers", rules=["*orderMinimum:minimum"], techniques=["one-below"], shrink=0
    )
    assert report.result.target == "function /@me/offers"
    assert report.findings[0].reproduction.endswith(' "$TARGET"/@me/offers')


SUITE: Final = """\
import os, sys
import brokerfuzz, pytest

@pytest.fixture
def session():
    secret = os.environ["TOKEN"]
    if os.environ["FAILS"] == "fixture":
        raise ConnectionError("login " + secret)
    return secret

@brokerfuzz.parametrize("offer-creation-request", rules=["*orderMinimum:minimum"], verdicts=["invalid"], by=os.environ["BY"])
def test_offers(case, session):
    print("sends", session)
    print("logs", session, file=sys.stderr)
    answer = "rejected: " + session + " orderMinimum"
    if os.environ["FAILS"] == "exception":
        raise KeyError(session)
    assert answer == "accepted", answer
"""


PLUGIN: Final = ("-p", "brokerfuzz.testing.plugin", "--brokerfuzz-secret", "TOKEN")


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("fails", "by", "traceback"),
    [
        ("assertion", "case", "auto"),
        ("assertion", "rule", "long"),
        ("exception", "case", "long"),
        ("exception", "case", "auto"),
        ("exception", "rule", "short"),
        ("fixture", "case", "auto"),
    ],
)
def test_a_failing_test_of_a_case_contains_no_secret(
    environment: Mapping[str, str], folder: Path, fails: str, by: str, traceback: str
) -> None:
    secret = "s3cr3t-abcdef-16"
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "pytest.ini").write_text("[pytest]\n")
    options = (*PLUGIN, f"--tb={traceback}", "--showlocals", "--junitxml", "junit.xml")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        env={**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TOKEN": secret, "FAILS": fails, "BY": by},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    written = done.stdout + done.stderr + (folder / "junit.xml").read_text()
    assert done.returncode == 1, written
    assert secret not in written
    assert "${TOKEN}" in written


def test_a_secret_that_is_a_word_of_the_message_does_not_change_the_message_of_a_failing_test(
    environment: Mapping[str, str], folder: Path
) -> None:
    (folder / "test_suite.py").write_text(SUITE)
    for by in ("case", "rule"):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *PLUGIN],
            env={**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TOKEN": "orderMinimum", "FAILS": "assertion",
            "BY": by},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert "rule          offer-creation-request/orderMinimum:minimum" in done.stdout
        assert '"orderMinimum":' in done.stdout
        assert "observed      rejected: ${TOKEN} ${TOKEN}" in done.stdout


LOGIN: Final = """\
import os, urllib.request

def authenticate():
    with urllib.request.urlopen(os.environ["LOGIN"]) as answer:
        return {"Authorization": "Bearer " + answer.read().decode()}

def before_request(request):
    return request.with_header("X-Nonce", "n0nce-" + os.urandom(8).hex())
"""


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_token_of_any_session_is_hidden_even_if_several_workers_are_requested(
    spawn: Spawn, folder: Path, workers: int
) -> None:
    """The service repeats the newest token and the signature of the message in each answer, whoever receives it. A
    session ends after 20 requests.
    """
    tokens: list[str] = []
    nonces: list[str] = []
    left = 0

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal left
        while True:
            head, body = await read_request(reader)
            if head.startswith(b"GET"):
                tokens.append(f"t0ken-{len(tokens):06}-of-a-session")
                left = 20
                writer.write(response(200, tokens[-1].encode()))
                continue
            left -= 1
            status = 401 if left < 0 else 400 if brokerfuzz.check(OFFER, body).label == "invalid" else 201
            nonce = next(line for line in head.decode().splitlines() if line.lower().startswith("x-nonce"))
            nonces.append(nonce.split()[1])
            await asyncio.sleep(0.01)
            writer.write(response(status, f"the newest session is {(tokens or ['none'])[-1]}, {nonce}".encode()))

    (folder / "hooks.py").write_text(LOGIN)
    with serving_streams(converse) as url:
        options = ("--rule", "*/order*", "--hooks", "hooks.py", "--shrink", "off", "--journal", "run.ndjson")
        done = spawn("fire", url, *options, "--workers", workers, *REPORT_OPTIONS, env={"LOGIN": url})
    assert done.returncode == 0, done.stderr
    assert len(tokens) > 2
    written = done.stdout + done.stderr + b"".join(path.read_bytes() for path in folder.iterdir())
    assert [secret for secret in (*tokens, *nonces) if secret.encode() in written] == []
    assert written.count(b"the newest session is ${AUTHORIZATION}") > 50
    assert (b"--workers" in done.stderr) == (workers > 1)
