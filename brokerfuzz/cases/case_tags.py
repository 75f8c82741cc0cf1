"""Defines the tags of cases that other modules read."""

from collections.abc import Iterable
from datetime import datetime

from brokerfuzz.schemas.instants import instant, spell

RANDOM = "random"
"""The tag of cases that depend on a seed."""
PAIRS = "pairs"
"""The tag of valid cases with rare pairs of states."""
TWIN_TAGS = ("twin",)
"""The tags of a case that was selected only because it is the twin of another case."""
EDGE = "edge:"
"""Tags with this prefix name the edge (an unusual valid value) that a case tests, and its place."""
NOW_TAG = "now:"


def now_tag(now: datetime) -> str:
    """Returns the tag of a case whose verdict may be wrong at any other time."""
    return f"{NOW_TAG}{spell(now)}"


def tagged_now(tags: Iterable[str]) -> datetime | None:
    """Returns the time from the tag `now:TIME`, or None if there is no such tag."""
    return next((instant(tag.removeprefix(NOW_TAG)) for tag in tags if tag.startswith(NOW_TAG)), None)


def tagged_edge(tags: Iterable[str]) -> str | None:
    """Returns the place and the edge that a case tests, such as `comments:null`, or None if there is no such tag."""
    return next((tag.removeprefix(EDGE) for tag in tags if tag.startswith(EDGE)), None)
