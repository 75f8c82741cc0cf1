"""Devices and named pipes instead of the files that a command reads."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

MEMORY = 4 * 1024 * 1024
"""The memory that a command may use, in KiB."""
SMALL = ("--message", "offer-creation-request", "--site", "orderMinimum")
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
    "a values file": lambda folder, other: ("export", "-", *SMALL, "--values", str(other)),
    "a file of a contract": _contract,
    "a configuration": lambda folder, other: ("fire", "--exec", "true", "--config", str(other)),
    "hooks": lambda folder, other: ("fire", "http://127.0.0.1:9/", "--hooks", str(other)),
    "a report": lambda folder, other: ("replay", str(folder / "report.json"), "http://127.0.0.1:9/"),
    "a corpus": lambda folder, other: ("corpus", "show", str(other)),
}


def _started(folder: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    limited = ["sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", sys.executable, "-m", "brokerfuzz", *words]
    return subprocess.Popen(
        limited, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.every(5)
@pytest.mark.parametrize("kind", FILES)
def test_a_device_or_a_named_pipe_instead_of_a_file_is_one_line(tmp_path: Path, kind: str) -> None:
    running = []
    for name in ("device", "pipe"):
        folder = tmp_path / name
        folder.mkdir()
        other = folder / ("hooks.py" if kind == "hooks" else "report.json")
        if name == "pipe":
            os.mkfifo(other)
        else:
            other.symlink_to("/dev/zero")
        running.append(_started(folder, FILES[kind](folder, other)))
    for process in running:
        with process:
            stderr = process.communicate(timeout=60)[1]
        assert (process.returncode, len(stderr.splitlines())) == (2, 1), stderr
        assert stderr.startswith("brokerfuzz: ")
