from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

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
