import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")


def test_a_terminal_shows_rate_and_time_left_on_one_line(environment: Mapping[str, str], tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "brokerfuzz.cli",
        "export",
        str(tmp_path / "out"),
        "--message",
        "offer-pricing-response",
        "--count",
        "4000",
    ]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = _all(ours).decode()
    assert process.returncode == 0
    *drawn, summary = shown.split("\r\x1b[K")
    assert drawn[1] == "generating the catalogue ..."
    steps = [
        re.fullmatch(r"([\d,]+) of ([\d,]+) cases, [\d,]+ per second, \d+:\d\d left", step) for step in drawn[2:-1]
    ]
    assert steps
    assert all(steps)
    assert len(steps) < 300, "a few updates per second"
    assert re.match(r"[\d,]+ cases written to .* \([\d,]+ bytes in [\d.]+ s\)", summary)
    assert shown.count("\n") == 2, (
        "only the summary and its one message type end a line; the progress rewrites one line"
    )


def _all(terminal: int) -> bytes:
    """Reads the output of the terminal until the terminal is closed."""
    shown = b""
    try:
        while chunk := os.read(terminal, 65536):
            shown += chunk
    except OSError:
        pass
    return shown
