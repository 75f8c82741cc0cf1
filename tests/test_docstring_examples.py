import re
from collections.abc import Iterator
from doctest import ELLIPSIS, DocTestFinder, DocTestRunner
from pathlib import Path
from typing import Any, is_typeddict

import pytest

import brokerfuzz
from brokerfuzz import corpus, hooks, strategies

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "python.md"
CONSTANTS = {"MESSAGE_TYPES", "MessageType", "__version__", "AnswerKind"}
"""The public names that cannot have a docstring."""


def public() -> Iterator[tuple[str, Any]]:
    for module in (brokerfuzz, corpus, hooks, strategies):
        prefix = module.__name__.removeprefix("brokerfuzz").removeprefix(".")
        for name in module.__all__:
            if name not in CONSTANTS:
                yield f"{prefix}.{name}".removeprefix("."), getattr(module, name)


EXPLAINED = [pytest.param(found, id=name) for name, found in public() if not is_typeddict(found)]


@pytest.mark.parametrize("found", EXPLAINED)
def test_the_example_of_a_public_name_runs(found: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (test,) = DocTestFinder(recurse=False).find(found, "example", globs={})
    assert test.examples
    printed: list[str] = []
    DocTestRunner(optionflags=ELLIPSIS).run(test, out=printed.append)
    assert printed == [], "".join(printed)


def test_the_page_about_python_lists_exactly_the_public_names() -> None:
    if not PAGE.exists():  # the tests of the wheel have no documentation
        return
    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^\.\. auto\w+:: brokerfuzz\.(.*)$", page, re.MULTILINE)
    named = [name.rpartition(".")[2] for name in re.findall(r"`brokerfuzz\.([\w.]+)` is", page)]
    assert sorted([*shown, *named]) == sorted({name for name, _ in public()} | CONSTANTS)
