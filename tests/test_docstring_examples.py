"""Public names: their examples run, and an error about an argument of a wrong type names the argument, and cuts its value."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from doctest import ELLIPSIS, DocTestFinder, DocTestRunner
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any, is_typeddict

import pytest

import brokerfuzz
from brokerfuzz import corpus, hooks, strategies
from brokerfuzz.errors import LONGEST_ERROR

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


OFFER = "offer-creation-request"
CASE = next(brokerfuzz.messages(OFFER, 1, verdicts=["valid"]))


def consumed(function: Callable[..., Iterator[Any]]) -> Callable[..., list[Any]]:
    @wraps(function)
    def call(**arguments: Any) -> list[Any]:
        return list(islice(function(**arguments), 3))

    return call


CALLS: Mapping[str, tuple[Callable[..., Any], Mapping[str, Any]]] = {
    "catalogue": (consumed(brokerfuzz.catalogue), {"message_type": OFFER, "rules": ["*orderMinimum:minimum"]}),
    "check": (brokerfuzz.check, {"message_type": OFFER, "body": b"{}"}),
    "load_contract": (brokerfuzz.load_contract, {}),
    "messages": (consumed(brokerfuzz.messages), {"message_type": OFFER, "seed": 1}),
    "parametrize": (brokerfuzz.parametrize, {"message_type": OFFER}),
    "rules": (brokerfuzz.rules, {"message_type": OFFER}),
    "load": (corpus.load, {"message_type": OFFER, "rules": ["*orderMinimum:minimum"]}),
    "read": (consumed(corpus.read), {"path": "corpus.ndjson"}),
    "write": (corpus.write, {"path": "corpus.ndjson", "cases": [CASE]}),
    "fire": (
        brokerfuzz.fire,
        {"target": lambda body: True, "rules": ["*orderMinimum:minimum"], "techniques": ["one-below"]},
    ),
}
"""Maps the names of functions to the functions, with arguments that they accept."""
WRONG: Mapping[str, Any] = {
    "None": None, "a number": 50, "a fraction": 50.5, "true": True, "text": "x", "bytes": b"x", "NUL": "a\0b",
    "an empty list": [], "a list of numbers": [5], "a list of lists": [[]], "an empty mapping": {},
    "a mapping of numbers": {5: 5}, "an object": object(), "a function": print, "a case": CASE,
    "many cases": [CASE] * 3000, "long text": "x" * 1_000_000, "a list with long text": ["x" * 100_000],
}  # fmt: skip


def parameters() -> Iterator[tuple[str, str]]:
    for name, (function, arguments) in CALLS.items():
        signature = inspect.signature(function)
        names = [*signature.parameters, *(brokerfuzz.FireOptions.__annotations__ if name == "fire" else ())]
        not_single_values = {"options", "more", "headers"} if name != "fire" else {"options"}
        arguments_to_test = dict.fromkeys([*names, *arguments]).keys() - not_single_values
        yield from ((name, argument) for argument in sorted(arguments_to_test))


@pytest.mark.every(2)
@pytest.mark.parametrize(("name", "argument"), list(parameters()))
def test_a_wrong_argument_is_named_and_its_value_cut(folder: Path, name: str, argument: str) -> None:
    function, arguments = CALLS[name]
    for kind, value in WRONG.items():
        try:
            function(**{**arguments, argument: value})
        except (brokerfuzz.BrokerfuzzError, TypeError, ValueError) as problem:
            said = str(problem)
            assert len(said) <= LONGEST_ERROR, (kind, said)
            is_ours = isinstance(problem, brokerfuzz.BrokerfuzzError)
            assert is_ours or said.startswith((argument, f"unknown {argument}")), (kind, said)
