import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixture_types import Run, Spawn

from brokerfuzz.inputs import LARGEST

UNPRIVILEGED = ["setpriv", "--bounding-set=-all"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
"""Root can read every file, so the capabilities of root are removed."""

PLAIN = '{"number":"1","offerType":"Email"}'


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    Path("offer.json").write_text(PLAIN)
    Path("folder").mkdir()
    Path("there").write_text("mine")
    for name in ("huge.json", "huge.ndjson"):
        with Path(name).open("wb") as stream:
            stream.truncate(2 << 30)  # a sparse file uses no disk space
    Path("broken").mkdir()
    Path("broken/offer-creation-request.schema.json").write_text("{")
    Path("wrong").mkdir()
    Path("wrong/offer-creation-request.schema.json").write_text('{"type": 5}')
    Path("list").mkdir()
    Path("list/offer-creation-request.schema.json").write_text("[]")
    Path("undescribed").mkdir()
    Path("undescribed/offer-creation-request.schema.json").write_text('{"type": "object", "required": ["a"]}')
    Path("anything").mkdir()
    Path("anything/offer-creation-request.schema.json").write_text("{}")
    Path("cut.ndjson").write_text(
        '{"id":"0123456789abcdef","message":"offer-creation-request","verdict":"valid","faults":[],"ambiguities":[],'
        '"tags":[],"twin":null,"body":{}}\n'
    )
    Path("torn.ndjson").write_text(
        '{"id":"0123456789abcdef","message":"offer-creation-request","verdict":"valid","faults":[5],"ambiguities":[],'
        '"tags":[],"twin":null,"body":{}}\n'
    )
    Path("mixed.ndjson").write_text(Path("cut.ndjson").read_text() + PLAIN + "\n")


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


OFFER = "offer.json"
BAD: dict[str, tuple[list[str], str]] = {
    "a misspelt command": (["expln", "offer.json"], "No such command 'expln': did you mean 'explain'?"),
    "a missing file": (["check", "nowhere.json"], "nowhere.json does not exist"),
    "a folder": (["check", "folder"], "folder is a folder"),
    "two gigabytes": (["check", "huge.json"], f"more than {LARGEST:,} bytes"),
    "a line of two gigabytes": (["check", "huge.ndjson"], f"line 1, has more than {LARGEST:,} bytes"),
    "a corpus with a malformed record": (["check", "torn.ndjson"], "line 1: the line is not a valid case record"),
    "a corpus with a line that is not a record": (
        ["check", "mixed.ndjson"],
        "line 2: the line is not a valid case record",
    ),
    "an unknown option": (["check", "--verbos", OFFER], "brokerfuzz check --help"),
    "no file": (["check"], "Missing argument"),
    "an unknown command": (["chekc"], "chekc"),
    "an unknown message type": (["check", "--message", "offer", OFFER], "offer-creation-request"),
    "an unknown ambiguity": (["check", "--policy", "cron-sintax=accepted", OFFER], "did you mean 'cron-syntax'"),
    "an unknown group of ambiguities": (
        ["check", "--policy", "timestamp-fromat=parsed", OFFER],
        "did you mean 'timestamp-format'",
    ),
    "an unknown interpretation": (
        ["check", "--policy", "cron-syntax=maybe", OFFER],
        "cron-syntax can be accepted or rejected",
    ),
    "a negative tolerance": (
        ["check", "--policy", "clock-tolerance=-1", OFFER],
        "can be a number of seconds from 0 to 86,400",
    ),
    "contradicting policies": (
        ["check", "--policy", "duplicate-properties=first", "--policy", "duplicate-properties=last", OFFER],
        "use either duplicate-properties=first, or duplicate-properties=first,last to allow both",
    ),
    "a policy without an ambiguity": (["check", "--policy", "accepted", OFFER], "AMBIGUITY=INTERPRETATION"),
    "an invalid time": (["check", "--now", "yesterday", OFFER], "2025-06-15T12:00:00Z"),
    "an impossible date": (["check", "--now", "2025-02-30T12:00:00Z", OFFER], "2025-06-15T12:00:00Z"),
    "a time without a time zone": (["check", "--now", "2025-06-15T12:00:00", OFFER], "2025-06-15T12:00:00Z"),
    "a time too early for cases": (["export", "out", "--clock", "--now", "1999-01-01T00:00:00Z"], "too early"),
    "a time too late for cases": (["export", "out", "--clock", "--now", "9999-12-31T23:59:59-12:00"], "too late"),
    "a time for time-dependent cases, without these cases": (
        ["export", "out", "--now", "2026-01-01T00:00:00Z"],
        "add --clock",
    ),
    "an impossible file name": (["export", "file:///tmp/%00.ndjson"], "cannot be written: embedded null byte"),
    "a missing contract": (["check", "--contract", "nowhere", OFFER], "is not a folder"),
    "an empty contract": (["rules", "--contract", "folder"], "contains none of"),
    "a contract that is not JSON": (["fire", "--demo", "--contract", "broken"], "not readable JSON"),
    "a contract that is not a schema": (["export", "out", "--contract", "wrong"], "not a JSON Schema"),
    "a contract of another JSON type": (["serve", "--contract", "list"], "must contain a JSON object"),
    "cases of a property without a schema": (
        ["export", "out", "--contract", "undescribed"],
        "requires 'a', but its `properties` do not contain 'a'",
    ),
    "a catalogue of a property without a schema": (
        ["catalogue", "--contract", "undescribed"],
        "add this property, with the schema {} if any value is allowed",
    ),
    "an example of a property without a schema": (
        ["explain", "--contract", "undescribed", "offer-creation-request/a:required"],
        "do not contain 'a'",
    ),
    "a contract without rules": (
        ["export", "out", "--contract", "anything", "--random"],
        "change the contract, or exclude what cannot be tested",
    ),
    "a file on another machine": (["export", "file://host/out"], "is a file on another machine, host"),
    "an unknown rule": (
        ["explain", "offer-creation-request/orderMinimum:minimun"],
        "did you mean 'offer-creation-request/orderMinimum:minimum'",
    ),
    "an unknown name": (["explain", "\x1b[31m"], "rules --techniques"),
    "a folder to write to": (["export", "folder"], "is a folder"),
    "a missing folder": (["export", "nowhere/out"], "nowhere/out cannot be written"),
    "an existing file": (["export", "there"], "--force"),
    "too many workers": (["export", "out", "--workers", "99999999999"], "use a whole number from 1 to 999"),
    "no case": (["export", "out", "--random", "--count", "0"], "--count"),
    "a negative count": (["export", "out", "--count", "-1"], "--count"),
    "a URL without a scheme": (["fire", "127.0.0.1:8000/offers"], "http://127.0.0.1:8000/offers"),
    "a URL with another scheme": (["fire", "ftp://127.0.0.1/"], "is not an HTTP URL"),
    "a refused connection": (["fire", f"http://127.0.0.1:{closed_port()}/"], "refused"),
    "a name that does not resolve": (["fire", "http://nowhere.invalid/"], "cannot be resolved"),
    "an invalid method": (["fire", "--method", "A B", "http://127.0.0.1:1/"], "method"),
    "an invalid header": (["fire", "-H", "X", "http://127.0.0.1:1/"], "NAME:VALUE"),
    "an invalid status": (["fire", "--accept", "2x", "http://127.0.0.1:1/"], "2xx"),
    "a duration of zero": (
        ["fire", "--max-time", "0s"],
        "--max-time is '0s': use a longer duration, such as 500ms, 90s, 10m or 1h30m",
    ),
    "a duration without a unit": (
        ["fire", "--max-time", "600"],
        "--max-time is '600': use a duration with its unit, such as 500ms, 90s, 10m or 1h30m",
    ),
    "shrinking without a unit": (
        ["fire", "--shrink", "0"],
        "--shrink is '0': use a duration with its unit, such as 500ms, 90s, 10m or 1h30m, or off",
    ),
    "a timeout that is not a number": (["fire", "--timeout", "nan"], "above 0"),
    "an infinite rate": (["fire", "--rate", "inf"], "above 0"),
    "an invalid port": (["serve", "--port", "99999"], "99999"),
    "an unknown host": (["serve", "--port", "0", "--host", "nowhere.invalid"], "nowhere.invalid"),
    "an unknown shell": (["completion", "tcsh"], "bash"),
}


def assert_one_line(status: int, stdout: str, stderr: str, words: str) -> None:
    assert status == 2
    assert stdout == ""
    assert stderr.startswith("brokerfuzz: ")
    assert stderr.count("\n") == 1
    assert stderr.rstrip("\n").isprintable()
    assert words in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize("what", BAD)
def test_invalid_input_is_reported_in_one_line(run: Run, what: str) -> None:
    args, words = BAD[what]
    before = sorted(Path().rglob("*"))
    result = run(*args)
    judged_before = "corpus" in what
    assert_one_line(result.exit_code, "" if judged_before else result.stdout, result.stderr, words)
    assert sorted(Path().rglob("*")) == before
    assert Path("there").read_text() == "mine"


@pytest.mark.parametrize(
    "what", ["a missing file", "an unknown option", "a contract that is not JSON", "a refused connection"]
)
def test_a_process_reports_invalid_input_in_one_line(spawn: Spawn, what: str) -> None:
    args, words = BAD[what]
    done = spawn(*args)
    assert_one_line(done.returncode, done.stdout.decode(), done.stderr.decode(), words)


def test_the_other_files_are_judged_if_one_cannot_be_read(run: Run) -> None:
    result = run("check", "nowhere.json", OFFER)
    assert result.exit_code == 2
    assert "offer.json:1: valid" in result.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="only POSIX systems have these permissions")
def test_files_without_permission_are_reported_in_one_line(environment: Mapping[str, str]) -> None:
    Path(OFFER).chmod(0)
    Path("folder").chmod(0o500)
    for args, words in (
        (["check", OFFER], "because you lack permission"),
        (["export", "folder/out"], "cannot be written"),
    ):
        command = [*UNPRIVILEGED, sys.executable, "-m", "brokerfuzz.cli", *args]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert_one_line(done.returncode, done.stdout, done.stderr, words)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.rotated(2)
def test_a_full_disk_is_reported_in_one_line(spawn: Spawn) -> None:
    with Path("/dev/full").open("wb") as full:
        for args in (["rules"], ["export", "-"]):
            done = spawn(*args, stdout=full)
            assert_one_line(done.returncode, "", done.stderr.decode(), "No space left")


def test_a_message_of_unbounded_length_on_standard_input_is_rejected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerfuzz.inputs.LARGEST", 1000)
    result = run("check", "-", text=f'{{"number":"{"1" * 2000}"}}')
    assert_one_line(result.exit_code, result.stdout, result.stderr, "more than 1,000 bytes")
    result = run("check", "-", text="[\n" * 2000)
    assert_one_line(result.exit_code, result.stdout, result.stderr, "more than 1,000 bytes")


def test_an_unexpected_error_exits_with_2_and_says_how_to_report_it() -> None:
    broken = "from brokerfuzz.commands import rules; rules.command.callback = lambda **options: {}['missing']"
    program = f"{broken}; from brokerfuzz.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "rules"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "KeyError: 'missing'" in done.stderr
    assert "this is a bug in brokerfuzz" in done.stderr.splitlines()[-1]
    assert "report the bug" in done.stderr.splitlines()[-1]
