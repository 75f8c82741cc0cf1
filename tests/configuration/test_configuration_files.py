import subprocess
import sys
from pathlib import Path

import pytest

from brokerfuzz.configuration import find, load
from brokerfuzz.errors import ConfigurationError

OURS, OTHERS = "[tool.brokerfuzz]\n", "[tool.ruff]\n"


def put(folder: Path, name: str, text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The top folder of a repository. brokerfuzz does not search the parents of such a folder."""
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_a_folder_without_a_configuration_finds_none(top: Path) -> None:
    put(top, "pyproject.toml", OTHERS)
    assert find(top / "a/b") is None


def test_the_nearest_configuration_is_found(top: Path) -> None:
    far, near = put(top, "brokerfuzz.toml"), put(top / "a/b", "pyproject.toml", OURS)
    put(top / "a/b/c", "pyproject.toml", OTHERS)
    put(top / "a/b/d", "pyproject.toml", '[project]\ndependencies = ["brokerfuzz"]\n')
    assert find(top / "a/b/c") == near
    assert find(top / "a/b/d") == near
    assert find(top / "a") == far


def test_brokerfuzz_toml_takes_precedence_over_pyproject_toml(top: Path) -> None:
    put(top, "pyproject.toml", OURS)
    path = put(top, "brokerfuzz.toml")
    assert find(top) == path


def test_a_folder_named_brokerfuzz_toml_is_ignored(top: Path) -> None:
    (top / "brokerfuzz.toml").mkdir()
    assert find(top) is None


@pytest.mark.parametrize("worktree", [True, False])
def test_folders_above_the_repository_are_not_searched(top: Path, worktree: bool) -> None:
    put(top, "brokerfuzz.toml")
    inner = top / "inner"
    if worktree:
        put(inner, ".git")
    else:
        (inner / ".git").mkdir(parents=True)
    assert find(inner / "deeper") is None
    assert find(inner) is None
    assert find(inner / "deeper") != find(put(inner, "brokerfuzz.toml").parent)


def test_without_a_repository_only_the_folder_itself_is_searched(tmp_path: Path) -> None:
    path = put(tmp_path, "brokerfuzz.toml")
    (tmp_path / "inner").mkdir()
    assert find(tmp_path) == path
    assert find(tmp_path / "inner") is None


def test_the_parents_of_a_relative_folder_are_searched(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "a").mkdir()
    monkeypatch.chdir(top / "a")
    path = put(top, "brokerfuzz.toml")
    assert find(Path()) == path


def test_an_invalid_pyproject_is_skipped_unless_it_mentions_brokerfuzz(top: Path) -> None:
    put(top, "pyproject.toml", "[tool.ruff\n")
    assert find(top) is None
    put(top, "pyproject.toml", "[tool.brokerfuzz\n")
    with pytest.raises(ConfigurationError, match="line 1, column"):
        find(top)


@pytest.mark.parametrize("text", ["tool = 5", "[tool]\nother = 'brokerfuzz'", "[[tool]]\nname = 'brokerfuzz'"])
def test_a_pyproject_without_our_table_is_not_a_configuration(top: Path, text: str) -> None:
    path = put(top, "pyproject.toml", text)
    assert find(top) is None
    with pytest.raises(ConfigurationError, match=r"has no \[tool\.brokerfuzz\]"):
        load(path)


def test_a_configuration_can_have_any_name(tmp_path: Path) -> None:
    path = put(tmp_path, "night.toml", "[cases]\nseed = 5\n")
    assert load(path).values == {"cases": {"seed": 5}}
    assert load(path).path == path


def test_a_byte_order_mark_and_any_line_endings_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "brokerfuzz.toml").write_bytes(b"\xef\xbb\xbf[cases]\r\nseed = 5\r\n")
    assert load(tmp_path / "brokerfuzz.toml").values == {"cases": {"seed": 5}}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[cases]\nseed = 5 5\n", r"is not TOML \(expected newline .*line 2, column 10"),
        (b"[cases]\nseed = 5\nseed = 6\n", r"is not TOML \(.*line 3, column"),
        (b"[cases]\nnow = 2025-02-30\n", r"is not TOML \(.*line 2, column"),
        (b"[cases]\nnow = 'a", r"is not TOML"),
        (b"[cases]\n\nnow = '\xff'\n", r"is not TOML: byte 17 is not UTF-8"),
        (b"seed = " + b"9" * 5000, r"has a number that is too long"),
        (b"seed = " + b"[" * 50_000, r"arrays that are nested too deeply"),
    ],
    ids=[
        "an extra word",
        "a duplicate key",
        "an impossible date",
        "an unclosed string",
        "not UTF-8",
        "a long number",
        "a deep array",
    ],
)
def test_the_error_about_invalid_toml_names_the_position(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "brokerfuzz.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=words) as caught:
        load(tmp_path / "brokerfuzz.toml")
    assert str(caught.value).isprintable()


def test_an_unreadable_file_is_rejected(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.toml", tmp_path):
        with pytest.raises(ConfigurationError, match=r"cannot be read: .*; specify another file"):
            load(path)


def test_the_repr_of_a_configuration_shows_only_its_path(tmp_path: Path) -> None:
    path = put(tmp_path, "brokerfuzz.toml", "[target]\nurl = 'http://user:hunter2@host/'\n")
    assert repr(load(path)) == f"Configuration({str(path)!r})"


def test_importing_the_package_imports_nothing_slow() -> None:
    slow = (
        "'tomllib', 'tomlkit', 'jsonschema_rs', 'hypothesis', 'orjson', 'brokerfuzz.schemas', "
        "'brokerfuzz.atomic_files', 'dataclasses'"
    )
    code = f"import sys, brokerfuzz.configuration; sys.exit(', '.join(sorted({{{slow}}} & set(sys.modules))))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr.strip() == ""
    )
