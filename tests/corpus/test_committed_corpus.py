import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from brokerfuzz.corpus import load
from brokerfuzz.corpus.bundled_corpus import DATA
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract

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


@each_type
def test_each_rule_is_broken_and_each_fault_follows_its_twin(message_type: MessageType) -> None:
    cases = load(message_type)
    assert {fault.rule for case in cases for fault in case.faults} == {
        rule.id for rule in load_contract().rules[message_type]
    }
    seen: set[str] = set()
    for case in cases:
        assert (case.label == "invalid") == bool(case.faults)
        assert not case.faults or case.twin_id in seen
        seen.add(case.id)


@each_type
@pytest.mark.parametrize("year", [2001, 9899])
def test_each_case_keeps_its_label(message_type: MessageType, year: int) -> None:
    now = datetime(year, 1, 1, tzinfo=UTC)
    for case in load(message_type):
        assert check(message_type, case.body, now=now, headers=case.headers).label == case.label, case.id


def test_selected_faults_come_with_their_twins() -> None:
    chosen = load("offer-creation-request", rules=["*pageCount:minimum"])
    faults = [case for case in chosen if case.faults]
    assert faults
    assert all(fault.rule.endswith("pageCount:minimum") for case in faults for fault in case.faults)
    assert {case.id for case in chosen} == {case.id for case in faults} | {case.twin_id for case in faults}


def test_faults_selected_by_verdict_keep_their_twin() -> None:
    faults = load("offer-pricing-response", verdicts=["invalid"])
    assert {case.label for case in faults} == {"invalid"}
    assert all(case.twin is not None for case in faults)


def test_an_unknown_name_raises_an_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'offer-creation-request'"):
        load("offer-creation")
    with pytest.raises(UnknownNameError, match="unknown technique 'one-belwo': did you mean 'one-below'"):
        load("offer-creation-request", techniques=["one-belwo"])
    with pytest.raises(UnknownNameError, match="unknown verdict 'Invalid': did you mean 'invalid'\\?"):
        load("offer-pricing-response", verdicts=["Invalid"])  # type: ignore[list-item]


def test_loading_does_not_require_hypothesis() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from brokerfuzz.corpus import load\n"
        "assert len(load('product-list-response', verdicts=['invalid'])) > 100"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "options", [{"verdicts": "invalid"}, {"rules": "*:minimum"}, {"techniques": "one-below"}, {"sites": "number"}]
)
def test_a_single_string_instead_of_a_list_is_an_error(options: Any) -> None:
    with pytest.raises(TypeError, match="use a list or tuple, also for a single value"):
        load("offer-pricing-response", **options)
