"""Compares the reports of a recorded campaign with files that people can read, and reads reports.

The campaign tested a server with four mistakes: it crashes on `"orderMaximum": null`, accepts strings for some numbers,
accepts an order minimum of 0, and a firewall rejects wrong comments. `UPDATE_GOLDEN=1 pytest tests/reports` writes the
files again after an intended change.
"""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from campaign_documents import CAMPAIGN, GOLDEN, document, documents, finding, recorded
from fixture_types import Run
from hypothesis import example, given

from brokerfuzz.reports import terminal
from brokerfuzz.reports.report_files import REPORTS, read_report, write_reports

FILES = [f"report{suffix}" for suffix in REPORTS if suffix != ".json"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(document: dict[str, Any], stream: io.StringIO | None = None, **options: Any) -> str:
    stream = stream or io.StringIO()
    terminal.show(document, stream, **options)
    return stream.getvalue()


def check_golden(name: str, text: str) -> None:
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_a_report_in_a_file_is_as_expected(name: str, tmp_path: Path) -> None:
    assert write_reports([str(tmp_path / name)], read_report(CAMPAIGN)) == {}
    check_golden(name, (tmp_path / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
def test_the_report_on_the_terminal_is_as_expected(verbose: bool) -> None:
    name = "terminal-verbose" if verbose else "terminal"
    check_golden(name, printed(recorded(), verbose=verbose))


def test_a_campaign_with_many_findings_fits_on_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    document = recorded()
    many = [{**finding, "text": f"{finding['text']} {'and so on ' * 9}"} for finding in document["findings"] * 40]
    long = {**document, "findings": many, "stopped": "the limit " * 12}
    assert many[0]["text"].strip() in printed(long), "a file or pipe has the whole text"
    text = printed(long, Terminal(), report="my findings.json")
    screen = text.partition(" rejections unproven")[0].splitlines()[:-2]
    assert len(screen) <= 24
    assert all(len(line) <= 80 for line in screen)
    assert screen[0].startswith(document["outcome"]["headline"])
    assert f"   next          brokerfuzz explain {many[0]['name']} 'my findings.json'" in screen


def test_a_finding_that_has_grown_begins_with_what_is_new() -> None:
    document = recorded()
    *_, last = document["findings"]
    grown = {**last, "state": "grown", "new": ["accepts orderMinimum:minimum negative"]}
    line = f"1. now also accepts orderMinimum:minimum negative; known: {last['text']}"
    assert line in printed({**document, "findings": [grown]})


def test_a_terminal_gets_colours_unless_they_are_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> str:
        return printed(recorded(), Terminal())

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" in shown()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown()


# ------------------------------------------------------------------------------------------------------ reading reports

DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]


def test_reports_with_very_long_texts_are_small_and_messages_can_be_nested_very_deeply(folder: Path) -> None:
    long = "\x00`]]>\U0001f600" * 30_000
    got = {**finding()["got"], "response": long, "reason": long}
    names = [f"findings{suffix}" for suffix in REPORTS]
    assert (
        write_reports(names, document(finding(sentence=long, got=got, reproduce=long, smallest={"body": long}))) == {}
    )
    assert Path("findings.md").stat().st_size < 100_000
    assert Path("findings.xml").stat().st_size < 200_000
    assert write_reports(["a.json"], document(finding(smallest={"body": DEEP[0][0]}))) == {}
    assert read_report("a.json")["findings"][0]["smallest"] == {"body": DEEP[0][0]}


@given(documents())
@example(document(finding(reproduce="\ud800\udfff")))
def test_a_written_report_can_be_read(tmp_path_factory: pytest.TempPathFactory, hostile: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "findings.json"
    assert write_reports([str(path)], hostile) == {}
    assert read_report(path) == json.loads(json.dumps(hostile))  # JSON joins two adjacent halves of a surrogate pair


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a value at line 1, column 1"),
        ("[]", "[] is not of type"),
        ("[" * 200_000, "is not a report (the data is nested too deeply)"),
        (json.dumps({**recorded(), "seconds": float("nan")}), "expected a value at line 1, column"),
        (json.dumps({**recorded(), "cases": -1}), "/cases: -1 is less than the minimum of 0"),
        (json.dumps({**recorded(), "extra": "\ud800\n"}), "('extra' was unexpected)"),
        (json.dumps({**recorded(), "target": DEEP}), "is not a report"),
        (json.dumps(document(finding(kind="other\n"))), "/findings/0/kind: "),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_error_about_an_invalid_report_names_the_place(run: Run, text: str, why: str) -> None:
    Path("a.json").write_text(text)
    result = run("replay", "a.json", "http://127.0.0.1:1/")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert why in result.stderr
    assert len(result.stderr) < 700
