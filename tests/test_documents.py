"""The README, the pages of `docs` and the recipes of CONTRIBUTING.md are true: their code runs, their commands are valid,
and their links lead somewhere.

- A Python block with a title (`title="service.py"`) becomes a file, and the lines after `$` in a `console` block run in
  the folder of these files. Their output has to match, where `…` stands for anything.
- Other Python blocks run as tests.
- Commands in `sh` blocks run, too. If they are about a service of the reader, only the missing server may be an error.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from typing import NamedTuple

import pytest
from fixture_types import Run
from hypothesis import settings

import brokerfuzz
import brokerfuzz.strategies
import brokerfuzz.testing.parametrizing  # imported now, because each inner session forgets the modules that it imports

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
GENERATED = {"commands.md", "rules.md", "ambiguities.md"}
FOUND = 1


class Block(NamedTuple):
    language: str
    title: str
    text: str


def blocks_of(text: str) -> list[Block]:
    found = re.findall(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    return [Block(*parts) for parts in found]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).exists() else ""


PAGES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if path.name not in GENERATED)
BLOCKS = {name: blocks_of(text_of(name)) for name in ("README.md", *PAGES)}
SECTIONS = re.findall(r"^### (Add .*?)\n(.*?)(?=^##)", text_of("CONTRIBUTING.md"), re.MULTILINE | re.DOTALL)
RECIPES = {name: text for name, text in SECTIONS if blocks_of(text)}


def having(language: str) -> list[str]:
    return [name for name, blocks in BLOCKS.items() if any(block.language == language for block in blocks)]


# ----------------------------------------------------------------------------------------------------------- sessions


@pytest.mark.long
@pytest.mark.parametrize("name", having("console"))
def test_the_commands_of_a_guide_print_what_it_shows(name: str, tmp_path: Path) -> None:
    if name == "docs/reference/corpora.md":
        pytest.importorskip("duckdb", reason="DuckDB is not installed")
    follow(BLOCKS[name], tmp_path, NODE_PATH=str(ROOT / "tests" / "node" / "node_modules"), CI="true", COLUMNS="100")


@pytest.mark.long
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_of_contributing_works_in_a_copy_of_the_repository_as_it_is_written(name: str, tmp_path: Path) -> None:
    for folder in ("brokerfuzz", "tests"):
        copytree(ROOT / folder, tmp_path / folder, ignore=ignore_patterns("node_modules", "__pycache__"))
    copy(ROOT / "pyproject.toml", tmp_path)
    follow(blocks_of(RECIPES[name]), tmp_path, PYTHONPATH=str(tmp_path), COLUMNS="120")


def follow(blocks: list[Block], folder: Path, **variables: str) -> None:
    """Adds each block with a title to a file, and runs the commands of `console` blocks."""
    status = 0
    for block in blocks:
        if block.title:
            add(block, folder)
        for command, shown in said(block.text) if block.language == "console" else ():
            status, printed = in_shell(command, folder, status, **variables)
            assert matches(shown, printed), f"{command}\n{printed}\nis not what the document shows:\n{shown}"


def add(block: Block, folder: Path) -> None:
    """Adds a block to the file in its title: at the end, or before the first line with a word."""
    name, _, word = block.title.partition(", before ")
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    place = text.rindex("\n", 0, text.index(word)) + 1 if word else len(text)
    separator = "\n\n" if text and not word else ""
    path.write_text(text[:place] + separator + block.text + text[place:], encoding="utf-8")


def said(session: str) -> Iterator[tuple[str, str]]:
    """Yields each command of a session with the output that the document shows. Packages are installed already."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, shown = part.replace("\\\n> ", "").partition("\n")
        if not command.startswith(("pip install ", "npm install ")):
            yield command, shown


def in_shell(command: str, folder: Path, status: int, **variables: str) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"(exit {status}); {command}"],
        cwd=folder, env={**os.environ, "PATH": path, "NO_COLOR": "1", **variables}, text=True, check=False, timeout=600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def matches(shown: str, printed: str) -> bool:
    """Returns whether the output is what the document shows, which may be nothing if the output does not matter."""
    if not shown.strip():
        return True
    pattern = ".*".join(re.escape(part.strip("\n")) for part in shown.split("…"))
    return re.fullmatch(pattern, printed.strip("\n"), re.DOTALL) is not None


# ------------------------------------------------------------------------------------------------------------- Python


@pytest.fixture
def _profile() -> Iterator[None]:
    """Afterwards, the settings of Hypothesis are those of the other tests again."""
    current = settings.get_current_profile_name()
    yield
    settings.load_profile(current)


@pytest.mark.every(6)
@pytest.mark.usefixtures("_profile")
@pytest.mark.parametrize("name", having("python"))
def test_the_python_examples_of_a_document_run(name: str, pytester: pytest.Pytester) -> None:
    examples = [block.text for block in BLOCKS[name] if block.language == "python" and not block.title]
    for number, example in enumerate(examples):
        text = f"{example}\n\ndef test_that_it_was_read():\n    pass\n"
        (pytester.path / f"test_example_{number}.py").write_text(text, encoding="utf-8")
    profile = "settings.register_profile('few', settings.get_profile('ci'), max_examples=5)"
    pytester.makeconftest(f"from hypothesis import settings\n{profile}\nsettings.load_profile('few')\n")
    if examples:
        done = pytester.runpytest_inprocess("-W", "error", "-p", "no:cacheprovider")
        assert done.ret == 0, done.stdout.str()


# ----------------------------------------------------------------------------------------------------------- commands


def typed() -> Iterator[tuple[str, list[str]]]:
    for name in having("sh"):
        for block in BLOCKS[name]:
            for line in block.text.splitlines() if block.language == "sh" else ():
                words = shlex.split(line, comments=True)
                if words[:1] == ["brokerfuzz"]:
                    yield name, words[1:]


def in_build_servers() -> Iterator[tuple[str, list[str]]]:
    """Yields the commands in the recipes for build servers, which run `brokerfuzz` with a baseline."""
    for path in sorted((ROOT / "examples" / "build-servers").glob("*")):
        text = path.read_text(encoding="utf-8")
        for command in re.findall(r"^\s*(brokerfuzz fire .*)$", text.replace("\\\n", " "), re.MULTILINE):
            yield path.name, shlex.split(command)[1:]


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
    for name, words in [*typed(), *in_build_servers()]
    if is_elsewhere(words)
]


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the files that the commands read."""
    found = tmp_path_factory.mktemp("files")
    some = ("--bug", "accepts-zero-page-count", "--rule", "*pageCount:minimum", "--technique", "one-below")
    baseline = ("--baseline", found / "known.json", "--baseline-update")
    kept = ("--journal", found / "run.ndjson", "--report", found / "report.json")
    made = run("fire", "--demo", *some, *kept, *baseline)
    assert made.exit_code == 0, made.output
    few = ("--message", "offer-creation-request", "--random", "20")
    assert run("export", found / "offers.ndjson", *few).exit_code == 0
    (found / "offer.json").write_text('{"number": "OFF-1", "offerType": "Email"}', encoding="utf-8")
    return found


@pytest.mark.every(4)
@pytest.mark.parametrize("words", HERE)
def test_commands_run(
    words: list[str], folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in folder.iterdir():
        copy(file, tmp_path)
    if words[:2] == ["contract", "check"]:
        assert run("contract", "new", str(tmp_path / words[2])).exit_code == 0
    monkeypatch.chdir(tmp_path)
    shorter = ["100" if word in ("1000", "10000") else word for word in words]
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
    copytree(contract, tmp_path / "changed", ignore=lambda _, names: {name for name in names if ".json" not in name})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", "a-secret-token")
    for name in ("known.json", "report.json"):
        copy(folder / name, tmp_path)
    done = run(*[re.sub(r"^http://[^/]*", "http://127.0.0.1:1", word) for word in words], "--longest-wait", "10ms")
    assert done.exit_code == 2
    assert "127.0.0.1:1" in done.stderr
    assert "(see brokerfuzz" not in done.stderr


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_between_files_lead_somewhere(name: str) -> None:
    """The links between the pages of `docs` are checked when the site is built."""
    for link in re.findall(r"\]\((?!https?:)([^)#]*)[^)]*\)", text_of(name)):
        assert (ROOT / link).exists() or link in {f"docs/reference/{page}" for page in GENERATED}, f"{name}: {link}"


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", *PAGES])
def test_files_that_a_document_names_exist(name: str) -> None:
    for path in re.findall(r"`((?:tests|brokerfuzz|docs|examples|benchmarks|\.ci)/[\w/.-]*)`", text_of(name)):
        assert (ROOT / path).exists(), f"{name}: {path}"


def test_the_steps_of_the_architecture_exist_in_the_code() -> None:
    steps = re.findall(r"^\d+ +([\w.]+(?:, [\w.]+)*)", text_of("ARCHITECTURE.md"), re.MULTILINE)
    paths = list((ROOT / "brokerfuzz").rglob("*.py"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    defined = {part for path in paths for part in (path.stem, path.parent.name)}
    defined |= set(re.findall(r"\b(?:def|class) (\w+)", code))
    assert len(steps) > 15
    assert [name for step in steps for name in re.split(r"\W+", step) if name not in defined] == []
