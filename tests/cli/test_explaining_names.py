import json
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fixture_types import Run
from hand_made_servers import answers, serving
from pricing_reader import BUG, PRICING, lenient

from brokerfuzz.cli import commands
from brokerfuzz.explaining import every_name
from brokerfuzz.schemas import load_contract
from brokerfuzz.service.bugs import BUGS

MINIMUM: Final = "offer-creation-request/orderMinimum:minimum"
NOW: Final = ("--now", "2026-01-01T00:00:00Z")
FILES: Final = ("run.ndjson", "report.json", "known.json")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the journals, the report, the baseline and the corpus of a campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    some = ("--message", PRICING, "--rule", BUG)
    with serving(answers(lenient)) as url:
        files = ("--journal", "run.ndjson", "--report", "report.json", "--baseline", "known.json", "--baseline-update")
        words = ["fire", url, *some, *NOW, "--shrink", "10s", *files]
        done = CliRunner().invoke(
            commands, [str(folder / word) if word.endswith((".json", ".ndjson")) else word for word in words]
        )
        assert done.exit_code == 0, done.stderr
    assert CliRunner().invoke(commands, ["export", str(folder / "corpus.ndjson"), *some, "--full"]).exit_code == 0
    return folder


@pytest.fixture
def finding(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the folder of the campaign the current folder, and returns the finding in the report."""
    monkeypatch.chdir(campaign)
    return json.loads(Path("report.json").read_text())["findings"][0]


# ---------------------------------------------------------------------------------------------------- names


def test_a_bug_is_explained_with_a_command_that_shows_it(run: Run) -> None:
    problems = []
    for name, bug in BUGS.items():
        lines = run("explain", name).stdout.splitlines()
        if lines[0] != f"{name} (bug)" or bug.text not in lines or f"fire --demo --bug {name}`" not in lines[-1]:
            problems.append((name, lines))
    assert problems == []
    assert json.loads(run("explain", "accepts-zero-order-minimum", "--json").stdout)["rules"] == [MINIMUM]


def test_a_part_of_a_name_lists_everything_that_contains_it(run: Run) -> None:
    for part in ("orderMinimum", "ORDERMINIMUM", "accepts-zero", "cron"):
        wanted = [one.name for one in every_name(load_contract()) if part.lower() in one.name.lower()]
        assert len(wanted) > 1
        result = run("explain", part)
        assert result.exit_code == 0
        assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == wanted
        assert [match["name"] for match in json.loads(run("explain", part, "--json").stdout)["matches"]] == wanted


@pytest.mark.parametrize("name", ["orderMinimum:minimum", "offer-pricing-response/orderMinimum:minimum"])
def test_a_rule_is_recognised_without_its_message_type_or_with_another_one(run: Run, name: str) -> None:
    result = run("explain", name)
    assert result.exit_code == 0
    assert result.stdout == run("explain", MINIMUM).stdout
    assert MINIMUM in result.stderr


# --------------------------------------------------------------------------------------------------- cases and findings


@pytest.mark.parametrize("file", FILES)
def test_a_finding_is_explained_from_a_journal_a_report_or_a_baseline(run: Run, finding: Any, file: str) -> None:
    for digits in (8, 16):
        result = run("explain", finding["fingerprint"][:digits], file)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.startswith(f"{finding['fingerprint'][:8]} (")
        assert finding["sentence"] in result.stdout
    said = json.loads(run("explain", finding["fingerprint"], file, "--json").stdout)
    assert said["finding"].items() >= {"name": finding["name"], "sentence": finding["sentence"]}.items()


@pytest.mark.parametrize("files", [(), ("corpus.ndjson",), ("run.ndjson",), ("report.json", "run.ndjson")])
def test_a_case_is_explained_from_the_catalogue_a_corpus_or_a_journal(
    run: Run, finding: Any, files: tuple[str, ...]
) -> None:
    case = finding["case"]["id"]
    result = run("explain", case, *files, *NOW)
    assert result.exit_code == 0, result.stderr
    assert BUG.partition("/")[2] in result.stdout
    if "report.json" not in files:
        assert result.stdout.startswith(f"{case}  invalid {PRICING}")
        assert ("The target answered: accepted (status 200)" in result.stdout) == (files[-1:] == ("run.ndjson",))
