"""Checks that texts for users contain no banned word. `banned_words.toml` lists the banned words with the reasons."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import brokerfuzz
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.cli import commands
from brokerfuzz.service.bugs import BUGS

PACKAGE = Path(brokerfuzz.__file__).parent
LIST = tomllib.loads(Path(__file__).with_name("banned_words.toml").read_text(encoding="utf-8"))
PERMITTED = re.compile("|".join(LIST["permitted"]))
BANNED = re.compile("|".join(rf"\b(?:{entry['phrase']})\b(?![-_:=])" for entry in LIST["banned"]), re.IGNORECASE)


def helps(command: click.Command, *names: str) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=" ".join(["brokerfuzz", *names]))
    yield f"help of {context.info_name}", command.get_help(context)
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from helps(inner, *names, name)


def literals() -> Iterator[tuple[str, str]]:
    """Yields the strings in the package that contain a space, except for docstrings, which only developers read. Errors,
    reports and explanations are among these strings.
    """
    for path in PACKAGE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        hidden = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node.value if " " in node.value else ""


def descriptions(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yields the strings of a JSON document that describe something to people."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if isinstance(inner, str) and key in {"description", "title", "question", "plain", "demanded", "text"}:
            yield f"{place}/{key}", inner
        yield from descriptions(inner, f"{place}/{key}")


def user_facing() -> Iterator[tuple[str, str]]:
    yield from helps(commands)
    yield from literals()
    yield from ((f"technique {technique.name}", technique.text) for technique in TECHNIQUES.values())
    yield from ((f"bug {bug.name}", bug.text) for bug in BUGS.values())
    for path in PACKAGE.rglob("*.json"):
        yield from descriptions(json.loads(path.read_bytes()), path.name)
    for path in PACKAGE.rglob("*.js"):
        yield path.name, path.read_text(encoding="utf-8")
    for path in [*PACKAGE.parent.glob("*.md"), *PACKAGE.parent.glob("docs/*/*.md")]:
        yield path.name, path.read_text(encoding="utf-8")


def test_no_text_for_users_contains_a_banned_word() -> None:
    strings = list(user_facing())
    assert len(strings) > 2000
    found = [
        f"{place}: {match[0]!r} in {' '.join(line.split())}"
        for place, text in strings
        for line in text.splitlines()
        if (match := BANNED.search(PERMITTED.sub("", line)))
    ]
    assert found == [], f"{len(found)} banned words; tests/banned_words.toml says what to write instead"


def test_every_banned_phrase_has_a_reason_and_is_found() -> None:
    assert all(entry["reason"].endswith(".") for entry in LIST["banned"])
    assert BANNED.search("the target refused it") is not None
    assert BANNED.search(PERMITTED.sub("", "the connection was refused")) is None
