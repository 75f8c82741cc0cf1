"""Relations between values of a message: a property is equal to another one of its object, or two items of an array
have the same value.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from brokerfuzz.campaign.causes.attributes import MessageAttribute
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.schemas import Site

MessageTest = Callable[[Any], bool]


def relations_at(site: Site, message: Any) -> Iterator[MessageAttribute]:
    """Yields the relations in a message that concern the values of a site."""
    siblings = site.parent.properties if site.parent else {}
    for name in siblings:
        if name != site.name:
            yield from _relation(site, f"it is equal to {name}", _has_equal(site, name), message)
    if site.arrays:
        yield from _relation(site, "it occurs in two items", _is_repeated(site), message)


def _relation(site: Site, text: str, test: MessageTest, message: Any) -> Iterator[MessageAttribute]:
    if test(message):
        yield MessageAttribute(text, f"{site.path}: {text}", _of_trial(test), place=site.path)


def _has_equal(site: Site, name: str) -> MessageTest:
    def test(message: Any) -> bool:
        parents = site.parent.places(message) if site.parent else []
        objects = [value for _, value in parents if isinstance(value, dict)]
        return any(
            _is_comparable(parent.get(site.name)) and parent[site.name] == parent.get(name) for parent in objects
        )

    return test


def _is_repeated(site: Site) -> MessageTest:
    def test(message: Any) -> bool:
        values = [value for _, value in site.places(message) if _is_comparable(value)]
        return len(set(values)) < len(values)

    return test


def _is_comparable(value: Any) -> bool:
    """Empty strings, null and booleans are often equal by chance."""
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _of_trial(test: MessageTest) -> Callable[[Trial], bool]:
    def holds(trial: Trial) -> bool:
        with suppress(ValueError, RecursionError):  # not JSON, or nested too deeply
            return test(trial.case.value)
        return False

    return holds
