"""Bad input: one line that says what is wrong and what to do, status 2, no traceback, nothing half-written."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import Result

from brokerfuzz.inputs import LARGEST

Run = Callable[..., Result]
Spawn = Callable[..., subprocess.CompletedProcess[bytes]]

UNPRIVILEGED = ["setpriv", "--bounding-set=-all"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
"""Root may read everything; without its capabilities it may not."""

PLAIN = '{"number":"1","offerType":"Email"}'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with all that can be wrong with a file."""
    monkeypatch.chdir(tmp_path)
    Path("offer.json").write_text(PLAIN)
    Path("folder").mkdir()
    Path("there").write_text("mine")
    for name in ("huge.json", "huge.ndjson"):
        with Path(name).open("wb") as stream:
            stream.truncate(2 << 30)  # sparse: no disk holds the two gigabytes
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
        '{"id":"0123456789abcdef","message":"offer-creation-request","verdict":"valid","faults":[],"ambiguities":[],"tags":[],"twin":null,"body":{}}\n'
    )
    Path("torn.ndjson").write_text(
        '{"id":"0123456789abcdef","message":"offer-creation-request","verdict":"valid","faults":[5],"ambiguities":[],"tags":[],"twin":null,"body":{}}\n'
    )
    Path("mixed.ndjson").write_text(Path("cut.ndjson").read_text() + PLAIN + "\n")


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


OFFER = "offer.json"
BAD: dict[str, tuple[list[str], str]] = {
    "a file that is not there": (["check", "nowhere.json"], "nowhere.json is not there"),
    "a folder": (["check", "folder"], "folder is a folder"),
    "two gigabytes": (["check", "huge.json"], "2,147,483,648 bytes"),
    "two gigabytes on a line": (["check", "huge.ndjson"], f"line 1, has more than {LARGEST:,} bytes"),
    "a corpus that was cut off": (["check", "cut.ndjson"], "was cut off"),
    "a corpus with a record that is none": (["check", "torn.ndjson"], "line 1, is no record"),
    "a corpus with a line that is none": (["check", "mixed.ndjson"], "line 2, is no record"),
    "an option that is none": (["check", "--verbos", OFFER], "brokerfuzz check --help"),
    "no file": (["check"], "Missing argument"),
    "a command that is none": (["chekc"], "chekc"),
    "a message type that is none": (["check", "--message", "offer", OFFER], "offer-creation-request"),
    "an ambiguity that is none": (["check", "--policy", "cron-sintax=accept", OFFER], "did you mean 'cron-syntax'"),
    "a policy that is none": (["check", "--policy", "cron-syntax=maybe", OFFER], "accept"),
    "a policy on nothing": (["check", "--policy", "accept", OFFER], "accept=accept"),
    "a time that is none": (["check", "--now", "yesterday", OFFER], "2025-06-15T12:00:00Z"),
    "a day that is none": (["check", "--now", "2025-02-30T12:00:00Z", OFFER], "2025-06-15T12:00:00Z"),
    "a time without a zone": (["check", "--now", "2025-06-15T12:00:00", OFFER], "2025-06-15T12:00:00Z"),
    "a time too early for cases": (["export", "out", "--now", "1999-01-01T00:00:00Z"], "too early"),
    "a time too late for cases": (["export", "out", "--now", "9999-12-31T23:59:59-12:00"], "too late"),
    "a file that cannot be": (["export", "file:///tmp/%00.ndjson"], "without %00"),
    "a contract that is not there": (["check", "--contract", "nowhere", OFFER], "is not a folder"),
    "a contract that is empty": (["rules", "--contract", "folder"], "holds none of"),
    "a contract that is no JSON": (["fire", "--contract", "broken"], "not readable JSON"),
    "a contract that is no schema": (["export", "out", "--contract", "wrong"], "not a JSON Schema"),
    "a contract of another kind": (["serve", "--contract", "list"], "not a JSON Schema"),
    "cases of a property without a schema": (["export", "out", "--contract", "undescribed"], "demands 'a', which no `properties` describe"),
    "a catalogue of a property without a schema": (["catalogue", "--contract", "undescribed"], "add it there, as {} where it may be anything"),
    "an example of a property without a schema": (["explain", "--contract", "undescribed", "offer-creation-request/a:required"], "describe"),
    "a contract that nothing can be made of": (["export", "out", "--contract", "anything", "--random"], "take changes back until it can"),
    "a file of another machine": (["export", "file://host/out"], "is a file of another machine, host"),
    "an unknown rule": (["explain", "offer-creation-request/orderMinimum:minimun"], "did you mean 'offer-creation-request/orderMinimum:minimum'"),
    "an unknown name": (["explain", "\x1b[31m"], "rules --techniques"),
    "a folder to write to": (["export", "folder"], "is a folder"),
    "a folder that is not there": (["export", "nowhere/out"], "nowhere/out cannot be written"),
    "a file that is there": (["export", "there"], "--force"),
    "workers without end": (["export", "out", "--workers", "99999999999"], "1<=x<=999"),
    "no case": (["export", "out", "--random", "--count", "0"], "--count"),
    "a negative count": (["export", "out", "--count", "-1"], "--count"),
    "a URL without a scheme": (["fire", "127.0.0.1:8000/offers"], "http://127.0.0.1:8000/offers"),
    "a URL of another kind": (["fire", "ftp://127.0.0.1/"], "no HTTP address"),
    "a refused connection": (["fire", f"http://127.0.0.1:{closed_port()}/"], "refused"),
    "a name that does not resolve": (["fire", "http://nowhere.invalid/"], "does not resolve"),
    "a method that is none": (["fire", "--method", "A B", "http://127.0.0.1:1/"], "method"),
    "a header that is none": (["fire", "-H", "X", "http://127.0.0.1:1/"], "NAME:VALUE"),
    "a status that is none": (["fire", "--accept", "2x", "http://127.0.0.1:1/"], "2xx"),
    "no time": (["fire", "--max-time", "0s"], "'0s' is too short: give a duration such as 500ms, 90s, 10m or 1h30m"),
    "a time without a unit": (["fire", "--max-time", "600"], "'600' has no unit: give a duration such as 500ms, 90s, 10m or 1h30m"),
    "shrinking without a unit": (["fire", "--shrink", "0"], "'0' has no unit: give a duration such as 500ms, 90s, 10m or 1h30m, or off"),
    "a timeout that is no number": (["fire", "--timeout", "nan"], "above 0"),
    "a rate without end": (["fire", "--rate", "inf"], "above 0"),
    "a port that is none": (["serve", "--port", "99999"], "99999"),
    "a host that is none": (["serve", "--port", "0", "--host", "nowhere.invalid"], "nowhere.invalid"),
    "a shell that is none": (["completion", "tcsh"], "bash"),
}


def assert_told(status: int, stdout: str, stderr: str, told: str) -> None:
    assert status == 2
    assert stdout == ""
    assert stderr.startswith("brokerfuzz: ")
    assert stderr.count("\n") == 1
    assert stderr.rstrip("\n").isprintable()
    assert told in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line(run: Run, what: str) -> None:
    args, told = BAD[what]
    before = sorted(Path().rglob("*"))
    result = run(*args)
    judged_before = what.startswith("a corpus")
    assert_told(result.exit_code, "" if judged_before else result.stdout, result.stderr, told)
    assert sorted(Path().rglob("*")) == before
    assert Path("there").read_text() == "mine"


@pytest.mark.parametrize("what", ["a file that is not there", "an option that is none", "a contract that is no JSON", "a refused connection"])
def test_so_it_is_for_a_process(spawn: Spawn, what: str) -> None:
    args, told = BAD[what]
    done = spawn(*args)
    assert_told(done.returncode, done.stdout.decode(), done.stderr.decode(), told)


def test_a_file_that_cannot_be_read_does_not_keep_others_from_being_judged(run: Run) -> None:
    result = run("check", "nowhere.json", OFFER)
    assert result.exit_code == 2
    assert "offer.json:1: valid" in result.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are those of POSIX systems")
def test_files_without_permission(environment: Mapping[str, str]) -> None:
    Path(OFFER).chmod(0)
    Path("folder").chmod(0o500)
    for args, told in ((["check", OFFER], "may not be read"), (["export", "folder/out"], "cannot be written")):
        command = [*UNPRIVILEGED, sys.executable, "-m", "brokerfuzz.cli", *args]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert_told(done.returncode, done.stdout, done.stderr, told)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full here")
def test_a_full_disk(spawn: Spawn) -> None:
    with Path("/dev/full").open("wb") as full:
        for args in (["rules"], ["export", "-"]):
            done = spawn(*args, stdout=full)
            assert_told(done.returncode, "", done.stderr.decode(), "No space left")


def test_a_message_of_unbounded_length_on_standard_input_is_rejected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerfuzz.inputs.LARGEST", 1000)
    result = run("check", "-", text=f'{{"number":"{"1" * 2000}"}}')
    assert_told(result.exit_code, result.stdout, result.stderr, "more than 1,000 bytes")
    result = run("check", "-", text="[\n" * 2000)
    assert_told(result.exit_code, result.stdout, result.stderr, "more than 1,000 bytes")
