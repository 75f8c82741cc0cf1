"""Compares the reports of a recorded campaign with files that people can read.

The campaign tested a server with four mistakes: it crashes on `"orderMaximum": null`, accepts strings for some numbers,
accepts an order minimum of 0, and a firewall rejects wrong comments. `UPDATE_GOLDEN=1 pytest tests/reports` writes the
files again after an intended change.
"""

import io
import os
from pathlib import Path
from typing import Any

import pytest
from campaign_documents import CAMPAIGN, GOLDEN, recorded

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


def test_known_findings_are_not_printed_and_quiet_shows_only_the_outcome() -> None:
    document = recorded()
    first, *others = document["findings"]
    text = printed({**document, "findings": [{**first, "state": "known"}, *others]})
    assert first["name"] not in text
    assert all(finding["text"] in text for finding in others)
    assert printed(document, quiet=True).split() == f"{document['outcome']['headline']} at {document['target']}".split()


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
