"""Hypothesis shrinks examples to simple messages, as a person would write them (see `benchmarks/examples/minima.py`).

Hypothesis also tries constants of the loaded modules, so a seed does not always give the same examples.
"""

from statistics import median

import pytest

from benchmarks.examples.minima import MINIMA
from benchmarks.examples.shrinking import GOALS, SEEDS, difference, distance, smallest

SHARE = 0.95
"""For at least this share of the conditions, Hypothesis must find the expected example with every seed."""
NEAR = 0.05
"""The maximum distance from a goal, as a share of the goal's `value`."""


@pytest.mark.parametrize(
    ("numbers", "seeds"),
    [
        pytest.param(range(0, len(MINIMA), 24), SEEDS[:1], id="sample"),
        pytest.param(range(len(MINIMA)), SEEDS, id="whole", marks=pytest.mark.long),
    ],
)
def test_nearly_all_conditions_shrink_to_the_expected_examples(numbers: range, seeds: range) -> None:
    wrong = list(filter(None, (difference(number, [smallest(number, seed) for seed in seeds]) for number in numbers)))
    assert len(wrong) <= (1 - SHARE) * len(numbers), "\n".join(wrong)


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(GOALS)), ids=[goal.name for goal in GOALS])
def test_target_usually_comes_near_a_goal(number: int) -> None:
    assert median(distance(number, seed) for seed in range(1, 10)) <= NEAR * GOALS[number].value
