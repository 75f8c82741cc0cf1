"""Writes the pages of the site that follow from the contract and from the command line."""

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

import brokerfuzz
from brokerfuzz.cli import commands

RULES = """# Rules

Every rule of the contract, with the techniques that break it, the row of the contract that states it, and an example.
`brokerfuzz explain NAME` prints the same in a terminal.
"""
AMBIGUITIES = """# Open questions

The contract leaves these questions open. An *ambiguity* is such a question, and its possible answers are
*interpretations*. [Decide open questions](../how-to/policies.md) says how to choose one of them.
"""


COMMANDS = """# Commands

What `--help` prints for each command.
"""


def write(folder: Path) -> None:
    (folder / "commands.md").write_text(_commands(), encoding="utf-8")
    (folder / "rules.md").write_text(_rules(), encoding="utf-8")
    (folder / "ambiguities.md").write_text(_ambiguities(), encoding="utf-8")


def _rules() -> str:
    parts = [RULES]
    for message_type in brokerfuzz.MESSAGE_TYPES:
        parts.append(f"## {message_type}")
        parts += [
            f"### `{rule.id.partition('/')[2]}`\n\n{_explained(rule.id)}" for rule in brokerfuzz.rules(message_type)
        ]
    return "\n\n".join(parts) + "\n"


def _ambiguities() -> str:
    parts = [AMBIGUITIES]
    for ambiguity in brokerfuzz.load_contract().ambiguities:
        answers = ", ".join(f"`{answer}`" for answer in ambiguity.interpretations)
        parts.append(f"## `{ambiguity.id}`\n\n{_explained(ambiguity.id)}\n\nInterpretations: {answers}.")
    return "\n\n".join(parts) + "\n"


def _commands() -> str:
    return "\n\n".join([COMMANDS, *_helps(commands, ())]) + "\n"


def _helps(command: click.Command, names: tuple[str, ...]) -> Iterator[str]:
    context = click.Context(command, info_name=" ".join(["brokerfuzz", *names]), terminal_width=100)
    yield f"## `{context.info_name}`\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _helps(inner, (*names, name))


def _explained(name: str) -> str:
    """Returns what `brokerfuzz explain NAME` prints, as Markdown."""
    shown = CliRunner().invoke(commands, ["explain", name], catch_exceptions=False)
    if shown.exit_code != 0:
        raise RuntimeError(shown.output)
    _, _, text = shown.output.partition("\n\n")
    said, _, example = text.partition("\n\nExample")
    section = "\n\n".join(_escaped(line) for line in said.strip().splitlines())
    if example:
        introduction, _, lines = example.partition("\n")
        body = "\n".join(line[:160] for line in lines.rstrip().splitlines())
        section += f"\n\nExample{_escaped(introduction)}\n\n```text\n{body}\n```"
    return section


def _escaped(line: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>{}#" else letter for letter in line)
