"""Provides realistic values for a property: those that it has in plausible messages."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from brokerfuzz.generation.plausible import MAKERS
from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.judging import judge_of
from brokerfuzz.schemas.sites import join

_NOW = datetime(2000, 1, 1, tzinfo=UTC)
_MESSAGES = 60
"""The number of messages of each type whose values count."""
_WORDS = ["letter", "postcard", "brochure", "insert", "envelope", "reply card", "catalog", "poster"]
_FAILURES = ["The product management system does not answer.", "The customer is unknown.", "The offer has no price."]


def values(message_type: str, site: str, schema: Schema) -> Sequence[Any]:
    """Returns the realistic values that the schema of a site allows. If no plausible message has this site, they are
    those of properties with the same name, or common words. The result can be empty.
    """
    name = site.replace("[]", "").rpartition(".")[2]
    allows = judge_of(schema)
    for pool in (_pools().get((message_type, site)), _pools_of_names().get(name), _WORDS):
        if fitting := [value for value in pool or () if allows(value)]:
            return fitting
    return []


@cache
def _pools() -> Mapping[tuple[str, str], Sequence[Any]]:
    """Maps each message type and site to the values in plausible messages. The smallest numbers come first, so that the
    first values of all sites fit together: a minimum is below its maximum.
    """
    found: dict[tuple[str, str], dict[Any, None]] = defaultdict(dict)
    for message_type, make in MAKERS.items():
        for serial in range(_MESSAGES):
            for site, value in _scalars(make(Draws(0, serial, _NOW)), ""):
                found[message_type, site][value] = None
    return {place: sorted(pool, key=_size) for place, pool in found.items()}


def _size(value: Any) -> Any:
    return 0 if isinstance(value, str) else value


@cache
def _pools_of_names() -> Mapping[str, Sequence[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    found["failureMessages"] += _FAILURES  # no plausible message reports a failure
    for (_, site), pool in _pools().items():
        found[site.replace("[]", "").rpartition(".")[2]] += pool
    return found


def _scalars(value: Any, site: str) -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            for name, inner in value.items():
                yield from _scalars(inner, join(site, name))
        case list():
            for item in value:
                yield from _scalars(item, f"{site}[]")
        case str() | int() | float():
            yield site, value
