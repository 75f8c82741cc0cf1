import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixture_types import Run

EXPORT = ("--message", "offer-pricing-response", "--rule", "*:minimum")


def run_in_a_shell(
    environment: Mapping[str, str], redirections: str, *args: str
) -> "subprocess.CompletedProcess[bytes]":
    line = f'"$@" {redirections}'
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "brokerfuzz", *args],
        env=environment,
        capture_output=True,
        check=False,
    )


@pytest.mark.every(2)
@pytest.mark.parametrize("args", [("rules",), ("export", "-", *EXPORT)])
def test_output_that_cannot_be_written_is_reported_in_one_line(
    environment: Mapping[str, str], args: tuple[str, ...]
) -> None:
    done = run_in_a_shell(environment, ">/dev/full", *args)
    assert done.returncode == 2
    assert done.stderr.startswith(b"brokerfuzz: the output cannot be read or written: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("args", "status"), [(("check", "bad.json"), 1), (("rules", "--nonsense"), 2), (("export", "-", *EXPORT), 0)]
)
@pytest.mark.every(3)
def test_a_closed_standard_error_changes_neither_the_output_nor_the_exit_status(
    run: Run, environment: Mapping[str, str], folder: Path, args: tuple[str, ...], status: int
) -> None:
    (folder / "bad.json").write_text('{"number":1,"offerType":"Email"}')
    complete = run(*args).stdout_bytes
    for redirections in ("2>&-", "2>/dev/full", "<&- 2>&-"):
        without_errors = run_in_a_shell(environment, redirections, *args)
        assert (without_errors.returncode, without_errors.stdout, without_errors.stderr) == (status, complete, b"")


def test_no_file_gets_the_descriptor_of_a_closed_stream(run: Run, environment: Mapping[str, str], folder: Path) -> None:
    run("export", "whole.ndjson", *EXPORT)
    run_in_a_shell(environment, ">&- 2>&- <&-", "export", "out.ndjson", *EXPORT)
    assert (folder / "out.ndjson").read_bytes() == (folder / "whole.ndjson").read_bytes()


@pytest.mark.parametrize("redirections", ["<&- >&- 2>&-", ">&- 2>&-"])
def test_a_campaign_works_without_standard_streams(
    environment: Mapping[str, str], folder: Path, redirections: str
) -> None:
    some = ("--rule", "*orderMinimum:minimum", "--technique", "one-below", "--shrink", "off")
    fire = ("fire", "--exec", "true", *some, "--report", "a.json")
    assert run_in_a_shell(environment, redirections, *fire).returncode == 1
    assert json.loads((folder / "a.json").read_text())["outcome"]["status"] == 1
