import json
from base64 import b64decode
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from fixture_types import Run, Spawn, Start

from brokerfuzz import check, corpus
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.corpus.reading import records
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

pytestmark = pytest.mark.usefixtures("folder")

NOW = "2025-06-15T12:00:00Z"
SMALL = ("--message", "product-list-response")


def test_full_writes_the_whole_catalogue_of_every_message(run: Run) -> None:
    assert run("export", "out.ndjson", "--full", "--clock", "--now", NOW).exit_code == 0
    written = Counter(record.message_type for record in records("out.ndjson"))
    assert written == {
        message_type: sum(1 for _ in catalogue(message_type, now=datetime.fromisoformat(NOW)))
        for message_type in MESSAGE_TYPES
    }


def test_the_same_seed_gives_the_same_corpus(run: Run) -> None:
    for name in ("one", "two"):
        run("export", name, *SMALL, "--message", "offer-creation-request", "--random", "--count", 50, "--seed", 3)
    assert Path("one").read_bytes() == Path("two").read_bytes()
    run("export", "three", *SMALL, "--message", "offer-creation-request", "--random", "--count", 50, "--seed", 4)
    assert Path("three").read_bytes() != Path("one").read_bytes()


def test_only_cases_with_the_chosen_verdicts_are_written(run: Run) -> None:
    run("export", "out", *SMALL, "--verdict", "valid", "--verdict", "unspecified", "--count", 20)
    assert {case.label for case in corpus.read("out")} == {"valid", "unspecified"}


def test_random_faults_come_after_their_twins(run: Run) -> None:
    run("export", "out", *SMALL, "--random", "--count", 60)
    cases = list(corpus.read("out"))
    faults = [case for case in cases if len(case.faults) == 1]
    assert faults
    assert all(case.twin is not None for case in faults)
    assert len({case.id for case in cases}) == len(cases)


def test_random_generates_a_hundred_cases_by_default(run: Run) -> None:
    run("export", "out", *SMALL, "--random")
    tagged = [case for case in corpus.read("out") if "random" in case.tags]
    assert 90 <= len(tagged) <= 100  # duplicates are not written


def test_the_summary_counts_the_cases(run: Run) -> None:
    summary = json.loads(run("export", "out", *SMALL, "--json").stdout)
    assert summary["out"] == "out"
    assert (
        summary["cases"]
        == sum(summary["messages"]["product-list-response"].values())
        == len(Path("out").read_bytes().splitlines())
    )
    assert run("export", "again", *SMALL).stdout.startswith(
        f"{summary['cases']:,} cases written to again ({summary['bytes']:,} bytes)\n"
    )


def test_the_corpus_goes_to_standard_output_and_the_summary_to_standard_error(spawn: Spawn) -> None:
    done = spawn("export", "-", *SMALL)
    assert done.returncode == 0
    assert b"cases written to standard output" in done.stderr
    Path("out").write_bytes(done.stdout)
    assert sum(1 for _ in corpus.read("out")) == len(done.stdout.splitlines())
    assert spawn("check", "--quiet", "-", body=done.stdout).returncode == 0


def test_a_closed_pipe_is_not_an_error(start: Start) -> None:
    with start("export", "-", *SMALL, "--count", "20000") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_an_existing_file_is_replaced_only_with_force(run: Run) -> None:
    Path("out").write_text("mine")
    result = run("export", "out", *SMALL)
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert Path("out").read_text() == "mine"
    assert run("export", "out", *SMALL, "--force").exit_code == 0
    assert sum(1 for _ in corpus.read("out"))


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="this system has no /dev/null")
def test_a_device_is_not_replaced(run: Run) -> None:
    assert run("export", "/dev/null", *SMALL, "--force").exit_code == 2


def test_an_export_without_cases_is_an_error_and_writes_nothing(run: Run) -> None:
    for args in (["--random", "--count", 0], ["--contract", "nowhere"]):
        assert run("export", "out", *args).exit_code == 2
    assert list(Path().iterdir()) == []


# ----------------------------------------------------------------------------------------------------------- choosing

PRICING = ("--message", "offer-pricing-response")


def faults(out: str) -> set[tuple[str, str]]:
    return {(fault.rule, fault.technique) for case in corpus.read(out) for fault in case.faults}


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


def test_the_default_export_with_large_messages_shows_the_same_faults_as_the_whole_catalogue(run: Run) -> None:
    run("export", "whole", *PRICING, "--full")
    run("export", "least", *PRICING, "--large")
    assert faults("least") == faults("whole")


def test_the_end_of_the_name_selects_the_compression(run: Run) -> None:
    for name in ("out.ndjson", "out.ndjson.gz", "out.ndjson.zst"):
        assert run("export", name, *PRICING).exit_code == 0
    ids = [[case.id for case in corpus.read(name)] for name in ("out.ndjson", "out.ndjson.gz", "out.ndjson.zst")]
    assert ids[0] == ids[1] == ids[2]
    assert Path("out.ndjson.zst").stat().st_size < Path("out.ndjson").stat().st_size / 5


@pytest.mark.parametrize("form", ["openapi", "json-schema-test-suite", "fuzz-seeds", "pytest"])
def test_the_summary_counts_written_and_omitted_cases(run: Run, form: str) -> None:
    out = "out.json" if form in ("openapi", "json-schema-test-suite") else "out"
    part = ("--full",) if form == "fuzz-seeds" else ()
    said = json.loads(run("export", out, *PRICING, *part, "--format", form, "--json").stdout)
    whole = json.loads(run("export", "all.ndjson", *PRICING, *part, "--json").stdout)
    assert said["cases"] + sum(said.get("left_out", {}).values()) == whole["cases"]
    assert said["cases"] == sum(said["messages"]["offer-pricing-response"].values())
    if form == "openapi":
        response = json.loads(Path("out.json").read_bytes())["components"]["responses"]["offer-pricing-response"]
        content = response["content"]["application/json"]
        assert said["cases"] == sum(
            len(content[name]) for name in ("examples", "x-invalid-examples", "x-unspecified-examples")
        )


def test_base64_writes_every_message_in_base64(run: Run) -> None:
    run("export", "usual", *PRICING)
    run("export", "raw", *PRICING, "--base64")
    assert list(corpus.read("raw")) == list(corpus.read("usual"))
    records = [json.loads(line) for line in Path("raw").read_bytes().splitlines()]
    assert [b64decode(record["raw"]) for record in records] == [case.body for case in corpus.read("usual")]
    assert not [record for record in records if "body" in record]


def test_plausible_messages_are_valid_mostly_different_and_the_same_in_shards(run: Run) -> None:
    args = (*PRICING, "--plausible", "--count", 1500, "--seed", 5)
    assert run("export", "whole", *args).exit_code == 0
    run("export", "parts", *args, "--shards", 3)
    cases = list(corpus.read("whole"))
    assert {case.label for case in cases} == {"valid"}
    assert len(cases) == 1500
    assert len({case.id for case in cases[:1000]}) == 1000
    assert len({case.id for case in cases}) > 1400
    assert [case.id for case in corpus.read(*sorted(Path().glob("parts-*")))] == [case.id for case in cases]
    assert b'"customerId":"CUS-4' in Path("whole").read_bytes()


def test_the_list_of_the_files_names_rule_technique_and_reason(run: Run) -> None:
    run("export", "out", *PRICING, "--format", "files", "--rule", "*quantity:minimum", "--technique", "one-below")
    valid, broken = (json.loads(line) for line in Path("out", "cases.ndjson").read_bytes().splitlines())
    assert [fault["technique"] for fault in broken["faults"]] == ["one-below"]
    assert broken["reason"].startswith(
        "Broken: offer-pricing-response/data.offers[].quantity:minimum at /data/offers/0/quantity"
    )
    assert valid["id"] == broken["twin"]
    assert [case.id for case in corpus.read("out")] == [valid["id"], broken["id"]]


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_seeds_for_fuzzers_are_few_but_break_every_rule(run: Run, message_type: MessageType) -> None:
    run("export", "out", "--message", message_type, "--format", "fuzz-seeds")
    seeds = [path.read_bytes() for path in Path("out", "seeds", message_type).iterdir()]
    assert 100 <= len(seeds) <= 200
    broken = {entry.rule for seed in seeds for entry in check(message_type, seed).broken}
    assert broken == {rule.id for rule in load_contract().rules[message_type]}


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("out", "--format", "nonsense"), "--format is 'nonsense': use ndjson, files"),
        (("out.json",), "specify one of them with --format (json-schema-test-suite, openapi)"),
        (("out.ndjson.bz2",), "use a name that ends in .ndjson"),
        (("out.csv",), "ends in .csv, which is not the suffix of any format"),
        (("out.nonsense.gz",), "ends in .nonsense, which is not the suffix of any format"),
        (("out.gz", "--format", "files"), "cannot be compressed, because the format `files` writes a folder"),
        (("-", "--format", "files"), "writes a folder: specify the name of a folder instead of -"),
        (("out", "--tag", "no-such-tag"), "no cases to write"),
        (("out", "--rule", "no-such-rule"), "unknown rule 'no-such-rule'"),
        (("out", "--site", "data.ofers"), "unknown site 'data.ofers': did you mean 'data.offers'"),
        (("out", "--verdict", "unspecified", "--technique", "one-below"), "no cases to write"),
        (("out", "--full", "--random"), "--full adds cases of the catalogue, but --random excludes these cases"),
        (("out", "--large", "--random"), "--large adds cases of the catalogue, but --random excludes these cases"),
        (("out", "--large", "--full"), "--full already includes the large messages: remove --large"),
        (("out", "--plausible", "--full"), "--plausible writes only random valid messages, in one process"),
        (
            ("out", "--plausible", "--verdict", "invalid"),
            "--plausible writes only random valid messages, in one process",
        ),
        (
            ("out", "--base64", "--format", "files"),
            "--base64 works only with the format `ndjson`, not with `files`: remove --base64",
        ),
    ],
)
def test_an_invalid_call_is_reported_in_one_line_and_writes_nothing(
    run: Run, args: tuple[str, ...], words: str
) -> None:
    result = run("export", *args, *PRICING)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("form", ["parquet", "files", "pytest"])
def test_a_filter_with_invalid_utf_8_is_recorded_as_escapes(run: Run, form: str) -> None:
    result = run("export", "out", *PRICING, "--format", form, "--tag", "!\udcff*")
    assert result.exit_code == 0, result.stderr
    noted = b"".join(path.read_bytes() for path in [Path("out"), *Path("out").rglob("*")] if path.is_file())
    assert b"udcff*" in noted


@pytest.mark.parametrize("out", ["out.ndjson", "out.ndjson.gz", "out"])
def test_a_full_disk_does_not_change_existing_files(run: Run, out: str) -> None:
    resource = pytest.importorskip("resource", reason="this system cannot set limits")
    form = ("--format", "files") if out == "out" else ()
    run("export", out, *PRICING, *form)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
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
    result = run("export", "out", *PRICING, "--format", "files", "--force")
    assert (result.exit_code, "not " in result.stderr) == (2, True)
    assert [path.read_text() for path in Path("out").iterdir()] == [text]


@pytest.mark.parametrize(
    "more", [(), ("--format", "files"), ("--shards", 2), ("--shards", 2, "--resume", "--format", "files")]
)
@pytest.mark.parametrize("out", [".", "..", "/", "", "folder/.."])
def test_a_path_without_a_name_is_rejected(run: Run, out: str, more: tuple[str, ...]) -> None:
    Path("folder").mkdir()
    result = run("export", out, *PRICING, *more)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "does not end in the name of a file or folder" in result.stderr
    assert [path.name for path in Path().iterdir()] == ["folder"]
