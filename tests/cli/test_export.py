import json
import sys
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fixture_types import Run, Spawn, Start
from hand_made_programs import shown_on_a_terminal

from brokerfuzz import Case, catalogue, check, corpus
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

pytestmark = pytest.mark.usefixtures("folder")

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


def test_random_cases_depend_on_the_seed_and_come_after_their_twins(run: Run) -> None:
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        run("export", name, *PRICING, "--random", "--seed", seed)
    assert Path("one").read_bytes() == Path("two").read_bytes()
    assert Path("three").read_bytes() != Path("one").read_bytes()
    cases = list(corpus.read("one"))
    assert 90 <= sum("random" in case.tags for case in cases) <= 100  # a hundred, without duplicates
    assert all(case.twin is not None for case in cases if len(case.faults) == 1)
    assert len({case.id for case in cases}) == len(cases)


@pytest.mark.parametrize(
    ("random", "choice"), [("--count=0", "--site=data.offers[].quantity"), ("--random", "--rule=*quantity:minimum")]
)
def test_only_the_chosen_faults_and_their_twins_are_written(run: Run, random: str, choice: str) -> None:
    assert run("export", "out", *PRICING, random, choice, "--count", 40, "--technique", "!zero*").exit_code == 0
    assert all(
        "data.offers[].quantity:" in rule and not technique.startswith("zero") for rule, technique in faults("out")
    )
    singles = [case for case in corpus.read("out") if len(case.faults) == 1]
    assert singles
    assert all(case.twin is not None for case in singles)


@pytest.mark.parametrize(
    "message_type", [MESSAGE_TYPES[2], *(pytest.param(name, marks=pytest.mark.long) for name in MESSAGE_TYPES[:2])]
)
def test_the_seeds_for_fuzzers_are_few_but_break_every_rule(run: Run, message_type: MessageType) -> None:
    run("export", "out", "--message", message_type, "--format", "fuzz-seeds")
    seeds = [path.read_bytes() for path in Path("out", "seeds", message_type).iterdir()]
    assert 50 <= len(seeds) <= 250
    broken = {entry.rule for seed in seeds for entry in check(message_type, seed).broken}
    assert broken == {rule.id for rule in load_contract().rules[message_type]}


# ---------------------------------------------------------------------------------------------------- what is written


@pytest.mark.parametrize("form", ["openapi", "json-schema-test-suite", "fuzz-seeds", "pytest"])
def test_the_summary_counts_written_and_omitted_cases(run: Run, form: str) -> None:
    part = ("--full",) if form == "fuzz-seeds" else ()
    said = json.loads(run("export", "out", *MINIMUM, *part, "--format", form, "--json").stdout)
    again = run("export", "all", *MINIMUM, *part)
    written = sum(1 for _ in corpus.read("all"))
    assert said["cases"] + sum(said.get("left_out", {}).values()) == written
    assert said["cases"] == sum(said["messages"]["offer-pricing-response"].values())
    assert again.stdout.startswith(f"{written:,} cases written to all ({Path('all').stat().st_size:,} bytes)\n")


def test_base64_writes_every_message_in_base64(run: Run) -> None:
    run("export", "usual", *MINIMUM)
    run("export", "raw", *MINIMUM, "--base64")
    records = [json.loads(line) for line in Path("raw").read_bytes().splitlines()]
    bodies = [case.body for case in corpus.read("usual")]
    assert bodies == [case.body for case in corpus.read("raw")] == [b64decode(record["raw"]) for record in records]


def test_the_list_of_the_files_names_rule_technique_and_reason(run: Run) -> None:
    run("export", "out", *MINIMUM, "--technique", "one-below", "--format", "files")
    valid, broken = (json.loads(line) for line in Path("out", "cases.ndjson").read_bytes().splitlines())
    assert [fault["technique"] for fault in broken["faults"]] == ["one-below"]
    assert broken["reason"].startswith(
        "Broken: offer-pricing-response/data.offers[].quantity:minimum at /data/offers/0/quantity"
    )
    assert [case.id for case in corpus.read("out")] == [valid["id"], broken["id"]] == [broken["twin"], broken["id"]]


def test_the_corpus_goes_to_standard_output_and_the_summary_to_standard_error(spawn: Spawn) -> None:
    done = spawn("export", "-", *MINIMUM)
    assert done.returncode == 0
    assert b"cases written to standard output" in done.stderr
    assert b"\r" not in done.stderr, "no progress in a pipe"
    assert {json.loads(line)["verdict"] for line in done.stdout.splitlines()} == {"valid", "invalid"}


def test_a_closed_pipe_is_not_an_error(start: Start) -> None:
    with start("export", "-", *PRICING, "--random", "--count", "20000") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_terminal_shows_rate_and_time_left_on_one_line(environment: Mapping[str, str]) -> None:
    words = ("export", "out", *PRICING, "--random", "--count", "3000")
    shown = shown_on_a_terminal([sys.executable, "-m", "brokerfuzz.cli", *words], environment)
    *drawn, summary = shown.split("\r\x1b[K")
    steps = drawn[1:-1]
    assert 0 < len(steps) < 300, "a few updates per second"
    assert all(step.endswith(" left") and " cases, " in step and " per second, " in step for step in steps)
    assert " cases written to out (" in summary
    assert shown.count("\n") == 2, "only the summary and its one message type end a line"


# ---------------------------------------------------------------------------------------------------- existing files


@pytest.mark.parametrize("out", ["out.ndjson", "out.ndjson.gz", "out"])
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
    assert "cannot be written: File too large" in result.stderr
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine", "mine"),
        ("manifest.json", '{"manifest_version": 3, "name": "mine"}'),
        ("manifest.json", '["brokerfuzz"]'),
        ("manifest.json", "[" * 9999),
    ],
)
def test_a_folder_with_other_files_is_never_replaced(run: Run, name: str, text: str) -> None:
    Path("out").mkdir()
    Path("out", name).write_text(text)
    result = run("export", "out", *MINIMUM, "--format", "files", "--force")
    assert (result.exit_code, "not " in result.stderr) == (2, True)
    assert [path.read_text() for path in Path("out").iterdir()] == [text]


# ---------------------------------------------------------------------------------------------------- the current time

OFFERS = ("--message", "offer-creation-request")
CLOCK = ("--clock", "--now", "2025-06-15T12:00:00Z")
TIMESTAMP = ("--site", "lastUpdatedDateTimeUtc")


def label_at(year: int, case: Case) -> str:
    return check(case.message_type, case.body, now=datetime(year, 1, 1, tzinfo=UTC), headers=case.headers).label


def test_the_option_adds_cases_about_the_clock_with_their_time(run: Run) -> None:
    run("export", "without.ndjson", *OFFERS, *TIMESTAMP)
    run("export", "with.ndjson", *OFFERS, *TIMESTAMP, *CLOCK)
    without = {case.id for case in corpus.read("without.ndjson")}
    added = [case for case in corpus.read("with.ndjson") if case.id not in without]
    assert {fault.technique for case in added for fault in case.faults} >= {"hour-ahead", "minutes-ahead"}
    assert all("now:2025-06-15T12:00:00Z" in case.tags for case in added)


@pytest.mark.parametrize("form", ["ndjson", "files"])
def test_verify_counts_expired_cases_and_shows_the_first(run: Run, form: str) -> None:
    run("export", "a", "--format", form, *OFFERS, *TIMESTAMP, *CLOCK)
    expired = [case for case in corpus.read("a") if label_at(2026, case) != case.label]
    assert run("corpus", "verify", "a", "--now", "2025-06-15T12:00:00Z").stdout.endswith("no problems found\n")
    verified = run("corpus", "verify", "a", "--now", "2026-01-01T00:00:00Z")
    assert verified.exit_code == 1
    lines = verified.stdout.splitlines()
    assert lines[-1].endswith(f"cases judged again, {len(expired)} expired cases found")
    assert lines[0].startswith("The verdicts of expired cases are no longer correct at 2026-01-01T00:00:00Z.")
    said = "was generated for 2025-06-15T12:00:00Z: at 2026-01-01T00:00:00Z, its verdict is "
    assert sum(said in line for line in lines) == 5
    data = json.loads(run("corpus", "verify", "a", "--now", "2026-01-01T00:00:00Z", "--json").stdout)
    assert (data["wrong"], data["expired"]["count"], len(data["expired"]["first"])) == ([], len(expired), 5)
