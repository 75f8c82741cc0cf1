"""Examples of Hypothesis strategies, and the strategies of other tools for offers."""

# pyright: reportMissingImports=false
# (Schemathesis is installed only with the extra `bench`.)

from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from benchmarks.fleet.messages import OFFER
from brokerfuzz import load_contract
from brokerfuzz.generation.searched_values import restore_many

PATIENCE = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
)
"""The health checks of Hypothesis that some strategies of other tools fail."""


def examples(strategy: SearchStrategy[Any], count: int, seed_number: int = 1) -> list[Any]:
    """Returns the examples that Hypothesis gives to a test, without shrinking."""
    found: list[Any] = []

    @seed(seed_number)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=PATIENCE)
    @given(strategy)
    def draw(example: Any) -> None:
        found.append(example)

    draw()
    return found[:count]


def hypothesis_jsonschema() -> SearchStrategy[Any]:
    from hypothesis_jsonschema import from_schema

    restore_many()
    return from_schema(deepcopy(load_contract().flat[OFFER]))


def schemathesis() -> SearchStrategy[Any]:
    """The bodies that Schemathesis considers valid, for an HTTP operation that receives an offer."""
    from schemathesis import GenerationMode, openapi

    body = {"required": True, "content": {"application/json": {"schema": deepcopy(load_contract().schemas[OFFER])}}}
    operation = {"requestBody": body, "responses": {"200": {"description": "OK"}}}
    paths = {"/messages": {"post": operation}}
    document = openapi.from_dict({"openapi": "3.1.0", "info": {"title": "messages", "version": "1"}, "paths": paths})
    strategy: SearchStrategy[Any] = document["/messages"]["POST"].as_strategy(generation_mode=GenerationMode.POSITIVE)
    return strategy.map(lambda case: case.body)
