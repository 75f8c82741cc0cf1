"""The command in this process, and small corpora."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from brokerfuzz.cli import commands


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs a command in this process."""

    def invoke(*args: object, text: str = "", color: bool = False) -> Result:
        result = CliRunner().invoke(commands, [str(arg) for arg in args], input=text, color=color)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Writes lines to a file in the current folder; gives its name."""
    monkeypatch.chdir(tmp_path)

    def text(name: str, *lines: str) -> str:
        Path(name).write_text("".join(f"{line}\n" for line in lines))
        return name

    return text
