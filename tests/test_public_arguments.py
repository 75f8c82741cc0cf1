"""Public functions check the types of their arguments: an error names the argument, and cuts its value."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import brokerfuzz
from brokerfuzz import corpus
from brokerfuzz.errors import LONGEST_ERROR

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
