import json
import re
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run, Spawn
from pricing_reader import PRICING

from brokerfuzz.campaign.journal import records

SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum")


@pytest.fixture(autouse=True)
def _coloured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def test_quiet_prints_only_the_outcome(run: Run, url: str) -> None:
    words = ("fire", url, *SOME, "--report", "r.json", "--journal", "run.ndjson", "--write-config")
    done = run(*words, "-q")
    assert (done.exit_code, done.stderr) == (1, "")
    text = done.stdout
    assert " ".join(text.split()) == f"{json.loads(Path('r.json').read_text())['outcome']['headline']} at {url}"
    loud = run("fire", url, *SOME).stdout
    assert loud.startswith(text)
    assert len(loud) > len(text)
    assert "findings" in json.loads(run("fire", url, *SOME, "-q", "--json").stdout)
    replayed = run("replay", "run.ndjson", url, "--quiet")
    assert (replayed.exit_code, replayed.stderr, replayed.stdout) == (1, "", "0 of 1 finding is gone, 1 still there\n")


def test_quiet_still_prints_errors(spawn: Spawn) -> None:
    done = spawn("fire", "http://127.0.0.1:1/", "--quiet")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, b"", 1)


def test_verbose_prints_each_answer(run: Run, url: str) -> None:
    done = run("fire", url, *SOME, "-v", "--journal", "run.ndjson")
    assert done.exit_code == 1
    lines, written = done.stderr.splitlines(), list(records("run.ndjson"))
    assert len(lines) == len(written) > 10
    for line, record in zip(lines, written, strict=True):
        assert re.match(rf"\d+\.\d\d s  {record.key.phase} {record.key.number}  ", line)
        assert line.endswith(f": {record.answer.kind} ({record.answer.reason})")
    assert len(run("fire", url, *SOME, "-v").stderr.splitlines()) == len(written)


def test_verbose_excludes_workers(run: Run, url: str) -> None:
    result = run("fire", url, *SOME, "-v", "--workers", "2", "--journal", "run.ndjson")
    assert (result.exit_code, Path("run.ndjson").exists()) == (2, False)
    assert "--verbose works neither with --workers" in result.stderr


@pytest.mark.parametrize(
    "words",
    [["fire", "URL", *SOME], ["replay", "run.ndjson", "URL"], ["check", "offer.json"], ["explain", "one-below"]],
)
def test_colours_depend_on_the_terminal_and_on_the_environment(
    run: Run, spawn: Spawn, url: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("offer.json").write_text('{"number": ""}')
    assert run("fire", url, *SOME, "--journal", "run.ndjson").exit_code == 1
    words = [url if word == "URL" else word for word in words]
    assert "\x1b[" not in run(*words).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run(*words).stdout
    if words[0] == "check":
        assert b"\x1b[" in spawn(*words, env={"FORCE_COLOR": "1"}).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(*words).stdout


def test_a_campaign_that_ends_early_prints_the_command_that_continues_it(run: Run, url: str) -> None:
    done = run("fire", url, *SOME, "--journal", "run 1.ndjson", "--max-findings", "1")
    assert "brokerfuzz fire TARGET --resume 'run 1.ndjson'" in done.stdout
    done = run("fire", url, "--resume", "run 1.ndjson")
    assert "--resume" not in done.stdout


def test_a_resumed_campaign_says_that_the_journal_is_about_another_target(run: Run, url: str) -> None:
    assert run("fire", url, *SOME, "--journal", "run.ndjson", "--max-findings", "1", "--no-preflight").exit_code == 1
    assert "another target" not in run("fire", url, "--resume", "run.ndjson", "--no-preflight").stderr
    other = url.replace("/offers", "/others")
    assert (
        f"another target ({url}): the campaign continues with {other}"
        in run("fire", other, "--resume", "run.ndjson", "--no-preflight").stderr
    )


def test_a_campaign_without_a_journal_that_ends_early_says_how_to_make_one(run: Run, url: str) -> None:
    done = run("fire", url, *SOME, "--max-findings", "1")
    assert "impossible without a journal: add --journal FILE next time" in done.stdout
