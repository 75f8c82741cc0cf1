import json
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from fixture_types import Run, Start
from hand_made_programs import shown_on_a_terminal

from brokerfuzz import Case, catalogue, check, corpus
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

pytestmark = pytest.mark.usefixtures("folder")

OFFERS = ("--message", "offer-creation-request")
PRICING = ("--message", "offer-pricing-response")
MINIMUM = (*PRICING, "--rule", "*quantity:minimum")


def faults(out: str) -> set[tuple[str, str]]:
    return {(fault.rule, fault.technique) for case in corpus.read(out) for fault in case.faults}


# ---------------------------------------------------------------------------------------------------- which cases


@pytest.mark.long
def test_full_writes_the_whole_catalogue_and_large_all_of_its_faults(run: Run) -> None:
    assert run("export", "whole", *PRICING, "--full").exit_code == 0
    assert [case.id for case in corpus.read("whole")] == [case.id for case in catalogue("offer-pricing-response")]
    run("export", "least", *PRICING, "--large")
    assert faults("least") == faults("whole")


@pytest.mark.parametrize(
    "message_type", [MESSAGE_TYPES[2], *(pytest.param(name, marks=pytest.mark.long) for name in MESSAGE_TYPES[:2])]
)
def test_the_seeds_for_fuzzers_are_few_but_break_every_rule(run: Run, message_type: MessageType) -> None:
    run("export", "out", "--message", message_type, "--format", "fuzz-seeds")
    seeds = [path.read_bytes() for path in Path("out", "seeds", message_type).iterdir()]
    assert 50 <= len(seeds) <= 250
    broken = {entry.rule for seed in seeds for entry in check(message_type, seed).broken}
    assert broken == {rule.id for rule in load_contract().rules[message_type]}


UNTESTABLE: dict[str, Callable[[dict[str, Any]], object]] = {
    "number": lambda properties: properties["number"].update(minLength=5, maxLength=4),
    "availableStartDate": lambda properties: properties["availableStartDate"].update(maxLength=10),
    "orderMinimum:exclusiveMaximum": lambda properties: properties["orderMinimum"].update(exclusiveMaximum=1 << 40),
}
"""Contracts that nobody can test, by the place that the error names."""


@pytest.mark.parametrize("place", UNTESTABLE)
@pytest.mark.every(3)
def test_an_export_of_a_contract_that_cannot_be_tested_names_the_place(run: Run, tmp_path: Path, place: str) -> None:
    contract = tmp_path / "contract"
    contract.mkdir()
    changed_contract(contract, "offer-creation-request", lambda schema: UNTESTABLE[place](schema["properties"]))
    result = run("export", "out", *OFFERS, "--contract", contract)
    assert (result.exit_code, len(result.stderr.splitlines()), Path("out").exists()) == (2, 1, False)
    assert place in result.stderr


# ---------------------------------------------------------------------------------------------------- what is written


def test_the_summary_counts_written_and_omitted_cases(run: Run) -> None:
    syntax = (*OFFERS, "--rule", "*/:json")
    said = json.loads(run("export", "out", *syntax, "--format", "postman", "--json").stdout)
    again = run("export", "all", *syntax)
    written = sum(1 for _ in corpus.read("all"))
    assert sum(said["left_out"].values()) > 0
    assert said["cases"] + sum(said["left_out"].values()) == written
    assert said["cases"] == sum(said["messages"]["offer-creation-request"].values())
    assert again.stdout.startswith(f"{written:,} cases written to all ({Path('all').stat().st_size:,} bytes)\n")


def test_the_corpus_goes_to_standard_output_and_the_summary_to_standard_error(run: Run) -> None:
    done = run("export", "-", *MINIMUM)
    assert done.exit_code == 0
    assert "cases written to standard output" in done.stderr
    assert "\r" not in done.stderr, "no progress in a pipe"
    assert {json.loads(line)["verdict"] for line in done.stdout.splitlines()} == {"valid", "invalid"}


def test_a_closed_pipe_is_not_an_error(start: Start) -> None:
    with start("export", "-", *PRICING) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_terminal_shows_rate_and_time_left_on_one_line(environment: Mapping[str, str]) -> None:
    words = ("export", "out", *PRICING, "--random", "600")
    shown = shown_on_a_terminal([sys.executable, "-m", "brokerfuzz.cli", *words], environment)
    *drawn, summary = shown.split("\r\x1b[K")
    assert 0 < len(drawn) < 300, "a few updates per second"
    assert all(" per second, " in step and step.endswith(" left") for step in drawn[1:-1])
    assert " cases written to out (" in summary


@pytest.mark.parametrize("out", ["out.ndjson", "out"])
def test_a_full_disk_does_not_change_existing_files(run: Run, out: str) -> None:
    resource = pytest.importorskip("resource", reason="this system cannot set limits")
    form = ("--format", "files") if out == "out" else ()
    run("export", out, *MINIMUM, *form)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        result = run("export", out, *PRICING, *form, "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.exit_code == 2
    assert "cannot be written (File too large)" in result.stderr
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


# ---------------------------------------------------------------------------------------------------- the current time


def has_expired(case: Case) -> bool:
    later = datetime(2026, 1, 1, tzinfo=UTC)
    return check(case.message_type, case.body, now=later).label != case.label


@pytest.mark.parametrize("form", ["ndjson", "files"])
def test_cases_about_the_clock_name_their_time_and_verify_finds_those_that_have_expired(run: Run, form: str) -> None:
    timestamp = (*OFFERS, "--rule", "lastUpdatedDateTimeUtc")
    run("export", "without", *timestamp)
    run("export", "with", *timestamp, "--clock", "--now", "2025-06-15T12:00:00Z", "--format", form)
    without = {case.id for case in corpus.read("without")}
    added = [case for case in corpus.read("with") if case.id not in without]
    assert {fault.technique for case in added for fault in case.faults} >= {"hour-ahead", "minutes-ahead"}
    assert all("now:2025-06-15T12:00:00Z" in case.tags for case in added)
    assert run("corpus", "verify", "with", "--now", "2025-06-15T12:00:00Z").stdout.endswith("no problems found\n")
    verified = run("corpus", "verify", "with", "--now", "2026-01-01T00:00:00Z")
    assert verified.exit_code == 1
    expired = sum(map(has_expired, added))
    assert verified.stdout.splitlines()[-1].endswith(f"cases judged again, {expired} expired cases found")
    assert (
        verified.stdout.count("was generated for 2025-06-15T12:00:00Z: at 2026-01-01T00:00:00Z, its verdict is ") == 5
    )
