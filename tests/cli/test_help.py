"""The help of the commands, and how shells complete them."""

import re
import shlex
import shutil
import subprocess
import sys
from inspect import cleandoc
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
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


# ----------------------------------------------------------------------------------------------------------- completion

MINIMUM = "offer-creation-request/orderMinimum:minimum"


def completed(shell: str, *words: str) -> list[str]:
    """Returns the proposals of the shell for the last word, which is incomplete."""
    position = words[-1] if shell == "fish" else str(len(words) - 1)
    env = {"_BROKERFUZZ_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": position}
    done = CliRunner().invoke(commands, [], env=env)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


COMPLETIONS = {
    "e": {"explain", "export"},
    "fire --max-": {"--max-time"},
    "check --message offer-p": {"offer-pricing-response"},
    "export --verdict in": {"invalid"},
    "check --policy cron": {"cron-syntax=accepted", "cron-syntax=rejected"},
    "fire --bug accepts-zero-order": {"accepts-zero-order-minimum"},
    "explain offer-creation-request/orderMinimum:m": {MINIMUM, MINIMUM.replace("minimum", "maximum")},
    "explain one-b": {"one-below"},
    "explain cron": {"cron-syntax"},
    f"export --rule !{MINIMUM[:-5]}": {f"!{MINIMUM}"},
    "export --technique !one-b": {"!one-below"},
    "export --rule !orderMi": {"!orderMinimum"},
    "explain !one-b": set(),
    "explain --contract changed cron": set(),
    "explain --contract nowhere cron": set(),
}


@pytest.mark.parametrize("typed", COMPLETIONS)
def test_names_complete(folder: Path, typed: str) -> None:
    (folder / "changed").mkdir()
    (folder / "changed/ambiguities.json").write_text('[{"id": "cron-syntax", "sites": {}}]')
    proposals = completed("bash", "brokerfuzz", *typed.split())
    assert {line.partition(",")[2] for line in proposals if line} == COMPLETIONS[typed]


def test_zsh_and_fish_show_what_a_name_means() -> None:
    assert completed("zsh", "brokerfuzz", "explain", "offer-creation-request/orderMinimum:mini") == [
        "plain", MINIMUM.replace(":", "\\:"), "at least 1",
    ]  # fmt: skip
    assert completed("fish", "brokerfuzz", "explain", "cron") == ["plain,cron-syntax\tWhich cron dialect is accepted?"]


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef brokerfuzz"), ("fish", "complete --no-files")],
)
def test_scripts_are_printed(run: Run, shell: str, sign: str) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version, and bash is not installed")
    assert sign in run("completion", shell).stdout
