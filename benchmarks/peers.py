"""The strategies of other tools for offers."""

# pyright: reportMissingImports=false
# (Schemathesis is installed only with the extra `bench`.)

from copy import deepcopy
from typing import Any

from hypothesis.internal.conjecture import utils
from hypothesis.strategies import SearchStrategy

from benchmarks.fleet.messages import OFFER
from brokerfuzz import load_contract


def from_schema() -> SearchStrategy[Any]:
    """The strategy of hypothesis-jsonschema. It calls `many.more()`, which Hypothesis 6.170.10 removed, so this
    function adds the method.
    """
    from hypothesis_jsonschema import from_schema

    if not hasattr(utils.many, "more"):
        setattr(utils.many, "more", _more)  # noqa: B010  (type checkers reject the assignment)
    return from_schema(deepcopy(load_contract().flat[OFFER]))


def _more(self: Any) -> bool:
    if self._depth is None:
        self.__enter__()
        self._rounds = iter(self)
    if next(self._rounds, True) is None:
        return True
    self.__exit__(None, None, None)
    return False


def schemathesis() -> SearchStrategy[Any]:
    """The strategy of Schemathesis for an HTTP operation with an offer as its body."""
    from schemathesis import GenerationMode, openapi

    body = {"required": True, "content": {"application/json": {"schema": deepcopy(load_contract().schemas[OFFER])}}}
    operation = {"requestBody": body, "responses": {"200": {"description": "OK"}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "messages", "version": "1"},
        "paths": {"/messages": {"post": operation}},
    }
    strategy: SearchStrategy[Any] = openapi.from_dict(document)["/messages"]["POST"].as_strategy(
        generation_mode=GenerationMode.POSITIVE
    )
    return strategy
