"""Reports that cannot be written: the result is printed all the same, and the exit status is 2."""

import asyncio
import re
import shutil
from collections.abc import Iterator
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
