"""Draws messages in the same way as a test under Hypothesis."""

from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from benchmarks.generators.generator import written
from benchmarks.rates import PATIENCE


def drawn(strategy: SearchStrategy[Any], count: int, *, patient: bool = False) -> list[bytes]:
    """Returns `count` examples. `patient` disables health checks that other generators fail; brokerfuzz never needs it."""
    bodies: list[bytes] = []
    lenient = PATIENCE if patient else ()

    @seed(1)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=lenient)
    @given(strategy)
    def draw(message: Any) -> None:
        bodies.append(written(message))

    draw()
    return bodies[:count]
