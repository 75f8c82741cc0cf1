"""Measures the speeds of several programs in units per second: for example, messages per second. The programs take turns, so that a
change in the speed of the machine affects all programs equally. The result is the median of several rounds.
"""

import time
from collections.abc import Callable, Mapping
from itertools import islice
from statistics import median
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

Round = Callable[[], int | tuple[int, float]]
"""Runs one round of a program. Returns the number of processed units, such as messages, and optionally the duration in seconds."""


PATIENCE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example)
"""The health checks of Hypothesis that some generators of other tools fail."""


def in_turn(rounds: Mapping[str, Round], times: int = 5) -> dict[str, float]:
    """For each program, returns the median speed of `times` rounds, in units per second. An additional first round is not counted."""
    return {name: median(rates) for name, rates in each_in_turn(rounds, times).items()}


def each_in_turn(rounds: Mapping[str, Round], times: int) -> dict[str, list[float]]:
    """Returns the units per second of each program in every round. The values of one round are comparable, even if the speed of the
    machine changes between rounds.
    """
    rates: dict[str, list[float]] = {name: [] for name in rounds}
    for number in range(times + 1):
        for name, work in rounds.items():
            started = time.perf_counter()
            done = work()
            units, seconds = done if isinstance(done, tuple) else (done, time.perf_counter() - started)
            if number:
                rates[name].append(units / seconds)
    return rates


def examples(strategy: SearchStrategy[Any], count: int, *, patient: bool = False) -> Round:
    """Returns a round in which Hypothesis draws `count` examples. `patient` disables some health checks of Hypothesis."""
    lenient = PATIENCE if patient else ()

    def work() -> int:
        drawn = 0

        @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=lenient)
        @given(strategy)
        def draw(example: Any) -> None:
            nonlocal drawn
            drawn += 1

        draw()
        return drawn

    return work


def of_stream(make: Callable[[], Any], count: int, each: Callable[[Any], Any]) -> Round:
    stream = make()

    def work() -> int:
        for item in islice(stream, count):
            each(item)
        return count

    return work


def table(title: str, rates: Mapping[str, float], base: str) -> str:
    """Returns the rates with their ratios to the rate of the program `base`."""
    width = max(map(len, rates))
    rows = [f"  {name:<{width}}  {rate:>12,.0f}/s  {rate / rates[base]:>8.2f}" for name, rate in rates.items()]
    return "\n".join([f"{title} (ratio to {base})", *rows])
