"""Files from before version 0.1.0 contain outdated names. Each file is rejected with one line that names the new name or version."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run

RECORD: dict[str, Any] = {
    "id": "0" * 16, "message": "offer-creation-request", "verdict": "valid", "faults": [], "silences": [], "tags": [], "twin": None, "body": {},
}  # fmt: skip
FILES: dict[str, tuple[str, Any, list[str], str]] = {
    "a corpus": ("old.ndjson", RECORD, ["corpus", "verify", "{}"], "`silences`, which is now `ambiguities`"),
    "a report": ("old.json", {"silences": [], "findings": []}, ["replay", "{}", "http://127.0.0.1:9/"], "`silences`, which is now `ambiguities`"),
    "a journal": (
        "old.journal",
        {"journal": 1, "stances": {}},
        ["fire", "http://127.0.0.1:9/", "--resume", "{}"],
        "1, but this version of brokerfuzz reads only version",
    ),
    "a baseline": (
        "old-baseline.json",
        {"baseline": 1, "findings": []},
        ["fire", "--demo", "--baseline", "{}"],
        "reads only baselines of version 3, not 1",
    ),
}
"""Maps a kind of file to its name, its content, a command that reads the file ({} is the path), and the expected error."""


@pytest.mark.parametrize("kind", FILES)
def test_a_file_with_former_words_is_rejected_with_the_new_ones(run: Run, tmp_path: Path, kind: str) -> None:
    name, content, command, said = FILES[kind]
    path = tmp_path / name
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")
    result = run(*(word.format(path) for word in command))
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_contract_folder_with_a_former_file_name_is_rejected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "silences.json").write_text("[]", encoding="utf-8")
    result = run("rules", "--contract", tmp_path)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "rename it to ambiguities.json" in result.stderr
