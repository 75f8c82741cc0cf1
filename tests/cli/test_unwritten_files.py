"""Reports that cannot be written: the result is printed all the same, and the exit status is 2."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import response, serving
from pricing_reader import PRICING

from brokerfuzz.reports import findings_page
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


def test_a_configuration_that_cannot_be_written_gives_status_2_and_a_report(run: Run, url: str) -> None:
    probes = ("--message", PRICING, "--tag", "probe:integer-form")
    done = run("fire", url, *probes, "--config", "gone/settings.toml", "--write-config", "--report", "kept.md")
    assert done.exit_code == 2
    assert "gone/settings.toml" in Path("kept.md").read_text()


KILLED: Final = """\
import os, signal, sys
from brokerfuzz import cli
from brokerfuzz.reports import markdown
markdown.report = lambda document: os.kill(os.getpid(), signal.SIGKILL)
cli.main()
"""


def test_a_process_that_is_killed_while_it_writes_a_report_has_printed_the_result(url: str) -> None:
    command = [sys.executable, "-c", KILLED, "fire", url, *SOME, "--report", "a.md"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert re.match(rf"no findings in \d+ cases at {url}\n", done.stdout)


@pytest.mark.parametrize(("problem", "status"), [(TypeError("no report"), 2), (KeyboardInterrupt(), 130)])
def test_neither_a_bug_in_a_report_nor_ctrl_c_suppresses_the_result(
    run: Run, url: str, monkeypatch: pytest.MonkeyPatch, problem: BaseException, status: int
) -> None:
    def fails(document: object) -> str:
        raise problem

    monkeypatch.setattr(findings_page, "report", fails)
    done = run("fire", url, *SOME, *reports("a.html", "kept.md"), "--json")
    assert done.exit_code == status
    assert "no findings" in json.loads(done.stdout)["outcome"]["headline"]
    if status == 2:
        said = " ".join(done.stderr.split())
        assert "a.html cannot be written: this is a bug in brokerfuzz (TypeError: no report)" in said
        assert Path("kept.md").exists()
