"""The README and the pages of `docs` are true: their code runs, their commands are valid, and their links lead somewhere.

- A Python block with a title (`title="service.py"`) becomes a file, and the lines after `$` in a `console` block run in
  the folder of these files. Their output has to match, where `…` stands for anything.
- Other Python blocks run as tests.
- Commands in `sh` blocks run, too. If they are about a service of the reader, only the missing server may be an error.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, copytree
from typing import Any, NamedTuple

import pytest
import yaml
from click.testing import CliRunner
from fixture_types import Run

import brokerfuzz
from brokerfuzz.cli import commands

ROOT = Path(__file__).parents[1]
GENERATED = {"commands.md", "rules.md", "ambiguities.md"}
DOCUMENTS = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in GENERATED),
]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
FOUND = 1


class Block(NamedTuple):
    language: str
    title: str
    text: str


def blocks(document: Path) -> list[Block]:
    return blocks_of(text_of(document))


def blocks_of(text: str) -> list[Block]:
    found = re.findall(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    return [Block(*parts) for parts in found]


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8") if document.exists() else ""


def having(*languages: str) -> list[str]:
    return [
        name
        for name, document in zip(NAMES, DOCUMENTS, strict=True)
        if any(block.language in languages for block in blocks(document))
    ]


# ----------------------------------------------------------------------------------------------------------- sessions


@pytest.mark.long
@pytest.mark.parametrize("name", having("console"))
def test_the_commands_of_a_guide_print_what_it_shows(name: str, tmp_path: Path) -> None:
    status = 0
    for block in blocks(ROOT / name):
        if block.title:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        if block.language == "console":
            for command, shown in said(block.text):
                status, printed = in_shell(command, tmp_path, status)
                assert matches(shown, printed), f"{command}\n{printed}\nis not what {name} shows:\n{shown}"


def said(session: str) -> Iterator[tuple[str, str]]:
    """Yields each command of a session with the output that the document shows. Packages are installed already."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, shown = part.replace("\\\n> ", "").partition("\n")
        if not command.startswith(("pip install ", "npm install ")):
            yield command, shown


def in_shell(command: str, folder: Path, status: int) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    packages = str(ROOT / "tests" / "node" / "node_modules")
    own = {
        **os.environ,
        "PATH": path,
        "NODE_PATH": packages,
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "CI": "true",
    }
    done = subprocess.run(
        ["bash", "-c", f"(exit {status}); {command}"],
        cwd=folder, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout


def matches(shown: str, printed: str) -> bool:
    """Returns whether the output is what the document shows, which may be nothing if the output does not matter."""
    if not shown.strip():
        return True
    pattern = ".*".join(re.escape(part.strip("\n")) for part in shown.split("…"))
    return re.fullmatch(pattern, printed.strip("\n"), re.DOTALL) is not None


# ------------------------------------------------------------------------------------------------------------- Python


@pytest.mark.every(6)
@pytest.mark.parametrize("name", having("python"))
def test_the_python_examples_of_a_document_run(name: str, tmp_path: Path) -> None:
    examples = [block.text for block in blocks(ROOT / name) if block.language == "python" and not block.title]
    for number, example in enumerate(examples):
        text = f"{example}\n\ndef test_that_it_was_read():\n    pass\n"
        (tmp_path / f"test_example_{number}.py").write_text(text, encoding="utf-8")
    if examples:
        profile = "settings.register_profile('few', settings.get_profile('ci'), max_examples=20)"
        (tmp_path / "conftest.py").write_text(
            f"from hypothesis import settings\n{profile}\nsettings.load_profile('few')\n"
        )
        status, printed = in_shell("python -m pytest -W error -p no:cacheprovider", tmp_path, 0)
        assert status == 0, printed


# ----------------------------------------------------------------------------------------------------------- commands


def typed() -> Iterator[tuple[str, list[str]]]:
    for name in having("sh"):
        for block in blocks(ROOT / name):
            for line in block.text.splitlines() if block.language == "sh" else ():
                words = shlex.split(line, comments=True)
                if words[:1] == ["brokerfuzz"]:
                    yield name, words[1:]


def in_recipes() -> Iterator[tuple[str, list[str]]]:
    """Yields the commands in the recipes for build servers, which run `brokerfuzz` with a baseline."""
    for path in sorted((ROOT / "examples" / "build-servers").glob("*")):
        text = path.read_text(encoding="utf-8")
        lines = strings_in(yaml.safe_load(text)) if path.suffix == ".yml" else [text]
        for line in lines:
            for command in re.findall(r"^\s*(brokerfuzz fire .*)$", line.replace("\\\n", " "), re.MULTILINE):
                yield path.name, shlex.split(command)[1:]


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_in(inner)


def is_elsewhere(words: list[str]) -> bool:
    """Returns whether a command needs a service or a program of the reader."""
    return any(word.startswith("http://") for word in words)


HERE = [
    pytest.param(
        words,
        id=f"{name}: {' '.join(words)}",
        marks=pytest.mark.long if name == "README.md" else (),  # the gate runs the first command of the README
    )
    for name, words in typed()
    if not is_elsewhere(words)
]
ELSEWHERE = [
    pytest.param(words, id=f"{name}: {' '.join(words)}")
    for name, words in [*typed(), *in_recipes()]
    if is_elsewhere(words)
]


ORDER = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the files that the commands read."""
    found = tmp_path_factory.mktemp("files")
    some = ("--bug", "accepts-zero-page-count", "--rule", "*pageCount:minimum", "--technique", "one-below")
    baseline = ("--baseline", str(found / "known.json"), "--baseline-update")
    made = CliRunner().invoke(commands, ["fire", "--demo", *some, "--journal", str(found / "run.ndjson"), *baseline])
    assert made.exit_code == 0, made.output
    few = ("--message", "offer-creation-request", "--random", "--count", "20")
    assert CliRunner().invoke(commands, ["export", str(found / "offers.ndjson"), *few]).exit_code == 0
    (found / "offer.json").write_text('{"number": "OFF-1", "offerType": "Email"}', encoding="utf-8")
    (found / "order-request.json").write_text(json.dumps(ORDER), encoding="utf-8")
    body = {"content": {"application/json": {"schema": ORDER}}}
    paths = {"/orders": {"post": {"operationId": "createOrder", "requestBody": body}}}
    (found / "api.yaml").write_text(yaml.safe_dump({"openapi": "3.1.0", "paths": paths}), encoding="utf-8")
    return found


@pytest.mark.every(3)
@pytest.mark.parametrize("words", HERE)
def test_commands_run(
    words: list[str], folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in folder.iterdir():
        copy(file, tmp_path)
    if words[:2] == ["contract", "check"]:
        assert run("contract", "new", str(tmp_path / words[2])).exit_code == 0
    monkeypatch.chdir(tmp_path)
    shorter = ["200" if word == "10000" else word for word in words]
    done = run(*shorter, *(["--force"] if "export" in words else []))
    assert done.exit_code == (FOUND if "--bug" in words else 0), done.output
    assert done.stdout


@pytest.mark.every(3)
@pytest.mark.parametrize("words", ELSEWHERE)
def test_commands_for_a_service_of_the_reader_are_valid(
    words: list[str], folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--journal" not in words:
        copy(folder / "run.ndjson", tmp_path)
    contract = Path(brokerfuzz.__file__).parent / "schemas"
    for name in ("changed", "orders"):
        copytree(contract, tmp_path / name, ignore=lambda _, names: {name for name in names if ".json" not in name})
    monkeypatch.chdir(tmp_path)
    copy(folder / "known.json", tmp_path)
    done = run(*[{"60s": "0.1s"}.get(word, re.sub(r"^http://[^/]*", "http://127.0.0.1:1", word)) for word in words])
    assert done.exit_code == 2
    assert "127.0.0.1:1" in done.stderr
    assert "(see brokerfuzz" not in done.stderr


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_between_files_lead_somewhere(name: str) -> None:
    """The links between the pages of `docs` are checked when the site is built."""
    for link in re.findall(r"\]\((?!https?:)([^)#]*)[^)]*\)", text_of(ROOT / name)):
        assert (ROOT / link).exists() or link in {f"docs/reference/{page}" for page in GENERATED}, f"{name}: {link}"
