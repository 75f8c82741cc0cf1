"""How brokerfuzz writes journals and folders."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, serving

import brokerfuzz

SOME: Final[Any] = {"rules": ["*orderMinimum:minimum"], "shrink": 0}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(answers(conforming)) as url:
        yield url


@pytest.mark.parametrize("workers", [1, 2])
def test_a_journal_needs_only_flags_that_every_system_has(
    url: str, workers: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_CLOEXEC")
    brokerfuzz.fire(url, journal="run.ndjson", workers=workers, **SOME)
    assert Path("run.ndjson").read_bytes().endswith(b"\n")


def test_an_export_of_a_folder_does_not_flush_all_file_systems(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync() -> None:
        raise AssertionError("os.sync() waits for all programs of the machine")

    monkeypatch.setattr(os, "sync", sync)
    assert run("export", "tests", "--format", "pytest", "--rule", "*orderMinimum:*").exit_code == 0
    assert any(Path("tests").iterdir())
