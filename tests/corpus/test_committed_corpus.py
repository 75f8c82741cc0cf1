from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from brokerfuzz.corpus import load
from brokerfuzz.corpus.bundled_corpus import DATA
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType

each_type = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@each_type
def test_the_committed_corpus_is_what_export_writes_today(
    run: Callable[..., Result], tmp_path: Path, message_type: MessageType
) -> None:
    run("export", tmp_path / "new.ndjson", "--message", message_type)
    name = f"{message_type}.ndjson"
    same = (tmp_path / "new.ndjson").read_bytes() == (DATA / name).read_bytes()
    assert same, "it is out of date: regenerate it with `python -m tests.regenerate`"


def test_the_committed_corpus_is_small_enough_for_a_repository() -> None:
    lines = [line for path in DATA.iterdir() for line in path.read_bytes().splitlines(keepends=True)]
    assert sum(map(len, lines)) < 2_500_000
    assert max(map(len, lines)) < 64 * 1024


def test_selected_faults_come_with_their_twins() -> None:
    chosen = load("offer-creation-request", rules=["*pageCount:minimum"])
    faults = [case for case in chosen if case.faults]
    assert faults
    assert {case.id for case in chosen} == {case.id for case in faults} | {case.twin_id for case in faults}
    only = load("offer-creation-request", rules=["*pageCount:minimum"], verdicts=["invalid"])
    assert only == faults
    assert all(case.twin is not None for case in only)
