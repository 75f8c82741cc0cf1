"""README's examples run, and its commands exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [shlex.split(line, comments=True) for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_examples_run(number: int, tmp_path: Path) -> None:
    example = tmp_path / "test_example.py"
    example.write_text(PYTHON[number] + "\n\ndef test_that_it_was_read():\n    pass\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "-W", "error", str(example)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [words for words in COMMANDS if words[:1] == ["brokerfuzz"]], ids=" ".join)
def test_commands_have_the_options_that_are_shown(command: list[str]) -> None:
    """With `--help` behind it a command is parsed and not run."""
    done = subprocess.run([sys.executable, "-m", *command, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_there_are_examples_of_both() -> None:
    assert len(PYTHON) >= 2
    assert len(COMMANDS) >= 6
