"""Standard streams that are closed or full, and reports that cannot be written."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import response, serving
from pricing_reader import PRICING

import brokerfuzz
from brokerfuzz.errors import ReportError
from brokerfuzz.reports.report_files import REPORTS
from brokerfuzz.schemas import check

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
    for redirections in ("2>/dev/full", "<&- 2>&-"):
        without_errors = run_in_a_shell(environment, redirections, *args)
        assert (without_errors.returncode, without_errors.stdout, without_errors.stderr) == (status, complete, b"")


def test_no_file_gets_the_descriptor_of_a_closed_stream(run: Run, environment: Mapping[str, str], folder: Path) -> None:
    run("export", "whole.ndjson", *EXPORT)
    run_in_a_shell(environment, ">&- 2>&- <&-", "export", "out.ndjson", *EXPORT)
    assert (folder / "out.ndjson").read_bytes() == (folder / "whole.ndjson").read_bytes()


@pytest.mark.every(2)
@pytest.mark.parametrize("redirections", ["<&- >&- 2>&-", ">&- 2>&-"])
def test_a_campaign_works_without_standard_streams(
    environment: Mapping[str, str], folder: Path, redirections: str
) -> None:
    some = ("--rule", "*orderMinimum:minimum", "--technique", "one-below", "--shrink", "off")
    fire = ("fire", "--exec", "true", *some, "--report", "a.json")
    assert run_in_a_shell(environment, redirections, *fire).returncode == 1
    assert json.loads((folder / "a.json").read_text())["outcome"]["status"] == 1


# -------------------------------------------------------------------------------------------------------------- reports

SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum")


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """Yields the URL of a correct service that removes the folder `gone` when it gets a message."""
    gone = folder / "gone"
    gone.mkdir()

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        shutil.rmtree(gone, ignore_errors=True)
        writer.write(response(422 if check(PRICING, body).label == "invalid" else 200))

    with serving(behave) as served:
        yield served


def test_files_that_cannot_be_written_are_named_after_the_result_and_all_others_are_written(run: Run, url: str) -> None:
    written = [f"written{suffix}" for suffix in REPORTS]
    reports = [word for path in ("gone/a.md", *written) for word in ("--report", path)]
    for as_json in ((), ("--json",)):
        Path("gone").mkdir(exist_ok=True)
        done = run("fire", url, *SOME, *as_json, *reports, "--baseline", "gone/known.json", "--baseline-update")
        assert done.exit_code == 2
        assert re.search(r"no findings in \d+ cases", done.stdout)
        for path in ("gone/a.md", "gone/known.json"):
            assert f"{path} cannot be written (No such file" in done.stderr
        for path in written:
            assert re.search(r"no findings in \d+ cases", Path(path).read_text().replace("`", ""))
            Path(path).unlink()
    Path("gone").mkdir()
    with pytest.raises(ReportError, match=r"gone/a\.md cannot be written"):
        brokerfuzz.fire(url, PRICING, rules=SOME[3:], reports=["gone/a.md"])


def test_a_report_without_a_suffix_is_markdown_like_the_summary_of_a_job_at_github(run: Run, folder: Path) -> None:
    words = ("fire", "--demo", "--rule", "*orderMinimum:minimum")
    Path("step_summary_5").write_text("")
    assert run(*words, "--report", "step_summary_5", "--report", "a.md").exit_code == 0
    assert Path("step_summary_5").read_text() == Path("a.md").read_text()
