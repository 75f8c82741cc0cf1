"""For slow tests: a default run uses only some of the tests and inputs, and `pytest -m long` uses all of them."""

import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import pytest

Item = TypeVar("Item")


def sample(some: int, whole: int) -> pytest.MarkDecorator:
    """Calls the test with the argument `size`, which is `some` in a default run, and `whole` in a long run."""
    return pytest.mark.parametrize(
        "size", [pytest.param(some, id="sample"), pytest.param(whole, id="whole", marks=pytest.mark.long)]
    )


def percent(share: int) -> pytest.MarkDecorator:
    """Calls the test with a percentage as the argument `size`: `share` in a default run, and 100 in a long run."""
    return sample(share, 100)


def part(items: Iterable[Item], size: int) -> Iterator[Item]:
    """Yields `size` percent of the items. The hash of the commit selects these items, so that several commits together
    check all items.
    """
    step = 100 // size
    return islice(items, _commit() % step, None, step)


def in_turn(item: pytest.Item, commits: int) -> bool:
    """Returns True if a test with the marker `rotated` runs for this commit.

    The tests of a file run for the same commits, because they share expensive fixtures. If a test has parameters, its
    parameter sets run for different commits.
    """
    file, _, _ = item.nodeid.partition("::")
    parameters = (
        set(item.callspec.indices.values()) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    )
    return (crc32(file.encode()) + sum(parameters) + _commit()) % commits == 0


@cache
def _commit() -> int:
    """Returns the hash of the commit as a number, or 0 if this is not a repository."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(done.stdout, 16)
