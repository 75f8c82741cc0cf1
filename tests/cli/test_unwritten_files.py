"""Reports that cannot be written: the result is printed all the same, and the exit status is 2."""

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
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
    (gone / "settings.toml").touch()

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        shutil.rmtree(gone, ignore_errors=True)
        writer.write(response(422 if check(PRICING, body).label == "invalid" else 200))

    with serving(behave) as served:
        yield served


def reports(*paths: str) -> list[str]:
    return [word for path in paths for word in ("--report", path)]


def test_every_report_and_the_last_lines_say_which_files_could_not_be_written(run: Run, url: str) -> None:
    kept = [f"kept{suffix}" for suffix in REPORTS]
    baseline = ("--baseline", "gone/known.json", "--baseline-update")
    done = run("fire", url, *SOME, *reports(*kept, "gone/a.md"), *baseline)
    assert done.exit_code == 2
    assert re.match(r"no findings in \d+ cases at ", done.stdout)
    for path in kept:
        text = Path(path).read_text().replace("`", "")
        assert "2 files not written" in text, path
        assert "gone/a.md cannot be written" in text, path
        assert "gone/known.json cannot be written" in text, path
    for output in (done.stdout, done.stderr):
        assert "gone/a.md cannot be written: No such file" in " ".join(output.split())
    assert "not written" in done.stdout.partition("   campaign ")[2]


def test_files_that_cannot_be_written_are_named_even_with_quiet(run: Run, url: str) -> None:
    lost = [f"gone/a{suffix}" for suffix in REPORTS]
    done = run("fire", url, *SOME, *reports(*lost, "kept.json"), "--quiet")
    assert done.exit_code == 2
    assert [line.split()[1] for line in done.stderr.splitlines()] == lost
    outcome = json.loads(Path("kept.json").read_text())["outcome"]
    assert (outcome["status"], [problem.split()[0] for problem in outcome["unwritten"]]) == (2, lost)
