"""`export` writes corpora, whole or not at all."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from brokerfuzz import corpus
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.schemas import MESSAGE_TYPES

Run = Callable[..., Result]
Spawn = Callable[..., subprocess.CompletedProcess[bytes]]
Start = Callable[..., subprocess.Popen[bytes]]

NOW = "2025-06-15T12:00:00Z"
SMALL = ("--message", "product-list-response")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_catalogue_of_every_message_is_written(run: Run) -> None:
    assert run("export", "out.ndjson").exit_code == 0
    written = Counter(case.message_type for case in corpus.read("out.ndjson"))
    assert written == {message_type: sum(1 for _ in catalogue(message_type)) for message_type in MESSAGE_TYPES}


def test_a_time_makes_it_the_same_tomorrow(run: Run) -> None:
    for name in ("one", "two"):
        run("export", name, *SMALL, "--message", "offer-creation-request", "--now", NOW, "--count", 50, "--seed", 3)
    assert Path("one").read_bytes() == Path("two").read_bytes()
    run("export", "three", *SMALL, "--now", NOW, "--count", 50, "--seed", 4)
    assert Path("three").read_bytes() != Path("one").read_bytes()


def test_only_the_verdicts_that_are_wanted(run: Run) -> None:
    run("export", "out", *SMALL, "--verdict", "valid", "--verdict", "unspecified", "--count", 20)
    assert {case.label for case in corpus.read("out")} == {"valid", "unspecified"}


def test_random_cases_come_with_their_twins_before_them(run: Run) -> None:
    run("export", "out", *SMALL, "--random", "--count", 60)
    cases = list(corpus.read("out"))
    faults = [case for case in cases if len(case.faults) == 1]
    assert faults
    assert all(case.twin is not None for case in faults)
    assert len({case.id for case in cases}) == len(cases)


def test_random_alone_makes_a_hundred(run: Run) -> None:
    run("export", "out", *SMALL, "--random")
    tagged = [case for case in corpus.read("out") if "random" in case.tags]
    assert 90 <= len(tagged) <= 100  # a case that came before is not written again


def test_the_summary_counts(run: Run) -> None:
    summary = json.loads(run("export", "out", *SMALL, "--json").stdout)
    assert summary["out"] == "out"
    assert summary["cases"] == sum(summary["messages"]["product-list-response"].values()) == len(Path("out").read_bytes().splitlines())
    assert run("export", "again", *SMALL).stdout.startswith(f"{summary['cases']:,} cases written to again ({summary['bytes']:,} bytes)\n")


def test_standard_output_takes_the_corpus_and_standard_error_the_summary(spawn: Spawn) -> None:
    done = spawn("export", "-", *SMALL)
    assert done.returncode == 0
    assert b"cases written to standard output" in done.stderr
    Path("out").write_bytes(done.stdout)
    assert sum(1 for _ in corpus.read("out")) == len(done.stdout.splitlines())
    assert spawn("check", "--quiet", "-", body=done.stdout).returncode == 0


def test_a_pipe_that_closes_is_no_error(start: Start) -> None:
    with start("export", "-") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_file_that_is_there_is_replaced_by_force_alone(run: Run) -> None:
    Path("out").write_text("mine")
    result = run("export", "out", *SMALL)
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert Path("out").read_text() == "mine"
    assert run("export", "out", *SMALL, "--force").exit_code == 0
    assert sum(1 for _ in corpus.read("out"))


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null here")
def test_a_device_is_not_replaced(run: Run) -> None:
    assert run("export", "/dev/null", *SMALL, "--force").exit_code == 2


def test_no_case_is_an_error_and_leaves_nothing(run: Run) -> None:
    for args in (["--random", "--count", 0], ["--contract", "nowhere"]):
        assert run("export", "out", *args).exit_code == 2
    assert list(Path().iterdir()) == []
