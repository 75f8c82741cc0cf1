import re
import shlex
import subprocess
import sys
from inspect import cleandoc

import click
import pytest
from fixture_types import Run

from brokerfuzz.cli import commands

SLOW = {
    "--help": (
        "hypothesis",
        "jsonschema_rs",
        "orjson",
        "aiohttp",
        "asyncio",
        "importlib.metadata",
        "brokerfuzz.schemas",
    ),
    "fire --help": ("hypothesis", "aiohttp", "asyncio", "jinja2", "brokerfuzz.campaign", "brokerfuzz.targets"),
}
"""Modules that load slowly, and that the help does not need."""


def every(group: click.Group, *before: str) -> dict[str, click.Command]:
    """Maps the name of each command, such as `corpus show`, to the command."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found[" ".join([*before, name])] = command
        found |= every(command, *before, name) if isinstance(command, click.Group) else {}
    return found


EVERY = every(commands)


@pytest.mark.parametrize("name", ["", *EVERY])
def test_every_command_has_help_of_80_columns_with_an_example(run: Run, name: str) -> None:
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    assert f"brokerfuzz {name}".rstrip() in result.stdout
    assert re.search(r"Examples?:|Begin with:", result.stdout)
    assert not [line for line in result.stdout.splitlines() if len(line) > 80 and "brokerfuzz" not in line]


@pytest.mark.parametrize("words", SLOW)
def test_help_imports_nothing_slow(words: str) -> None:
    call = f"import sys\nfrom brokerfuzz.cli import commands\ntry:\n    commands({words.split()!r})\n"
    program = f"{call}finally:\n    print([m for m in {SLOW[words]!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def examples() -> list[str]:
    lines = [line for command in [commands, *EVERY.values()] for line in cleandoc(command.help or "").splitlines()]
    return [line.strip() for line in lines if line.startswith("  brokerfuzz ")]


def test_the_commands_can_parse_the_examples() -> None:
    for example in examples():
        words = shlex.split(re.split(r" \| | && |\s{2,}| > ", example)[0])[1:]
        name = max((name for name in EVERY if words[: len(name.split())] == name.split()), key=len)
        EVERY[name].make_context(name, words[len(name.split()) :])


def test_brokerfuzz_without_a_command_shows_the_help(run: Run) -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: brokerfuzz")
