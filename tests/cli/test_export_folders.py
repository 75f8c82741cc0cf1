"""Folders are written file by file: the files of the user stay, and nothing outside the folder changes."""

import json
from pathlib import Path

import pytest
from fixture_types import Run, Start
from waiting import happens

pytestmark = pytest.mark.usefixtures("folder")

SOME = ("--message", "offer-pricing-response", "--random", "12", "--format", "files")


def files(folder: str) -> dict[str, bytes]:
    path = Path(folder)
    return {found.relative_to(path).as_posix(): found.read_bytes() for found in path.rglob("*") if found.is_file()}


def test_neither_a_manifest_nor_a_link_leads_an_export_elsewhere(run: Run) -> None:
    run("export", "out", *SOME)
    Path("mine").write_text("mine")
    Path("out/link").symlink_to(Path().absolute())
    manifest = json.loads(Path("out/manifest.json").read_text())
    names = ["../mine", str(Path("mine").absolute()), "link/mine", "a\0b", "offer-pricing-response"]
    Path("out/manifest.json").write_text(json.dumps({**manifest, "files": names}))
    assert run("export", "out", *SOME, "--force").exit_code == 0
    Path("out/cases.ndjson").unlink()
    Path("out/cases.ndjson").symlink_to("../mine")
    result = run("export", "out", *SOME, "--force")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "out/cases.ndjson is a link to a place outside the folder: remove the link" in result.stderr
    Path("out/cases.ndjson").unlink()
    Path("out/.manifest-names").unlink()
    Path("out/.manifest-names").symlink_to("../new")
    assert run("export", "out", *SOME, "--force").exit_code == 2
    assert Path("mine").read_text() == "mine"
    assert not Path("new").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine", "mine"),
        ("manifest.json", '{"manifest_version": 3, "name": "mine"}'),
        *(("manifest.json", text) for text in ("[]", "{", "[" * 9999, '{"format": "files"}', '{"files": 5}')),
    ],
)
def test_a_folder_with_other_files_or_a_damaged_manifest_is_never_replaced(run: Run, name: str, text: str) -> None:
    Path("out").mkdir()
    Path("out", name).write_text(text)
    result = run("export", "out", *SOME, "--force")
    assert (result.exit_code, len(result.stderr.splitlines()), "not " in result.stderr) == (2, 1, True)
    assert files("out") == {name: text.encode()}


def test_a_killed_export_is_recognised_and_the_next_one_removes_its_files(start: Start, run: Run) -> None:
    run("export", "out", *SOME)
    Path("out/mine.txt").write_text("mine")
    before = files("out")
    many = ("--message", "offer-pricing-response", "--random", "5000", "--format", "files", "--force")
    with start("export", "out", *many) as process:
        assert happens(lambda: len(files("out")) > len(before) + 100)
        process.kill()
    assert "is not complete, because its export was interrupted" in run("corpus", "verify", "out").stderr
    assert len(files("out")) > len(before) + 100
    assert run("export", "out", *SOME).exit_code == 0
    assert files("out") == before
