"""Slow tests: each run uses a sample, and `pytest -m long` runs them completely."""

import pytest


def sample(some: int, whole: int) -> pytest.MarkDecorator:
    """Passes a `size` to a test: `some`, or `whole` in a long run."""
    return pytest.mark.parametrize("size", [pytest.param(some, id="sample"), pytest.param(whole, id="whole", marks=pytest.mark.long)])
