"""Slow tests: each run has a sample, and `pytest -m long` the whole."""

import pytest


def sample(some: int, whole: int) -> pytest.MarkDecorator:
    """Gives a test a `size`: `some`, or in a long run `whole`."""
    return pytest.mark.parametrize("size", [pytest.param(some, id="sample"), pytest.param(whole, id="whole", marks=pytest.mark.long)])
