import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import copy

import pytest
from click.testing import CliRunner
from fixture_types import Run
from hypothesis import settings

from brokerfuzz.cli import commands

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.rotated(2)
def test_the_python_examples_run(tmp_path: Path) -> None:
    for number, example in enumerate(PYTHON):
        text = f"{example}\n\ndef test_that_it_was_read():\n    pass\n"
        (tmp_path / f"test_example_{number}.py").write_text(text, encoding="utf-8")
    profile = f"settings.register_profile('few', settings.get_profile('ci'), max_examples={settings().max_examples})"
    (tmp_path / "conftest.py").write_text(f"from hypothesis import settings\n{profile}\nsettings.load_profile('few')\n")
    plugin = ["-p", "brokerfuzz.testing.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugin, "-c", "/dev/null", "-W", "error", str(tmp_path)]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "true"}  # CI: Hypothesis does not measure time
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=alone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"test_example_{number}.py ." in done.stdout for number in range(len(PYTHON)))


CHECKED = Path(__file__).parent / "readme"
"""Copies of the Python examples in the README. mypy (with `--strict`) and pyright check the copies, like all tests."""


def write_copies() -> None:
    """Copies the Python examples from the README to `CHECKED`. Run `python tests/test_readme.py` after a change of the
    README.
    """
    for path in CHECKED.glob("*.py"):
        path.unlink()
    for number, code in enumerate(PYTHON, 1):
        (CHECKED / f"example_{number:02}.py").write_text(f"# ruff: noqa\n# fmt: off\n{code}", encoding="utf-8")


def test_the_types_of_the_python_examples_are_checked() -> None:
    copies = [path.read_text(encoding="utf-8").split("\n", 2)[2] for path in sorted(CHECKED.glob("*.py"))]
    assert copies == PYTHON, "run `python tests/test_readme.py` to update the copies"


OURS = [words for words in COMMANDS if words[:1] == ["brokerfuzz"]]
ELSEWHERE = [words for words in OURS if any(word.startswith("http://") for word in words)]
FOUND = 1


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the journal of a campaign with findings."""
    folder = tmp_path_factory.mktemp("campaign")
    some = ("--bug", "accepts-zero-page-count", "--rule", "*pageCount:minimum", "--technique", "one-below")
    path = folder / "run.ndjson"
    assert CliRunner().invoke(commands, ["fire", "--demo", *some, "--journal", str(path)]).exit_code == FOUND
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a small corpus of offers."""
    path = tmp_path_factory.mktemp("corpus") / "offers.ndjson"
    some = ("--message", "offer-creation-request", "--random", "--count", "20")
    assert CliRunner().invoke(commands, ["export", str(path), *some]).exit_code == 0
    return path


HERE = [words for words in OURS if words not in ELSEWHERE]
LARGE = "10000"
SHORTENED = [["200" if word == LARGE else word for word in words] for words in HERE]
"""The commands with a smaller corpus, because generating 10,000 cases takes too long. Long runs also use the large
corpus.
"""


OFTEN, NOW_AND_THEN = ([words for words in SHORTENED if ("--demo" in words) == long] for long in (False, True))
MARKED = [
    *(pytest.param(words, marks=pytest.mark.rotated(3)) for words in NOW_AND_THEN),
    *(pytest.param(words, marks=pytest.mark.long) for words in HERE if LARGE in words),
]


@pytest.mark.parametrize("command", [*OFTEN, *MARKED], ids=" ".join)
def test_the_commands_run(
    command: list[str], tmp_path: Path, journal: Path, corpus: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(journal, tmp_path)
    copy(corpus, tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("offer.json").write_text('{"number": "OFF-1", "offerType": "Email"}', encoding="utf-8")
    done = run(*command[1:], *(["--force"] if "export" in command else []))
    assert done.exit_code == (FOUND if "--bug" in command else 0), done.output
    assert done.stdout


@pytest.mark.parametrize("command", ELSEWHERE, ids=" ".join)
def test_commands_for_a_service_of_the_reader_are_valid(
    command: list[str], tmp_path: Path, journal: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No server listens at the address. brokerfuzz reports the missing server only if all other parts of the command
    are valid.
    """
    if "run.ndjson" in command and "--journal" not in command:
        copy(journal, tmp_path)
    monkeypatch.chdir(tmp_path)
    done = run(*[re.sub(r"^http://[^/]*", "http://127.0.0.1:1", word) for word in command[1:]])
    assert done.exit_code == 2
    assert "127.0.0.1:1" in done.stderr
    assert "(see brokerfuzz" not in done.stderr


def test_the_readme_has_examples_for_python_and_the_shell() -> None:
    assert len(PYTHON) >= 2
    assert len(COMMANDS) >= 6


if __name__ == "__main__":
    write_copies()
