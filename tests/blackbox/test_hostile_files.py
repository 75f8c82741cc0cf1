"""Devices, named pipes, folders and links to themselves instead of the files that a command reads."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fixture_types import Run

MEMORY = 4 * 1024 * 1024
"""The memory that a command may use, in KiB."""
SMALL = ("--message", "offer-creation-request", "--rule", "orderMinimum")
NOWHERE = "http://127.0.0.1:9/"
Writes = Callable[[Path, Path], Sequence[str]]
"""Writes files that name another file, and returns the words of the command."""


def _values(line: str) -> Writes:
    def write(folder: Path, other: Path) -> Sequence[str]:
        (folder / "values.toml").write_text(line.format(other))
        return ("export", "-", *SMALL, "--values", str(folder / "values.toml"))

    return write


def _contract(folder: Path, other: Path) -> Sequence[str]:
    (folder / "contract").mkdir()
    (folder / "contract" / "semantics.json").symlink_to(other)
    return ("export", "-", *SMALL, "--contract", str(folder / "contract"))


FILES: dict[str, Writes] = {
    "lines of a values file": _values('"*.productId" = {{lines = "{}"}}'),
    "a column of a values file": _values('"*.productId" = {{csv = "{}", column = "id"}}'),
    "a values file": lambda _, other: ("export", "-", *SMALL, "--values", str(other)),
    "a file of a contract": _contract,
    "a configuration": lambda _, other: ("fire", "--exec", "true", "--config", str(other)),
    "hooks": lambda _, other: ("fire", NOWHERE, "--hooks", str(other)),
    "a certificate": lambda _, other: ("fire", "https://127.0.0.1:9/", "--ca", str(other)),
    "a baseline": lambda _, other: ("fire", "--exec", "true", "--baseline", str(other)),
    "a journal": lambda _, other: ("fire", "--exec", "true", "--resume", str(other)),
    "a report": lambda _, other: ("replay", str(other), NOWHERE),
    "a corpus": lambda _, other: ("corpus", "show", str(other)),
    "a corpus to verify": lambda _, other: ("corpus", "verify", str(other)),
    "a message": lambda _, other: ("check", str(other)),
    "messages": lambda _, other: ("check", "--ndjson", str(other)),
    "messages with coverage": lambda _, other: ("coverage", str(other)),
}
FOLDERS = ("a corpus", "a corpus to verify", "a message", "messages", "messages with coverage")
"""The commands for these files also read folders."""


def _name(kind: str) -> str:
    return "hooks.py" if kind == "hooks" else "report.json"


@pytest.mark.every(8)
@pytest.mark.parametrize("kind", FILES)
def test_an_endless_device_instead_of_a_file_is_one_line(tmp_path: Path, kind: str) -> None:
    other = tmp_path / _name(kind)
    other.symlink_to("/dev/zero")
    command = [sys.executable, "-m", "brokerfuzz", *FILES[kind](tmp_path, other)]
    limited = ["sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", *command]
    done = subprocess.run(
        limited, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    _assert_one_line(done.returncode, done.stderr, other)


TRAPS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a named pipe without a writer": (os.mkfifo, "no process writes to this named pipe"),
    "a link to itself": (lambda path: path.symlink_to(path), ""),
    "a folder": (Path.mkdir, "Is a directory"),
}


TRAPPED = [(trap, kind) for trap in TRAPS for kind in FILES if trap != "a folder" or kind not in FOLDERS]


@pytest.mark.parametrize(("trap", "kind"), TRAPPED)
def test_what_is_not_a_file_is_one_line(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, trap: str, kind: str
) -> None:
    monkeypatch.setattr("brokerfuzz.file_contents._LONGEST_WAIT", 0.05)
    make, said = TRAPS[trap]
    other = folder / _name(kind)
    make(other)
    done = run(*FILES[kind](folder, other))
    _assert_one_line(done.exit_code, done.stderr, other)
    assert said in done.stderr


def _assert_one_line(status: int, stderr: str, path: Path) -> None:
    assert (status, len(stderr.splitlines())) == (2, 1), stderr
    assert stderr.startswith("brokerfuzz: ")
    assert str(path) in stderr.replace("semantics.json", path.name).replace("contract/", "")


def test_a_named_pipe_with_a_writer_is_read_however_slow_the_writer_is(folder: Path, run: Run) -> None:
    os.mkfifo("pipe")
    script = 'exec > pipe; sleep 1.2; echo \'{"number":"1","offerType":"Email"}\''
    with subprocess.Popen(["sh", "-c", script]):
        done = run("check", "pipe")
    assert done.stdout == "pipe:1: valid (offer-creation-request)\n"
