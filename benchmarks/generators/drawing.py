from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from benchmarks.generators.generator import written
from benchmarks.rates import PATIENCE


def drawn(strategy: SearchStrategy[Any], count: int, *, patient: bool = False) -> list[bytes]:
    return list(map(written, examples(strategy, count, patient=patient)))


def examples(strategy: SearchStrategy[Any], count: int, *, seed_number: int = 1, patient: bool = False) -> list[Any]:
    """`patient` disables some health checks of Hypothesis."""
    found: list[Any] = []
    lenient = PATIENCE if patient else ()

    @seed(seed_number)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=lenient)
    @given(strategy)
    def draw(example: Any) -> None:
        found.append(example)

    draw()
    return found[:count]
