"""What is printed arrives whole, or its loss is told."""

import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from brokerfuzz.commands.streams import lossless


class Narrow(io.RawIOBase):
    """A stream that takes ten bytes a call, as a pipe may."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)[:10]  # type: ignore[call-overload]
        self.taken += piece
        return len(piece)


def test_nothing_is_lost_where_python_is_told_to_buffer_nothing() -> None:
    narrow = Narrow()
    stream = lossless(io.TextIOWrapper(narrow, encoding="utf-8", write_through=True))  # type: ignore[type-var]
    stream.write("x" * 1000)
    stream.flush()
    assert narrow.taken == b"x" * 1000


def test_what_an_encoding_has_no_letter_for_is_escaped() -> None:
    taken = io.BytesIO()
    stream = lossless(io.TextIOWrapper(taken, encoding="ascii"))
    stream.write("\u20ac")
    stream.flush()
    assert taken.getvalue() == b"\\u20ac"


EXPORT = ("--message", "offer-pricing-response", "--minimal", "--now", "2026-01-01T00:00:00Z")


def run_in_a_shell(environment: Mapping[str, str], redirections: str, *args: str) -> "subprocess.CompletedProcess[bytes]":
    line = f'"$@" {redirections}'
    return subprocess.run(["sh", "-c", line, "sh", sys.executable, "-m", "brokerfuzz", *args], env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("args", [("rules",), ("export", "out.ndjson", *EXPORT), ("export", "-", *EXPORT), ("check", "offer.json"), ("--version",)])
@pytest.mark.parametrize("redirections", [">&-", ">/dev/full"])
def test_output_that_goes_nowhere_is_told_in_a_line(
    environment: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], redirections: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("offer.json").write_text('{"number":"1","offerType":"Email"}')
    done = run_in_a_shell(environment, redirections, *args)
    assert done.returncode == 2
    assert done.stderr.startswith(b"brokerfuzz: the output cannot be used: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full", "<&- 2>&-"])
@pytest.mark.parametrize(("args", "status"), [(("rules",), 0), (("check", "bad.json"), 1), (("rules", "--nonsense"), 2)])
def test_whoever_does_not_hear_of_errors_has_the_output_and_the_status(
    environment: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], status: int, redirections: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text('{"number":1,"offerType":"Email"}')
    heard, unheard = run_in_a_shell(environment, "", *args), run_in_a_shell(environment, redirections, *args)
    assert (heard.returncode, unheard.returncode) == (status, status)
    assert unheard.stdout == heard.stdout
    assert unheard.stderr == b""


def test_a_summary_that_nobody_hears_does_not_spoil_the_corpus(environment: Mapping[str, str]) -> None:
    heard, unheard = (run_in_a_shell(environment, redirections, "export", "-", *EXPORT) for redirections in ("", "2>/dev/full"))
    assert (heard.returncode, heard.stderr != b"", unheard.returncode, unheard.stderr) == (0, True, 0, b"")
    assert unheard.stdout == heard.stdout


def test_input_that_is_closed_is_told_in_a_line(environment: Mapping[str, str]) -> None:
    done = run_in_a_shell(environment, "<&-", "check", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == "brokerfuzz: standard input cannot be used: Bad file descriptor; name another file, or make room\n"


def test_no_file_takes_the_place_of_a_closed_stream(environment: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_in_a_shell(environment, "", "export", "whole.ndjson", *EXPORT)
    run_in_a_shell(environment, ">&- 2>&- <&-", "export", "out.ndjson", *EXPORT)
    assert Path("out.ndjson").read_bytes() == Path("whole.ndjson").read_bytes()
