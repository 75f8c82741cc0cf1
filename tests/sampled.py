"""For slow tests: a default run uses only some of the inputs, and `pytest -m long` uses all of them."""

import pytest


def sample(some: int, whole: int) -> pytest.MarkDecorator:
    """Calls the test with the argument `size`, which is `some` in a default run, and `whole` in a long run."""
    return pytest.mark.parametrize(
        "size", [pytest.param(some, id="sample"), pytest.param(whole, id="whole", marks=pytest.mark.long)]
    )
