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
