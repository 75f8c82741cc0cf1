import json
from pathlib import Path
from typing import Any

import pytest
from campaign_documents import document, documents, finding, recorded
from fixture_types import Run
from hypothesis import example, given

from brokerfuzz.reports.report_files import REPORTS, read_report, write_reports

DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]


def test_reports_with_very_long_texts_are_small_and_messages_can_be_nested_very_deeply(folder: Path) -> None:
    long = "\x00`]]>\U0001f600" * 250_000
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
