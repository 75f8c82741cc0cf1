"""Counts the conditions in `MINIMA` for which Hypothesis finds the smallest example. Also measures how close the numbers in
examples come to the `GOALS` if Hypothesis uses its function `target()`.
"""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import Phase, find, given, seed, settings, target
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from benchmarks.examples.effort import Effort
from benchmarks.examples.minima import MINIMA, OFFERS, PRICES, prices
from brokerfuzz.cases.case import Case

SEEDS = range(1, 6)
SEARCHED = 5000
"""The maximum number of examples that Hypothesis tries for each condition."""
TARGETED = 2000
"""The maximum number of examples that Hypothesis tries for each goal."""
NOT_FOUND = "no example found"


class Goal(NamedTuple):
    """`numbers` returns some numbers of a message. Hypothesis's `target()` should bring one of these numbers close to `value`."""

    name: str
    strategy: SearchStrategy[Any]
    numbers: Any
    value: int


GOALS = [
    Goal("orderMaximum", OFFERS, lambda m: [m.get("orderMaximum")], 1_234_567),
    Goal("orderMinimum", OFFERS, lambda m: [m.get("orderMinimum")], 777),
    Goal("defaultPrice", OFFERS, lambda m: [m.get("defaultPrice")], 54_321),
    Goal("quantity", PRICES, lambda m: [one["quantity"] for one in prices(m)], 4_242),
]


def smallest(number: int, seed: int) -> Any:
    minimum = MINIMA[number]
    options = settings(max_examples=SEARCHED, database=None, deadline=None)
    try:
        found = find(minimum.strategy, lambda example: bool(minimum.condition(example)), settings=options, random=random.Random(seed))
    except NoSuchExample:
        return NOT_FOUND
    return found.value if isinstance(found, Case) else found


def distance(number: int, seed_number: int) -> float:
    goal, nearest = GOALS[number], float("inf")

    @seed(seed_number)
    @settings(max_examples=TARGETED, database=None, deadline=None, phases=[Phase.generate, Phase.target])
    @given(goal.strategy)
    def search(message: Any) -> None:
        nonlocal nearest
        apart = min((abs(value - goal.value) for value in goal.numbers(message) if value is not None), default=None)
        if apart is not None:
            nearest = min(nearest, apart)
            target(-float(apart))

    search()
    return nearest


def shrinking(effort: Effort) -> str:
    found = effort.results(smallest, [(number, seed) for number in range(len(MINIMA)) for seed in SEEDS])
    wrong = [difference(number, _of(found, number)) for number in range(len(MINIMA))]
    apart = effort.results(distance, [(number, seed) for number in range(len(GOALS)) for seed in SEEDS])
    reached = f"{wrong.count(None)} of {len(MINIMA)} conditions shrink to the expected example for each of {len(SEEDS)} seeds"
    targets = (f"  {goal.name} = {goal.value:,}: {sorted(_of(apart, number))}" for number, goal in enumerate(GOALS))
    return "\n".join([reached, *filter(None, wrong), f"Distance from a goal after {TARGETED} examples with target(), for each seed", *targets])


def difference(number: int, found: Sequence[Any]) -> str | None:
    minimum = MINIMA[number]
    others = [example for example in found if minimum.smallest != example]
    if not others:
        return None
    return f"  {minimum.name}: {len(found) - len(others)} of {len(found)} seeds\n    expected {minimum.smallest}\n    found    {others[0]}"


def _of(results: Sequence[Any], number: int) -> Sequence[Any]:
    return results[number * len(SEEDS) : (number + 1) * len(SEEDS)]
