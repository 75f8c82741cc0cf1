"""The recipes of CONTRIBUTING.md are true: this test follows each of them to the letter in a copy of the repository."""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest
from test_documents import ROOT, Block, blocks_of, matches, said

RECIPES = dict(
    re.findall(r"^### (Add .*?)\n(.*?)(?=^##)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)
)


@pytest.mark.long
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_it_is_written(name: str, tmp_path: Path) -> None:
    for folder in ("brokerfuzz", "tests"):
        copytree(ROOT / folder, tmp_path / folder, ignore=ignore_patterns("node_modules", "__pycache__"))
    copy(ROOT / "pyproject.toml", tmp_path)
    for block in blocks_of(RECIPES[name]):
        if block.title:
            add(block, tmp_path)
        for command, shown in said(block.text) if block.language == "console" else ():
            printed = in_copy(command, tmp_path)
            assert matches(shown, printed), f"{command}\n{printed}\nis not what the recipe shows:\n{shown}"


def add(block: Block, folder: Path) -> None:
    """Adds a block to the file in its title: at the end, or before the first line with a word."""
    name, _, word = block.title.partition(", before ")
    path = folder / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    place = text.rindex("\n", 0, text.index(word)) + 1 if word else len(text)
    separator = "\n\n" if text and not word else ""
    path.write_text(text[:place] + separator + block.text + text[place:], encoding="utf-8")


def in_copy(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {**os.environ, "PATH": path, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "120"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=600,
    )  # fmt: skip
    return done.stdout
