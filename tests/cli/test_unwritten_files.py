"""Reports that cannot be written: the result is printed all the same, and the exit status is 2."""

import asyncio
import re
import resource
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

from brokerfuzz.reports.report_files import REPORTS
from brokerfuzz.schemas import check

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


def test_every_report_and_the_last_lines_say_which_files_could_not_be_written(run: Run, url: str) -> None:
    kept = [f"kept{suffix}" for suffix in REPORTS]
    reports = [word for path in (*kept, "gone/a.md") for word in ("--report", path)]
    done = run("fire", url, *SOME, *reports, "--baseline", "gone/known.json", "--baseline-update")
    assert done.exit_code == 2
    assert re.match(r"no findings in \d+ cases at ", done.stdout)
    for path in kept:
        text = Path(path).read_text().replace("`", "")
        assert "2 files not written" in text, path
        assert "gone/a.md cannot be written" in text, path
        assert "gone/known.json cannot be written" in text, path
    for output in (done.stdout, done.stderr):
        assert "gone/a.md cannot be written (No such file" in " ".join(output.split())
    assert "not written" in done.stdout.partition("   campaign ")[2]


def test_a_complete_report_counts_as_written_even_if_the_disk_is_too_full_to_add_the_reports_that_failed(
    run: Run, environment: Mapping[str, str], folder: Path
) -> None:
    words = ("fire", "--demo", "--bug", "accepts-zero-order-minimum", "--rule", "*orderMinimum:minimum")
    assert run(*words, "--report", "a.md").exit_code == 1
    complete = Path("a.md").read_text()
    room = len(complete.encode()) + 20  # the times in the report differ
    done = subprocess.run(
        [sys.executable, "-B", "-m", "brokerfuzz", *words, "--report", "a.json", "--report", "a.md"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert done.returncode == 1
    assert "a.json cannot be written (File too large)" in done.stderr
    assert "a.md" not in done.stderr
    written, _, unwritten = done.stdout.partition("not written")
    assert "a.md" in written
    assert "a.json" in unwritten
    assert Path("a.md").read_text().splitlines()[0] == complete.splitlines()[0]
    assert not Path("a.json").exists()


def test_a_report_without_a_suffix_is_markdown_like_the_summary_of_a_job_at_github(run: Run, folder: Path) -> None:
    words = ("fire", "--demo", "--rule", "*orderMinimum:minimum")
    Path("step_summary_5").write_text("")
    assert run(*words, "--report", "step_summary_5", "--report", "a.md").exit_code == 0
    assert Path("step_summary_5").read_text() == Path("a.md").read_text()
