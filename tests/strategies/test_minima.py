"""Hypothesis shrinks examples to simple messages, as a person would write them (see `benchmarks/quality/minima.py`).

Hypothesis also tries constants of the loaded modules, so a seed does not always give the same examples.
"""

import pytest

from benchmarks.quality.examples import difference, smallest
from benchmarks.quality.minima import MINIMA, Minimum

SEEDS = range(1, 6)
SHARE = 0.95
"""For at least this share of the conditions, Hypothesis must find the expected example with every seed."""


@pytest.mark.parametrize(
    ("minima", "seeds"),
    [
        pytest.param(MINIMA[4::12], SEEDS[:1], id="sample"),
        pytest.param(MINIMA, SEEDS, id="whole", marks=pytest.mark.long),
    ],
)
def test_nearly_all_conditions_shrink_to_the_expected_examples(minima: list[Minimum], seeds: range) -> None:
    wrong = list(filter(None, (difference(minimum, [smallest(minimum, seed) for seed in seeds]) for minimum in minima)))
    assert len(wrong) <= (1 - SHARE) * len(minima), "\n".join(wrong)


@pytest.mark.long
def test_only_the_item_that_matters_is_left() -> None:
    (minimum,) = (minimum for minimum in MINIMA if minimum.name == "a quantity above 77")
    assert difference(minimum, [smallest(minimum, seed) for seed in range(20)]) is None
