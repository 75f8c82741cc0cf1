import errno
import json
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from campaign_documents import document, documents, finding
from hypothesis import example, given
from sampled import sample

from brokerfuzz import storage
from brokerfuzz.errors import ReportError
from brokerfuzz.reports import report_files
from brokerfuzz.reports.report_files import REPORTS, check_paths, read_report, write_all

ENDS = list(REPORTS)


@pytest.fixture
def here(tmp_path: Path) -> Callable[[str], str]:
    return lambda name: str(tmp_path / name)


# --------------------------------------------------------------------------------------------------- before a campaign


def test_the_end_of_a_name_selects_the_format(here: Callable[[str], str]) -> None:
    check_paths([here(f"findings{end}") for end in REPORTS])
    check_paths([here("FINDINGS.JSON")])


@pytest.mark.parametrize("name", ["findings", "findings.pdf", "findings.json.gz", ".json"])
def test_the_error_about_an_unknown_ending_lists_the_known_ones(name: str, here: Callable[[str], str]) -> None:
    with pytest.raises(ReportError, match=r"does not end with the suffix of a report") as rejection:
        check_paths([here("a.json"), here(name)])
    assert all(end in str(rejection.value) for end in REPORTS)


def test_a_report_needs_an_existing_folder_and_a_file_name(here: Callable[[str], str], tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="does not exist; create it"):
        check_paths([here("none/findings.xml")])
    (tmp_path / "folder.xml").mkdir()
    with pytest.raises(ReportError, match="is a folder"):
        check_paths([here("folder.xml")])
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.xml")
        with pytest.raises(ReportError, match="is not a file"):
            check_paths([here("pipe.xml")])


def test_an_unwritable_folder_is_reported_before_the_campaign(
    here: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ReportError, match="no write permission in the folder"):
        check_paths([here("findings.xml")])


@pytest.mark.parametrize("end", [".py", ".har"])
def test_a_report_that_requires_http_is_rejected_for_other_targets(end: str, here: Callable[[str], str]) -> None:
    check_paths([here(f"findings{end}")])
    with pytest.raises(ReportError, match="requires an HTTP target"):
        check_paths([here(f"findings{end}")], http=False)


# ----------------------------------------------------------------------------------------------------------- writing


def test_a_full_disk_is_reported_and_the_other_reports_are_written(
    here: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def full(path: Path) -> Any:
        if path.suffix == ".xml":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with storage.written(path) as stream:
            yield stream

    monkeypatch.setattr(report_files, "written", full)
    written, problems = write_all([here("findings.xml"), here("findings.md"), here("findings.json")], document())
    assert written == [here("findings.md"), here("findings.json")]
    assert problems == [
        (
            f"{here('findings.xml')} cannot be written: No space left on device; specify a file in a writable folder with "
            "enough disk space"
        )
    ]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["findings.json", "findings.md"]


def test_an_impossible_report_is_reported_and_the_others_are_written(
    here: Callable[[str], str], tmp_path: Path
) -> None:
    paths = [here("findings.har"), here("none/findings.md"), here("findings.xml")]
    written, problems = write_all(paths, document(target="node validate.js", request=None))
    assert written == [here("findings.xml")]
    assert problems[0].startswith(f"{here('findings.har')} cannot be written: a HAR file requires an HTTP target")
    assert problems[1].startswith(f"{here('none/findings.md')} cannot be written: No such file or directory")
    assert "\n" not in "".join(problems)
    assert [file.name for file in tmp_path.iterdir()] == ["findings.xml"]


@sample(250_000, 1_250_000)
def test_reports_with_very_long_texts_are_written(here: Callable[[str], str], size: int) -> None:
    long = "\x00`]]>\U0001f600" * size
    found = finding(
        sentence=long,
        got={**finding()["got"], "response": long, "reason": long},
        reproduce=long,
        smallest={"body": long},
    )
    paths = [here(f"findings{end}") for end in ENDS]
    write_all(paths, document(findings=[found]))
    sizes = {Path(path).suffix: Path(path).stat().st_size for path in paths}
    assert sizes[".md"] < 100_000
    assert sizes[".xml"] < 200_000


# ----------------------------------------------------------------------------------------------------------- reading


@given(documents)
@example(document(findings=[finding(reproduce="\ud800\udfff")]))
def test_a_written_report_can_be_read(tmp_path_factory: pytest.TempPathFactory, hostile: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "findings.json"
    write_all([str(path)], hostile)
    assert read_report(path) == json.loads(json.dumps(hostile))  # JSON joins two adjacent halves of a surrogate pair
    assert path.read_text(encoding="utf-8").isascii()


DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]


NO_REPORTS = [
    ("", "Expecting value"),
    ("{", "is not a report"),
    ("[]", "at the root: "),
    ("{}", "at the root: "),
    ("\xff", "is not a report"),
    ("[" * 200_000, "is not a report (the data is nested too deeply)"),
    (json.dumps(document(seconds=float("nan"))), "NaN is not JSON"),
    (json.dumps(document(cases=-1)), "at /cases: -1 is less than the minimum of 0"),
    (json.dumps(document(extra="\ud800\n")), "at the root: "),
    (json.dumps(document(target=DEEP)), "is not a report"),
    (json.dumps(document(findings=[finding(kind="other\n")])), "at /findings/0/kind: "),
    (json.dumps(document(findings=[finding(smallest={})])), "at /findings/0/smallest: "),
]


@pytest.mark.parametrize(("text", "why"), NO_REPORTS, ids=[why for _, why in NO_REPORTS])
def test_the_error_about_an_invalid_report_names_the_place(text: str, why: str, here: Callable[[str], str]) -> None:
    Path(here("a.json")).write_bytes(text.encode("latin-1"))
    with pytest.raises(ReportError) as rejection:
        read_report(here("a.json"))
    assert why in str(rejection.value)
    assert str(rejection.value).startswith(here("a.json"))
    assert str(rejection.value).isprintable()
    assert len(str(rejection.value)) < 600


def test_an_unreadable_file_is_reported(here: Callable[[str], str]) -> None:
    with pytest.raises(ReportError, match="cannot be read: No such file"):
        read_report(here("none.json"))
    with pytest.raises(ReportError, match="cannot be read: Is a directory"):
        read_report(here(""))


def test_a_message_in_a_document_can_be_nested_very_deeply(here: Callable[[str], str]) -> None:
    write_all([here("a.json")], document(findings=[finding(smallest={"body": DEEP[0][0]})]))
    assert read_report(here("a.json"))["findings"][0]["smallest"] == {"body": DEEP[0][0]}
